// The load that is examined: what its recipe reads, and the place it is about.

/** How the recipe reads one field. */
export interface ReadField {
  /** The table, and the field in it. */
  target: string;
  name: string;
  columns: string[];
  /** The way it is read, as the recipe's compiler describes it: `whole 1 to 1000000`. */
  kind: string;
}

/** How the room of addresses, which lies above, reads a street line and a city. */
export interface AddressFacts {
  /** `number|pre|name|suffix|post` of a street line as it is filed; undefined for a line that cannot be found. */
  keyOf(line: string): string | undefined;
  /** False where all mail to a city of this name goes to other ZIP areas. */
  mayHaveZip(city: string, zip: string): boolean;
  /** Mail to the ZIP code goes by the name of the city. */
  isCityOfZip(city: string, zip: string): boolean;
}

export interface Subject {
  state: string | undefined;
  counties: { fips: number; name: string }[];
  fields: ReadField[];
  /** Columns about people, of which no example is shown. */
  personal: ReadonlySet<string>;
  /** The recipe names the columns, because the file does not. */
  isHeaderStated: boolean;
  publishedOn: string;
  addresses?: AddressFacts;
}
