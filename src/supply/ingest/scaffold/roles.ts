// What columns of public records are usually called, and what their cells must look like to be that.
import type { Profile } from './profile.ts';

interface Role {
  name: string;
  /** The column's name in lowercase words separated by spaces; earlier patterns are better. */
  names: RegExp[];
  /** A name that rules the role out. */
  not?: RegExp;
  /** Whether the cells fit. */
  fits(column: Profile): boolean;
}

const anything = (column: Profile) => column.filled > 0;
const numbers = (low: number, high: number) => (column: Profile) =>
  column.numeric > 0.9 && column.median >= low && column.median <= high;
const texts = (column: Profile) => column.filled > 0 && column.numeric < 0.6;
const projected = (column: Profile) => column.numeric > 0.9 && Math.abs(column.median) > 1000;
/** Days since 1900, as spreadsheets store a date: 1954 to 2064. Dates written as MDDYY go beyond. */
export const isSerial = ({ whole, min, max }: Profile) => whole > 0.95 && min > 20_000 && max < 60_000;
const dates = (column: Profile) => column.dated > 0.8 || isSerial(column);
/** `2F 1H` and `2/1`. */
const bathCounts = (column: Profile) =>
  column.values.length > 0 &&
  column.values.every(([value]) => /^\d+ ?F\w*[ ,/]+\d+ ?H\w*$|^\d+ ?\/ ?\d+$/i.test(value));
const OWNER = /\b(own|owner|owners|mail|mailing|tax ?payer|billing|grantor|grantee|buyer|seller|contact)\b/;

