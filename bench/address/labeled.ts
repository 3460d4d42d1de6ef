// Labeled address texts from three open parsers' test sets: how often our parser has every component right.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import parseAddress from 'parse-address';
import { Gazetteer, type Locality } from '../../src/records/address/parse/gazetteer.ts';
import { cityKey } from '../../src/records/address/parse/names.ts';
import { readNumber } from '../../src/records/address/parse/numbers.ts';
import { readAddress } from '../../src/records/address/parse/read.ts';
import { readStreet } from '../../src/records/address/parse/streets.ts';
import { STATES } from '../../src/records/address/parse/tables.ts';
import { readWords } from '../../src/records/address/parse/text.ts';
import { takeUnits, unitKey } from '../../src/records/address/parse/units.ts';

interface Labeled {
  input: string;
  subset: 'core' | 'hard';
  components: Partial<
    Record<'number' | 'street' | 'predir' | 'name' | 'suffix' | 'postdir' | 'unit' | 'city' | 'state' | 'zip', string>
  >;
}

export function scoreLabeled(dataDir: string): void {
  const folder = join(dataDir, 'address');
  if (!existsSync(folder)) return;
  const gazetteer = new Gazetteer(readCities(join(folder, 'usps/usps_state_city.tsv.gz')));
  console.log('\nlabeled texts with a house number, every component right:');
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.jsonl.gz'))) {
    const texts = unpack(join(folder, file))
      .map((line) => JSON.parse(line) as Labeled)
      .filter(({ components }) => components.number && (components.street || components.name));
    const count = (isRight: (text: Labeled) => boolean): string => {
      const right = texts.filter(isRight).length;
      return `${right}/${texts.length} (${((100 * right) / texts.length).toFixed(0)}%)`;
    };
    console.log(
      `  ${file.replace('.jsonl.gz', '').padEnd(28)} first reading ${count((text) => isRead(text, gazetteer, 1)).padEnd(18)} among the readings ${count((text) => isRead(text, gazetteer, 12)).padEnd(18)} parse-address ${count(isParsedRight)}`,
    );
  }
}

/** Whether one of the first readings has every component as labeled. */
export function isRead(text: Labeled, gazetteer: Gazetteer, among = 12): boolean {
  return readAddress(text.input, gazetteer)
    .readings.slice(0, among)
    .some(
      ({ number, street, unit, city, state, zip }) =>
        signature(number.key, directionless(street), unit, city, state, zip) === expected(text),
    );
}

const unpack = (path: string): string[] => gunzipSync(readFileSync(path)).toString('utf8').trim().split('\n');

function readCities(path: string): Locality[] {
  return unpack(path).map((line) => {
    const [state, city = ''] = line.split('\t');
    return { fips: 0, state, city: cityKey(readWords(city)), zip: '' };
  });
}

function expected({ components: parts }: Labeled): string {
  const street = parts.street ?? [parts.predir, parts.name, parts.suffix, parts.postdir].filter(Boolean).join(' ');
  return signature(
    numberKey(parts.number ?? ''),
    directionless(readStreet(readWords(street))),
    unitOf(parts.unit ?? ''),
    cityKey(readWords(parts.city ?? '').filter((word) => word !== ',')),
    stateOf(parts.state ?? ''),
    (parts.zip ?? '').slice(0, 5),
  );
}

function isParsedRight(text: Labeled): boolean {
  const parts = parseAddress.parseLocation(text.input);
  if (!parts) return false;
  const street = [parts.prefix, parts.street, parts.type, parts.suffix].filter(Boolean).join(' ');
  return (
    signature(
      numberKey(parts.number ?? ''),
      directionless(readStreet(readWords(street))),
      unitOf(`${parts.sec_unit_type ?? ''} ${parts.sec_unit_num ?? ''}`.trim()),
      cityKey(readWords(parts.city ?? '')),
      stateOf(parts.state ?? ''),
      parts.zip ?? '',
    ) === expected(text)
  );
}

const signature = (...parts: string[]): string => parts.join('|');
/** Some sets label a direction after the street as the one before it. */
const directionless = ({ pre, name, suffix, post }: ReturnType<typeof readStreet>): string =>
  [pre + post, name, suffix].join(' ');
const stateOf = (text: string): string => STATES.get(readWords(text).join(' ')) ?? '';
const numberKey = (text: string): string => readNumber(readWords(text).join(''))[0]?.number.key ?? text;

function unitOf(text: string): string {
  const words = readWords(text).filter((word) => word !== ',');
  if (words.length === 0) return '';
  const { unit, rest } = takeUnits(words);
  return unit && rest.every((word) => word === ',') ? unit : unitKey('APT', words.join(''));
}