export const ROLES: Role[] = [
  {
    name: 'parcel',
    names: [
      /^(parcel|tax|property|pid|apn|pin|account|acct)? ?(apn|pin|parcel (id|number|no|num|nbr)|parcelid|parcelno|parid|taxkey|tax key|tax id|taxid|bbl|folio|strap|sbl|map ?lot|mblu|print ?key|pid|gis ?id|parcel|parcelnumb)$/,
      /\b(parcel|apn|pin|parid|pid|prclid)\b/,
      /^(account|acct|property|prop|real estate|schedule|map par)( number| no| num| id)?$/,
      /^(gpin|ain|upi|schednum|accou?n?t number|map (no|num|number))$/,
    ],
    not: /\b(type|class|area|size|status|count|year|address|owner|alt|old|prev|link|url|unique ?id|xf|shape|length|location)\b|\bmap\b(?! (par id|no|num|number)\b)/,
    fits: (column) => column.filled > 0.9 && column.distinct > 0.3,
  },
  {
    name: 'address_line1',
    names: [
      /^(property|prop|situs|site|full|location|street|physical|phy|parcel)? ?(address|addr)( ?(line)? ?1| full)?$/,
      /^(situs|location|locn|prcl locn|loc|par addr|parcel ?addr|site location)$/,
      /\b(situs|address|addr|locn)\b/,
    ],
    not: /\b(own|owner|mail|mailing|city|zip|state|number|no|num|street|name|unit|type|care|2|address2|billing|tax ?payer)\b/,
    fits: (column) =>
      column.numeric < 0.3 &&
      column.values.filter(([value]) => /^\d+\S*\s+\S/.test(value)).length > column.values.length / 4,
  },
  {
    name: 'house_number',
    names: [
      /^(house|street|st|addr|address|loc|situs|prop|property|site)? ?(house)? ?(no|num|nbr|number|nr)$/,
      /\b(st ?num|house ?num|strt ?nbr|loc st nbr|(street|house|addr) (no|num|nbr|number))$|^saddno$/,
    ],
    not: /\b(own|mail|parcel|account|book|page|doc|permit|unit|instrument|deed|route|lot|block)\b/,
    fits: numbers(1, 99_999),
  },
  {
    name: 'street_direction',
    names: [/\b(pre ?dir|predir|st ?dir|direction|dir|sdir|saddpref)\b/],
    not: OWNER,
    fits: (column) => texts(column) && column.values.every(([value]) => value.length <= 9),
  },
  {
    name: 'street_name',
    names: [
      /^(loc|prop|situs|site|address|addr|property|prcl locn|rem prcl locn)? ?(street|st|road)( name)?$/,
      /\b(st ?name|street ?name|strt ?name|str ?name)\b|^saddstr$/,
    ],
    not: OWNER,
    fits: (column) => texts(column) && column.distinct < 0.9 && column.values.length > 5,
  },
  {
    name: 'street_type',
    names: [/\b(st ?type|street ?type|sttype|suffix|sfx|st ?suffix|str ?suf|mail ?st ?suff|saddsttyp)\b/],
    not: OWNER,
    fits: (column) => texts(column) && column.values.slice(0, 5).every(([value]) => value.length <= 9),
  },
  {
    name: 'address_unit',
    names: [
      /^(unit|apt|apartment|suite|unit (no|num|number)|apartment number)$/,
      /\b(address|addr|situs|site|parcel|prop|property|location|loc) (unit|apt)( no| num| number)?$|^sunit$/,
    ],
    not: OWNER,
    fits: anything,
  },
  {
    name: 'city',
    names: [
      /^(property|prop|situs|site|location|loc|physical|phy|parcel)? ?(city|town|municipality|muni|city ?town)( ?name)?$/,
      /^scity$/,
      /^location$/,
    ],
    not: OWNER,
    fits: (column) =>
      texts(column) &&
      (column.distinct < 0.2 || column.values.length < 50) &&
      !column.values.some(([value]) => /\d/.test(value)),
  },
  {
    name: 'zip',
    names: [
      /^(property|prop|situs|site|location|physical|phy|par|loc)? ?(zip|zip ?code|zip ?cd|zip5|postal ?code)$|^szip$/,
    ],
    not: OWNER,
    fits: (column) => column.values.slice(0, 10).every(([value]) => /^\d{4,5}/.test(value)),
  },
  // Some files have the two the wrong way around; the cells tell.
  {
    name: 'latitude',
    names: [/^(lat|latitude|y|y ?coord\w*|centroid y|point y|lat\w*)$/, /^(lon|lng|long|longitude)$/],
    fits: numbers(17, 72),
  },
  {
    name: 'longitude',
    names: [/^(lon|lng|long|longitude|x|x ?coord\w*|centroid x|point x|lon\w*)$/, /^(lat|latitude)$/],
    fits: numbers(-180, -64),
  },
  // Coordinates that are no degrees, and points written into one cell.
  { name: 'x', names: [/^(x|x ?coord\w*|x avg|centroid x|point x|easting)$/], fits: projected },
  { name: 'y', names: [/^(y|y ?coord\w*|y avg|centroid y|point y|northing)$/], fits: projected },
  {
    name: 'point',
    names: [/^(loc id( x)?|the geom|geom|geometry|point|geo ?point|coordinates|lat\w* ?lon\w*|georeference|location)$/],
    fits: (column) =>
      column.values
        .slice(0, 20)
        .every(([value]) => /^[MF]_\d+_\d+$|^POINT ?\(|^\(?-?\d+\.\d+, ?-?\d+\.\d+\)?$/i.test(value)),
  },
  {
    name: 'sale_date',
    names: [
      /^(last|recent|most recent|latest|current|deed|sold)? ?(sale|sales|sold|transfer|xfer|deed|ls) ?1? ?(date|dt|on)( ?1)?$/,
      /^(saledate|saledt|record(ing|ed|ation)? date|date (sold|of sale|recorded)|date)$/,
      /^(last )?sale date\b|^last sale$/,
    ],
    not: /\b(assess\w*|permit|built|print|extract|update|2|3|prior|prev\w*)\b/,
    fits: dates,
  },
  {
    name: 'sale_price',
    names: [
      /^(last|recent|most recent|latest|current|total|net)? ?(sale|sales|sold|selling|transfer|xfer|ls) ?1? ?(price|amount|amt|prc|value)( ?1)?$/,
      /^(saleprice|price|consideration|sale ?amt|price paid)$/,
      /^last sal( 1)?$/,
      /^sale$/,
    ],
    not: /\b(2|3|prior|prev\w*|per|adj\w*|land)\b/,
    fits: (column) => column.numeric > 0.8 && column.max > 5000,
  },
  // Rolls keep the sales before the last one in columns of their own.
  ...[2, 3].flatMap((n): Role[] => [
    {
      name: `sale_date_${n}`,
      names: [new RegExp(`^sales? ?(${n} ?(date|dt)|(date|dt) ?${n})$`)],
      fits: dates,
    },
    {
      name: `sale_price_${n}`,
      names: [new RegExp(`^sales? ?(${n} ?(price|amount|amt|prc)|(price|amount|amt|prc) ?${n})$`)],
      fits: (column) => column.numeric > 0.8 && column.max > 5000,
    },
  ]),
  {
    name: 'sale_validity',
    names: [
      /^(sale |sales )?(verification|validity|valid|validation|qual|qualified|qualification|arms ?length)( code| cd ?1?| desc\w*| flag)?$/,
      /^(disq and qual flag|vacant or improved and qualified)$/,
    ],
    fits: (column) => column.values.length > 1 && column.hasAll,
  },
  {
    name: 'sale_distress',
    names: [/^(distress(ed)?|foreclosure|reo|short)( sale)?$/],
    fits: (column) => column.values.length > 1 && column.values.length < 4,
  },
  { name: 'sale_year', names: [/^(yr|year) ?sold$|^sale ?(yr|year)( ?1)?$/], fits: numbers(1900, 2100) },
  { name: 'sale_month', names: [/^(mo|month) ?sold$|^sale ?(mo|month)( ?1)?$/], fits: numbers(1, 12) },
  {
    name: 'assessed_land',
    names: [/\b(land|lnd) ?(value|val|av|assess\w*|asmt|appraised)?\b.*$/, /\bassess\w* (land|lnd)\b/],
    not: /\b(use|area|sq\w*|acr\w*|unit\w*|unts|feet|foot|desc|code|slope|contour|type|class|zone|size|sf)\b/,
    fits: (column) => numbers(100, 1e9)(column) && column.whole > 0.8,
  },
  {
    name: 'assessed_improvements',
    names: [
      /\b(building|bldg|improvement|improvements|impr|imprv|improv|structure) ?(value|val|av|assess\w*|asmt)\b/,
      /\bassess\w* (bldg|building|improvements?)\b/,
    ],
    fits: numbers(0, 1e9),
  },
  {
    name: 'assessed_total',
    names: [
      /^(total|full|ttl|tot|assessed|market|appraised|full market|prc ttl)? ?(total|assess(ed|ment)?|av|market|appraised|full market) ?(value|val|av|assess\w*)?( total)?$/,
      /\b(total ?(value|val|av)|aprtot|totval|full market val|prc ttl assess)\b|^(jv|just value|parval|(total )?fcv( total)?)$/,
    ],
    not: /\b(tax|land|bldg|area|sqft|county|town|school|rooms?|year|date|class|xf|ob|lnd)\b/,
    fits: (column) => column.numeric > 0.9 && column.max > 10_000,
  },
  {
    name: 'assessment_year',
    names: [/^(tax|assessment|assess|roll|asmt|asmnt|fiscal) ?(year|yr)$|^(taxyr|roll yr|taxyear|fy)$/],
    fits: numbers(1990, 2100),
  },
  {
    name: 'year_built',
    names: [/\b(year ?built|yr ?built|yrblt|built|year ?blt|ayb|yr blt|vns ayb)\b/],
    not: /\b(garage|eff\w*|remod\w*|addition)\b/,
    fits: numbers(1700, 2100),
  },
  { name: 'age', names: [/^(age|house age|building age|age of (house|home|building))$/], fits: numbers(1, 250) },
  {
    name: 'effective_year_built',
    names: [/\b(eff\w* (year|yr)|eyb|year remod\w*|yr remod\w*)\b/],
    fits: numbers(1700, 2100),
  },
  {
    name: 'sqft',
    names: [
      /\b(living|lvg|finished|heated|gr liv|total livable|livable|above (grd|grade)) ?(area|sq ?ft|sqft|sf|square (feet|footage))\b/,
      /\bsq(uare)? ?foot(age)? (finished|living|heated)\b|\b(fin ?sq ?ft|finsqft|res area)\b/,
      /\b(sq ?ft|sqft|square ?(feet|footage)|bldg ?(area|sf|sqft)|building ?(area|sf|sqft)|area (living|building)|fin area|gross area|finished area|sfla)\b/,
    ],
    not: /\b(lot|land|lnd|garage|porch|deck|bsmt|base?me?n?t?|attic|parcel|pool|deed|2nd|1st|low|veneer)\b/,
    fits: numbers(300, 50_000),
  },
  {
    name: 'lot_acres',
    names: [
      /\b(acre|acres|acreage|calc acre\w*|gis ?acres?|area acres|(deed|gis|calc|lot|land) ac)\b/,
      /^(lot|land|parcel) ?(size|area)$/,
    ],
    not: /\bper\b/,
    fits: (column) => column.numeric > 0.9 && column.median < 100,
  },
  {
    name: 'lot_sqft',
    names: [
      /\b(lot|land|lnd|parcel|deeded) ?(size|area|sq ?ft|sqft|sf|sq ?foot|square (feet|footage))\b/,
      /^sq ?ft lot$/,
    ],
    fits: numbers(200, 5e7),
  },
  {
    name: 'lot_dimensions',
    names: [/^lot (size|dimensions?|dim)$|^(dimensions|frontage depth)$/],
    fits: (column) => column.values.slice(0, 20).every(([value]) => /^\d+(\.\d+)? ?x ?\d/i.test(value)),
  },
  {
    name: 'bedrooms',
    names: [
      /^(number (of )?|no (of )?|num |nbr |tot(al)? |vns tot )?(bed ?rooms?|bed ?rms?|beds?|bdrms?|br|bedroom abv ?gr|bedrm|rmbed)$/,
    ],
    fits: numbers(0, 20),
  },
  {
    name: 'baths_full',
    names: [/\b(full ?(bath(room)?s?|ba)|f ?baths?|baths? full|fixbath)\b|^number full$/],
    not: /\bbsmt\b/,
    fits: numbers(0, 20),
  },
  {
    name: 'baths_half',
    names: [/\b(half ?(bath(room)?s?|ba)|h ?baths?|baths? half|fixhalf)\b|^number half$/],
    not: /\bbsmt\b/,
    fits: numbers(0, 20),
  },
  {
    name: 'baths_full_and_half',
    names: [/^(bath ?rooms?|baths?|ba)( full half)?$/],
    fits: bathCounts,
  },
  {
    name: 'bathrooms',
    names: [
      /^(number (of )?|no (of )?|num |nbr |tot(al)? |vns tot )?(bath ?rooms?|baths?|ba|nbr bathrooms|tot baths?)$/,
    ],
    fits: numbers(0, 20),
  },
  {
    name: 'rooms',
    names: [/^(number (of )?|tot(al)? |no (of )?|num |vns tot )?(rooms?|rms|tot ?rms ?abv ?grd|rmtot)$/],
    fits: numbers(0, 60),
  },
  {
    name: 'stories',
    names: [/^(number (of )?|no (of )?|num )?(stories|story height|floors|num stories|nbr stories)$/],
    fits: numbers(0, 60),
  },
  {
    name: 'units',
    names: [/^(number (of )?|no (of )?|num |total |living )?(units|dwelling units|res (units|unts))$/],
    fits: numbers(0, 1000),
  },
  { name: 'garage_spaces', names: [/^garage (cars|spaces|stalls|bays)$/], fits: numbers(0, 20) },
  {
    name: 'land_use',
    names: [
      /^(land|property|prop|class|structure|use|building|improvement)? ?(use|class|type|luc)? ?(description|desc|descrip\w*)$/,
      /^(land use|landuse|property (type|class|use)|prop (type|class)|bldg type|structure type|use)$/,
    ],
    not: /\b(zoning|neighborhood|legal|roof|wall|heat|flr|grade|style|owner)\b/,
    fits: (column) => texts(column) && column.distinct < 0.3,
  },
  {
    name: 'land_use_code',
    names: [
      /^(land ?use|luc|class|property ?class|prop ?class|use|state ?class|rem use|dor uc)( ?code| ?cd)?$/,
      /\b(use code|class code|prop class|land use code|luc)\b/,
    ],
    fits: (column) => column.distinct < 0.3,
  },
  { name: 'zoning', names: [/^(zoning|zone|lnd zone|ms zoning|zoning (code|district))$/], fits: anything },
  {
    name: 'neighborhood',
    names: [
      /^(neighborhood|nbhd|neighbourhood|nhood|neighborhood (name|code|desc\w*)|nbrhood|market area|esdistrict)$/,
    ],
    fits: anything,
  },
  {
    name: 'subdivision',
    names: [/^(subdivision|subdiv|condo (project|name)|subdivision name|plat name)$/],
    fits: texts,
  },
  {
    name: 'style',
    names: [/^(house|building|bldg|vns|design)? ?style( desc\w*)?$|^arch\w* style$|^design$/],
    fits: anything,
  },
  {
    name: 'quality',
    names: [/^(overall |structure |building |construction )?(quality|qual|grade|bldg grade|vns grade desc)$/],
    fits: anything,
  },
  { name: 'condition', names: [/^(overall )?(condition|cond|bldg condition|vns cond\w*)( desc)?$/], fits: anything },
  {
    name: 'exterior',
    names: [/^(exterior|ext ?walls?|exterior (walls?|1st)|vns ext wall1 desc|exterior material)$/],
    fits: texts,
  },
  { name: 'heating', names: [/^(heat|heating|heat (type|system)|vns heat type desc)( desc)?$/], fits: texts },
  { name: 'legal_description', names: [/^legal( desc\w*)?( ?1)?$/], fits: texts },
  { name: 'book', names: [/^(deed |ls |or )?book( number| no| ?1)?$/], fits: anything },
  { name: 'page', names: [/^(deed |ls |or )?page( number| no| ?1)?$/], fits: anything },
  {
    name: 'document_number',
    names: [
      /^(document|doc|instrument|reception|legal reference|deed|book pg|book page|bk pg|rem book pg)( ?(number|no|num|reference|ref))?$/,
    ],
    not: /\bdate\b/,
    // A handful of letters that repeat say what kind of document it is.
    fits: (column) => column.distinct > 0.05,
  },
  {
    name: 'document_type',
    names: [
      /^(deed|document|doc|instrument|instr|inst|sale) ?(type|typ)$/,
      /^(deed|document|doc|instrument|instr|inst)$/,
    ],
    fits: (column) => texts(column) && column.hasAll,
  },
  {
    name: 'owner',
    names: [/^(owner|own|primary owner|new owner|current owner)( ?name)?( ?1)?$/, /^(ownername|owner1|own1|own name)$/],
    fits: texts,
  },
  {
    name: 'owner2',
    names: [
      /^(owner|own|co ?owner|co own|additional)( ?name)? ?(2)?$/,
      /^(owner2|own2|co ?owner( name)?|add ?l? ?owner)$/,
    ],
    not: /^(owner|own|owner ?name)$/,
    fits: texts,
  },
  { name: 'buyer', names: [/^(grantee|buyer|buyer name|grantee name)$/], fits: texts },
  {
    name: 'seller',
    names: [/^(grantor|seller|seller name|grantor name|old owner|prior owner|previous owner)$/],
    fits: texts,
  },
];

/** Any other column of this kind names people or where they live. */
export const PERSONAL_NAME =
  /\b(own|owner|owners|ownership|mail|mailing|tax ?payer|grantor|grantee|buyer|seller|co ?owner|care of|contact|phone|email|address1|address2|add1|add2)\b/;
