// Stand-ins for the servers of cataloged counties: layers with the URLs, formats and parcel fields listed in the
// catalog, each with its publisher's typical columns and faults.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { SHIPPED_LAYERS } from '../src/supply/catalog/catalog.ts';
import { formatLayers, readLayers, type Layer } from '../src/supply/catalog/layers.ts';
import { dbf, shp, zip } from './archives.ts';
import { startArcgis, type ServedLayer } from './arcgis-server.ts';

export interface Home {
  parcel: string;
  state: string;
  number: number;
  street: string;
  type: string;
  city: string;
  zip: string;
  latitude: number;
  longitude: number;
  sqft: number;
  lot: number;
  beds: number;
  built: number;
  land: number;
  building: number;
  sold: string;
  price: number;
}

type Columns = (home: Home, i: number) => Record<string, string | number | null>;

export interface NamedCounty {
  /** As a user types it. */
  asked: string;
  fips: string;
  /** The area of the layer in the catalog: two digits for a state's. */
  area: string;
  state: string;
  city: string;
  zip: string;
  at: [latitude: number, longitude: number];
  columns: Columns;
  /** What the server is like. */
  layer?: Partial<ServedLayer>;
  /** Homes of this kind of county, as their parcel numbers are written. */
  parcelOf?: (i: number) => string;
  /** The address points, where the parcels have no addresses. */
  points?: Columns;
  /** Tables beside the layer. */
  tables?: Record<string, Columns>;
  /** The county's own layer of the catalog is gone. */
  ownIsGone?: boolean;
  /** Projects the parcels' vertices to the file's coordinates. */
  project?: (longitude: number, latitude: number) => [number, number];
  prj?: string;
  /** The table is on an open data portal, whose URL is given instead of a cataloged layer. */
  portal?: 'socrata' | 'ckan';
}

/** GDAL writes the geodatabases that it is to read. */
export const WRITES_GEODATABASES = /OpenFileGDB -vector- \(rw/.test(
  spawnSync('ogrinfo', ['--formats'], { encoding: 'utf8' }).stdout ?? '',
);

const line = ({ number, street, type }: Home) => `${number} ${street} ${type}`;
const epoch = ({ sold }: Home) => Date.parse(`${sold}T00:00:00Z`);
const slashed = ({ sold }: Home) => sold.replace(/(\d+)-(\d+)-(\d+)/, '$2/$3/$1');
const mercator = (longitude: number, latitude: number): [number, number] => [
  (longitude * 20_037_508.342789244) / 180,
  (Math.log(Math.tan(((90 + latitude) * Math.PI) / 360)) * 20_037_508.342789244) / Math.PI,
];
const GEOGRAPHIC =
  'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]';
const WEB =
  'PROJCS["WGS_1984_Web_Mercator_Auxiliary_Sphere",GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Mercator_Auxiliary_Sphere"],PARAMETER["False_Easting",0.0],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",0.0],PARAMETER["Standard_Parallel_1",0.0],PARAMETER["Auxiliary_Sphere_Type",0.0],UNIT["Meter",1.0]]';

export const COUNTIES: NamedCounty[] = [
  {
    asked: 'Dane County, WI',
    fips: '55025',
    area: '55025',
    state: 'WI',
    city: 'MADISON',
    zip: '53703',
    at: [43.07, -89.4],
    columns: (home) => ({
      PARCELNO: home.parcel,
      PropertyAddress: line(home),
      Municipality: 'City of Madison',
      ZipCode: home.zip,
      PropertyClass: 'Residential',
      YearBuilt: home.built,
      LandValue: home.land,
      ImprovementValue: home.building,
    }),
    layer: { limit: 50 },
  },
  {
    asked: 'maricopa az',
    fips: '04013',
    area: '04013',
    state: 'AZ',
    city: 'PHOENIX',
    zip: '85007',
    at: [33.45, -112.08],
    parcelOf: (i) => `110110${String(i).padStart(2, '0')}A`,
    columns: (home) => ({
      APN: home.parcel,
      PHYSICAL_ADDRESS: `${line(home)}   PHOENIX  ${home.zip}`,
      PHYSICAL_CITY: 'PHOENIX',
      PHYSICAL_ZIP: home.zip,
      PUC: '0131',
      CONST_YEAR: String(home.built),
      LIVING_SPACE: `${home.sqft}.00`,
      FCV_CUR: String(home.land + home.building).padEnd(15),
      SALE_PRICE: String(home.price),
      SALE_DATE: slashed(home),
      JURISDICTION: 'PHOENIX'.padEnd(20),
    }),
    layer: { without: ['count'] },
  },
  {
    asked: 'Davidson County, Tennessee',
    fips: '47037',
    area: '47037',
    state: 'TN',
    city: 'NASHVILLE',
    zip: '37203',
    at: [36.15, -86.79],
    columns: (home, i) => ({
      APN: home.parcel,
      ParID: `${home.parcel}00`,
      PropAddr: line(home),
      PropCity: 'NASHVILLE',
      PropZip: home.zip,
      PropHouse: home.number,
      PropStreet: `${home.street} ${home.type}`,
      LUDesc: 'SINGLE FAMILY',
      SalePrice: home.price,
      OwnDate: i % 9 === 0 ? null : epoch(home),
      LandAppr: home.land,
      ImprAppr: home.building,
      TotlAppr: home.land + home.building,
      Acres: home.lot / 43_560,
    }),
    layer: { without: ['paging'], limit: 40 },
  },
  {
    asked: 'snohomish, wa',
    fips: '53061',
    area: '53061',
    state: 'WA',
    city: 'EVERETT',
    zip: '98201',
    at: [47.98, -122.2],
    parcelOf: (i) => String(300_500_010_000 + i * 100).padStart(14, '0'),
    columns: (home) => ({
      PARCEL_ID: home.parcel,
      SITUSLINE1: line(home),
      SITUSCITY: home.city,
      SITUSZIP: home.zip,
      USECODE: '111 Single Family Residence - Detached',
      MKLND: home.land,
      MKIMP: home.building,
      MKTTL: home.land + home.building,
      GIS_SQ_FT: home.lot,
    }),
    layer: { badShapes: [7] },
  },
  {
    asked: 'Allegheny County PA',
    fips: '42003',
    area: '42003',
    state: 'PA',
    city: 'PITTSBURGH',
    zip: '15212',
    at: [40.45, -80.0],
    parcelOf: (i) => `0023F00${String(100 + i)}000000`,
    columns: (home) => ({
      PIN: home.parcel,
      MAPBLOCKLOT: home.parcel.slice(0, 10),
      CALCACREAG: home.lot / 43_560,
      NOTES: null,
    }),
    points: (home) => ({ PIN: home.parcel, FULL_ADDRESS: line(home), MUNICIPALITY: home.city, ZIP_CODE: home.zip }),
  },
  {
    asked: 'DuPage County, IL',
    fips: '17043',
    area: '17043',
    state: 'IL',
    city: 'WHEATON',
    zip: '60187',
    at: [41.86, -88.1],
    parcelOf: (i) => `05${String(16_301_000 + i)}`,
    columns: (home) => ({
      PIN: home.parcel,
      PROPSTNUM: home.number,
      PROPSTDIR: 'N',
      PROPSTNAME: `${home.street} ${home.type}`,
      PROPCITY: home.city,
      PROPZIP: home.zip,
      PROPCLASS: 'R',
      FCVTOTAL: home.land + home.building,
      FCVLAND: home.land,
      FCVIMP: home.building,
    }),
  },
  {
    asked: 'multnomah county oregon',
    fips: '41051',
    area: '41051',
    state: 'OR',
    city: 'PORTLAND',
    zip: '97209',
    at: [45.52, -122.68],
    parcelOf: (i) => `1N1E33DB  -${String(1000 + i * 100).padStart(5, '0')}`,
    columns: (home) => ({
      MAPTAXLOT: home.parcel,
      SITEADDR: line(home),
      SITECITY: home.city,
      SITEZIP: home.zip,
      LANDVAL: home.land,
      BLDGVAL: home.building,
      TOTALVAL: home.land + home.building,
      BLDGSQFT: home.sqft,
      YEARBUILT: home.built,
      PROP_CODE: '101',
      LANDUSE: 'SFR',
      SALEDATE: home.sold.slice(0, 7).replace('-', ''),
      SALEPRICE: home.price,
    }),
    layer: { spatialReference: { wkid: 102_100, latestWkid: 3857 } },
    project: mercator,
  },
  {
    asked: 'Denver CO',
    fips: '08031',
    area: '08031',
    state: 'CO',
    city: 'DENVER',
    zip: '80203',
    at: [39.73, -104.98],
    parcelOf: (i) => `05032${String(10_000_000 + i)}`,
    columns: (home) => ({
      SCHEDNUM: home.parcel,
      SITUS_ADDRESS_LINE1: line(home),
      SITUS_CITY: home.city,
      SITUS_ZIP: `${home.zip}-1234`,
      D_CLASS_CN: 'SINGLE FAMILY RESIDENTIAL',
      SALE_YEAR: Number(home.sold.slice(0, 4)),
      SALE_MONTH: Number(home.sold.slice(5, 7)),
      SALE_PRICE: home.price,
      RES_ORIG_YEAR_BUILT: home.built,
      RES_ABOVE_GRADE_AREA: home.sqft,
      LAND_AREA: home.lot,
      APPRAISED_LAND_VALUE: home.land,
      APPRAISED_IMP_VALUE: home.building,
      APPRAISED_TOTAL_VALUE: home.land + home.building,
    }),
  },
  {
    asked: 'Kent County, MI',
    fips: '26081',
    area: '26081',
    state: 'MI',
    city: 'GRAND RAPIDS',
    zip: '49503',
    at: [42.96, -85.67],
    parcelOf: (i) => `41-13-25-${String(100 + i)}-001`,
    columns: (home) => ({
      PPN: home.parcel,
      PROPERTYADDRESS: line(home),
      PROPCITY: home.city,
      PROPERTYZIP: home.zip,
      PROPCLASS: '401',
      ASSESSEDVALUE: Math.round((home.land + home.building) / 2),
    }),
    layer: { without: ['ids', 'conditions'] },
  },
  {
    asked: 'Contra Costa',
    fips: '06013',
    area: '06013',
    state: 'CA',
    city: 'MARTINEZ',
    zip: '94553',
    at: [38.01, -122.13],
    parcelOf: (i) => `37312${String(1000 + i)}`,
    columns: (home) =>
      dotted('cccGIS_Assessor.ASSRADMIN.Parcel_DOIT_WEB.', {
        APN: home.parcel,
        S_STR_NBR: home.number,
        S_STR_NM: home.street,
        S_STR_SUF: home.type,
        S_CTY_ABBR: home.city,
        S_ZIP_CD: home.zip,
        USE_CODE: '11',
        YR_BLT: home.built,
        LAND_VAL: home.land,
        IMP_VAL: home.building,
      }),
  },
  {
    asked: 'beaufort sc',
    fips: '45013',
    area: '45013',
    state: 'SC',
    city: 'BEAUFORT',
    zip: '29902',
    at: [32.43, -80.67],
    parcelOf: (i) => `R120 029 000 ${String(100 + i).padStart(4, '0')} 0000`,
    columns: (home) =>
      dotted('sde.SDE.Parcels.', {
        PIN_: home.parcel,
        SitusAddress: line(home),
        SitusCity: home.city,
        SitusZip: home.zip,
        Acreage: home.lot / 43_560,
        LandValue: home.land,
        BldgValue: home.building,
        SaleDate: epoch(home),
        SalePrice: home.price,
      }),
  },
  {
    asked: 'Fresno County, California',
    fips: '06019',
    area: '06019',
    state: 'CA',
    city: 'FRESNO',
    zip: '93701',
    at: [36.75, -119.79],
    parcelOf: (i) => `45123${String(100 + i)}S`,
    columns: (home) => ({
      APN: home.parcel,
      SITUS_ADDR: line(home),
      SITUS_CITY: home.city,
      SITUS_ZIP: home.zip,
      USE_DESC: 'SINGLE FAMILY',
      YR_BUILT: String(home.built),
      BLDG_SQFT: String(home.sqft),
      LOT_SQFT: String(home.lot),
      LAND_VALUE: String(home.land),
      IMPR_VALUE: String(home.building),
    }),
    prj: WEB,
    project: mercator,
  },
  {
    asked: 'Scott County IA',
    fips: '19163',
    area: '19163',
    state: 'IA',
    city: 'DAVENPORT',
    zip: '52803',
    at: [41.53, -90.57],
    columns: (home) => ({
      PIN: home.parcel,
      SITE_ADDR: line(home),
      CITY: home.city,
      ZIP: home.zip,
      CLASS: 'Residential',
      LAND_VAL: String(home.land),
      BLDG_VAL: String(home.building),
      TOTAL_VAL: String(home.land + home.building),
    }),
    prj: GEOGRAPHIC,
  },
  {
    asked: 'Cook County, Illinois',
    fips: '17031',
    area: '17031',
    state: 'IL',
    city: 'CHICAGO',
    zip: '60614',
    at: [41.92, -87.65],
    parcelOf: (i) => `1428${String(1_000_000_000 + i * 10_000)}`.slice(0, 14),
    columns: (home) => ({
      Name: home.parcel,
      OBJECTID: null,
      property_address: line(home),
      property_city: home.city,
      property_zip: home.zip,
      Class: '203',
    }),
  },
  {
    asked: 'howard county, md',
    fips: '24027',
    area: '24027',
    state: 'MD',
    city: 'ELLICOTT CITY',
    zip: '21043',
    at: [39.27, -76.8],
    columns: (home, i) => ({
      PKPARCELS: home.parcel,
      ACCTID: `14${90_000 + i}`,
      ADDRESS: line(home),
      CITY: home.city,
      ZIPCODE: home.zip,
      DESCLU: 'Residential',
      YEARBLT: String(home.built),
      SQFTSTRC: String(home.sqft),
      TRADATE: home.sold.replaceAll('-', ''),
      CONSIDR1: String(home.price),
      NFMLNDVL: String(home.land),
      NFMIMPVL: String(home.building),
      NFMTTLVL: String(home.land + home.building),
    }),
    prj: GEOGRAPHIC,
  },
  {
    asked: 'San Francisco',
    fips: '06075',
    area: '06075',
    state: 'CA',
    city: 'SAN FRANCISCO',
    zip: '94110',
    at: [37.75, -122.42],
    parcelOf: (i) => `3601${String(i).padStart(3, '0')}`,
    columns: (home) => ({
      blklot: home.parcel,
      active: 'TRUE',
      from_addre: String(home.number),
      street_nam: home.street,
      street_typ: home.type,
      zoning_cod: 'RH-2',
    }),
    prj: GEOGRAPHIC,
  },
  {
    asked: 'Marion County, Indiana',
    fips: '18097',
    area: '18',
    state: 'IN',
    city: 'INDIANAPOLIS',
    zip: '46202',
    at: [39.78, -86.15],
    parcelOf: (i) => `49-07-36-${String(100 + i)}-001.000-101`,
    columns: (home) => ({
      STATE_PARCEL_ID: home.parcel,
      PARCEL_ID: home.parcel.replaceAll(/\D/g, ''),
      COUNTY_FIPS: '18097',
      PROP_ADD: line(home),
      PROP_CITY: home.city,
      PROP_ZIP: home.zip,
      PROP_STATE: 'IN',
      DLGF_PROP_CLASS_CODE: '510',
      LATITUDE: home.latitude,
      LONGITUDE: home.longitude,
    }),
    ownIsGone: true,
  },
  {
    asked: 'Kanawha WV',
    fips: '54039',
    area: '54',
    state: 'WV',
    city: 'CHARLESTON',
    zip: '25301',
    at: [38.35, -81.63],
    parcelOf: (i) => `20-11-0022-${String(i).padStart(4, '0')}-0000`,
    columns: (home, i) => ({
      ROOTID: home.parcel.replaceAll('-', ''),
      CleanParcelID: home.parcel,
      CountyName: 'Kanawha',
      CountyID: '20',
      FullPhysicalAddress: i % 10 === 3 ? '' : `${line(home)}, ${home.city}, WV ${home.zip}`,
      FullLegalDescription: 'LOT 4',
      LandAppraisal: home.land,
      BuildingAppraisal: home.building,
      TotalAppraisal: home.land + home.building,
    }),
    ownIsGone: true,
  },
  {
    asked: 'Stevens County, Washington',
    fips: '53065',
    area: '53',
    state: 'WA',
    city: 'COLVILLE',
    zip: '99114',
    at: [48.54, -117.9],
    parcelOf: (i) => `065-${2_018_200 + i * 37}`,
    columns: (home) => ({
      PARCEL_ID_NR: home.parcel,
      ORIG_PARCEL_ID: home.parcel.slice(4),
      COUNTY_NM: '65',
      FIPS_NR: '53065',
      SITUS_ADDRESS: line(home),
      SITUS_CITY_NM: home.city,
      SITUS_ZIP_NR: home.zip,
      LANDUSE_CD: 11,
      VALUE_LAND: home.land,
      VALUE_BLDG: home.building,
    }),
    ownIsGone: true,
  },
  {
    asked: 'carson city',
    fips: '32510',
    area: '32510',
    state: 'NV',
    city: 'CARSON CITY',
    zip: '89701',
    at: [39.16, -119.77],
    parcelOf: (i) => `003-15${Math.floor(i / 100)}-${String(i % 100).padStart(2, '0')}`,
    columns: (home) =>
      dotted('SDE_GISA.Parcel_Boundary.', {
        APN: home.parcel,
        PropLoc: line(home),
        LUC: 200,
        Zip: home.zip,
        Acres: home.lot / 43_560,
      }),
    tables: {
      'Residential sales': (home) => ({
        APN: home.parcel,
        SaleDate: epoch(home),
        SalePrice: home.price,
        YearBuilt: home.built,
        LivingArea: home.sqft,
      }),
    },
    layer: { badRows: [11] },
  },
  {
    asked: 'Plumas County, CA',
    fips: '06063',
    area: '06063',
    state: 'CA',
    city: 'QUINCY',
    zip: '95971',
    at: [39.94, -120.95],
    parcelOf: (i) => `115-0${String(10 + Math.floor(i / 30))}-0${String(10 + (i % 30))}-000`,
    columns: (home) => ({
      APN: home.parcel,
      SITUS_ADDR: line(home),
      SITUS_CITY: home.city,
      SITUS_ZIP: home.zip,
      USE_DESC: 'SINGLE FAMILY RES',
      LAND_VALUE: home.land,
      IMPR_VALUE: home.building,
      ACRES: home.lot / 43_560,
    }),
  },
  {
    asked: 'black hawk iowa',
    fips: '19013',
    area: '19013',
    state: 'IA',
    city: 'WATERLOO',
    zip: '50701',
    at: [42.49, -92.34],
    parcelOf: (i) => `8913${String(23_401_001 + i)}`,
    columns: (home) => ({
      OID_1: null,
      PIN: home.parcel,
      PROP_ADDR: `${line(home)}, ${home.city}, ${home.state} ${home.zip}`,
      CLASS: 'Residential',
      YR_BUILT: home.built,
      TLA: home.sqft,
      SALE_DATE: slashed(home),
      SALE_PRICE: home.price,
    }),
  },
  {
    asked: 'montgomery county maryland',
    fips: '24031',
    area: '24031',
    state: 'MD',
    city: 'ROCKVILLE',
    zip: '20850',
    at: [39.08, -77.15],
    parcelOf: (i) => `04${String(1_680_000 + i * 11)}`,
    columns: (home) => ({
      'Account Number': home.parcel,
      'Property Address': line(home),
      'Property City': home.city,
      'Property Zip Code': `${home.zip}-0000`,
      Latitude: home.latitude,
      Longitude: home.longitude,
      'Use Description': 'Residential (R)',
      'Year Built': home.built,
      'Sale Date': `${home.sold}T00:00:00.000`,
      'Sale Price': home.price,
    }),
    portal: 'socrata',
  },
  {
    asked: 'Jefferson County, Kentucky',
    fips: '21111',
    area: '21111',
    state: 'KY',
    city: 'LOUISVILLE',
    zip: '40202',
    at: [38.25, -85.75],
    parcelOf: (i) => `014J00${String(100 + i)}0000`,
    columns: (home, i) => ({
      _id: i + 1,
      PARCELID: home.parcel,
      PROPERTYHOUSENUM: home.number,
      PROPERTYADDRESS: `${home.street} ${home.type}`,
      PROPERTYCITY: home.city,
      PROPERTYZIP: home.zip,
      lat: home.latitude,
      lon: home.longitude,
      SALEDATE: slashed(home),
      SALEPRICE: home.price,
      FAIRMARKETTOTAL: home.land + home.building,
    }),
    portal: 'ckan',
  },
];

const dotted = (prefix: string, columns: Record<string, string | number | null>) =>
  Object.fromEntries(Object.entries(columns).map(([name, value]) => [`${prefix}${name}`, value]));

const STREETS = 'OAK MAPLE ELM CEDAR PINE WALNUT CHERRY LINCOLN JEFFERSON LAKE'.split(' ');
const TYPES = ['ST', 'AVE', 'RD', 'DR', 'LN'];
export const HOMES = 90;

export function homesOf({ state, city, zip: code, at: [latitude, longitude], parcelOf }: NamedCounty): Home[] {
  return Array.from({ length: HOMES }, (_, i) => {
    const sqft = 900 + ((i * 137) % 2100);
    const building = 60_000 + sqft * 90;
    const land = 30_000 + ((i * 53) % 40) * 500;
    return {
      parcel: parcelOf?.(i) ?? `0710${String(18_200_000 + i * 37)}`,
      number: 101 + i * 2,
      street: STREETS[i % 10],
      type: TYPES[Math.floor(i / 10) % 5],
      city,
      state,
      zip: code,
      latitude: Number((latitude + (i % 10) * 0.0011).toFixed(6)),
      longitude: Number((longitude + Math.floor(i / 10) * 0.0013).toFixed(6)),
      sqft,
      lot: 5000 + ((i * 311) % 9000),
      beds: 2 + (i % 4),
      built: 1920 + ((i * 7) % 95),
      land,
      building,
      sold: `20${16 + (i % 8)}-${String(1 + (i % 12)).padStart(2, '0')}-${String(1 + (i % 27)).padStart(2, '0')}`,
      price: Math.round((land + building) * (0.95 + (i % 7) * 0.03)),
    };
  });
}

const HALF = 0.0004;
const ringOf = ({ latitude: y, longitude: x }: Home, project: NamedCounty['project'] = (a, b) => [a, b]) =>
  [
    [x - HALF, y - HALF],
    [x - HALF, y + HALF],
    [x + HALF, y + HALF],
    [x + HALF, y - HALF],
    [x - HALF, y - HALF],
  ].map(([a, b]) => project(a, b));

const fieldsOf = (features: ServedLayer['features']): ServedLayer['fields'] =>
  Object.entries(features[0].attributes!).map(([name, value]) => ({
    name,
    type:
      name === 'OBJECTID'
        ? 'esriFieldTypeOID'
        : /date$/i.test(name) && typeof value !== 'string'
          ? 'esriFieldTypeDate'
          : typeof value === 'number'
            ? 'esriFieldTypeDouble'
            : 'esriFieldTypeString',
  }));

function layerOf(county: NamedCounty, columns: Columns, shape: 'polygon' | 'point' | 'none'): ServedLayer {
  const features = homesOf(county).map((home, i) => ({
    attributes: { OBJECTID: i + 1, ...columns(home, i) },
    geometry:
      shape === 'polygon'
        ? { rings: [ringOf(home, county.project)] }
        : shape === 'point'
          ? { x: home.longitude, y: home.latitude }
          : null,
  }));
  return { fields: fieldsOf(features), features, ...(shape === 'polygon' ? county.layer : {}) };
}

/** A statewide layer also has other counties. */
function layerOfState(county: NamedCounty): ServedLayer {
  const own = layerOf(county, county.columns, 'polygon');
  const others = own.features.map(({ attributes, geometry }, i) => ({
    attributes: Object.fromEntries(
      Object.entries(attributes!).map(([name, value]) => {
        if (name === 'OBJECTID') return [name, 1000 + i];
        if (/^COUNTY_?(NM|Name)$/i.test(name)) return [name, /^\d/.test(String(value)) ? '63' : 'Roane'];
        return [name, /fips/i.test(name) ? `${county.fips.slice(0, 2)}001` : value];
      }),
    ),
    geometry,
  }));
  return { ...own, features: [...others, ...own.features] };
}

function fileOf(county: NamedCounty, format: string): Buffer {
  const homes = homesOf(county);
  const rows = homes.map((home, i) => county.columns(home, i));
  const names = Object.keys(rows[0]);
  const text = (value: unknown) => (value === null || value === undefined ? '' : String(value));
  if (format === 'geojson')
    return Buffer.from(
      JSON.stringify({
        type: 'FeatureCollection',
        features: homes.map((home, i) => ({
          type: 'Feature',
          properties: rows[i],
          geometry: { type: 'Polygon', coordinates: [ringOf(home, county.project)] },
        })),
      }),
    );
  if (format === 'gdb') return geodatabaseOf(fileOf(county, 'geojson'));
  return zip({
    'export/parcels.shp': shp(homes.map((home) => [ringOf(home, county.project)])),
    'export/parcels.dbf': dbf(
      names.map((name) => name.slice(0, 10)),
      rows.map((row) => names.map((name) => text(row[name]))),
      40,
    ),
    'export/parcels.prj': county.prj ?? GEOGRAPHIC,
  });
}

function geodatabaseOf(features: Buffer): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'platbook-gdb-'));
  const [lots, path] = [join(folder, 'lots.geojson'), join(folder, 'county.gdb')];
  writeFileSync(lots, features);
  execFileSync('ogr2ogr', ['-f', 'OpenFileGDB', '-t_srs', 'EPSG:3857', '-nln', 'Parcels', path, lots]);
  return zip(
    Object.fromEntries(readdirSync(path).map((name) => [`county.gdb/${name}`, readFileSync(join(path, name))])),
  );
}

const quoted = (value: unknown) => `"${String(value ?? '').replaceAll('"', '""')}"`;
const csvOf = (rows: unknown[][]) => rows.map((row) => `${row.map(quoted).join(',')}\n`).join('');
const fieldOf = (name: string) => name.toLowerCase().replaceAll(/\W+/g, '_');

/** A portal's metadata and rows, by path without query; a Socrata portal sends at most 40 rows at once. */
function portalOf(county: NamedCounty, k: number) {
  const homes = homesOf(county).map((home, i) => county.columns(home, i));
  const names = Object.keys(homes[0]);
  const rows = homes.map((home) => Object.values(home));
  if (county.portal === 'ckan') {
    const path = `/datastore/dump/5d8d8f6e-0000-4000-8000-00000000000${k}`;
    return { path, answers: { [path]: () => `\uFEFF${csvOf([names, ...rows])}` } };
  }
  const id = `prop-${String(k).padStart(4, '0')}`;
  const page = (query: URLSearchParams) => {
    const from = Number(query.get('$offset'));
    const most = Number(query.get('$limit'));
    if (most > 40 && homes.length - from > 40) return undefined;
    return csvOf([names.map(fieldOf), ...rows.slice(from, from + most)]);
  };
  return {
    path: `/api/views/${id}/rows.csv`,
    answers: {
      [`/api/views/${id}.json`]: () =>
        JSON.stringify({ rowsUpdatedAt: 7, columns: names.map((name) => ({ name, fieldName: fieldOf(name) })) }),
      [`/resource/${id}.json`]: () => JSON.stringify([{ count: String(rows.length) }]),
      [`/resource/${id}.csv`]: page,
    },
  };
}

type Answers = Map<string, (query: URLSearchParams) => string | undefined>;

/** A file server whose responses sometimes break off or fail. */
async function startFiles(files: Map<string, Buffer>, portals: Answers, faults: number): Promise<string> {
  let asked = 0;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://files');
    const portal = portals.get(pathname);
    const said = portal?.(searchParams);
    if (portal && said === undefined) return void response.writeHead(500).end('Too many rows');
    const body = said === undefined ? files.get(request.url!) : Buffer.from(said);
    if (!body) return void response.writeHead(404).end('Not found');
    asked++;
    if (faults > 0 && asked % 3 === 1) return void response.writeHead(503, { 'retry-after': '0' }).end();
    response.writeHead(200, { 'content-length': body.length, 'content-type': 'application/octet-stream' });
    if (faults > 0 && asked % 3 === 2) return void response.write(body.subarray(0, 900), () => response.destroy());
    response.end(body);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  after(() => (server.closeAllConnections(), void server.close()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Serves them, and writes a catalog of them into the program's home under the addresses that they have here. */
export async function serveCounties(home: string, counties: NamedCounty[], faults: number) {
  const listed = readLayers(readFileSync(SHIPPED_LAYERS, 'utf8')).layers;
  const arcgis = await startArcgis(5);
  arcgis.faults = faults;
  const files = new Map<string, Buffer>();
  const portals: Answers = new Map();
  const portalUrls = new Map<string, string>();
  const fileServer = await startFiles(files, portals, faults);
  const layers: Layer[] = [];
  const tables = new Map<string, { id: number; name: string }[]>();
  for (const [k, county] of counties.entries()) {
    if (county.portal) {
      const { path, answers } = portalOf(county, k);
      for (const [at, answer] of Object.entries(answers)) portals.set(at, answer);
      portalUrls.set(county.asked, fileServer + path);
      continue;
    }
    const find = (area: string, kind: Layer['kind']) =>
      listed.find((layer) => layer.area === area && layer.kind === kind && layer.name === '');
    const put = (layer: Layer, make: () => ServedLayer) => {
      const { pathname, search, host } = new URL(layer.url);
      const path = `${host}${pathname}`;
      if (layer.format === 'arcgis') arcgis.layers[path] = make();
      else files.set(`/${path}${search}`, fileOf(county, layer.format));
      layers.push({ ...layer, url: `${layer.format === 'arcgis' ? arcgis.url : fileServer}/${path}${search}` });
      return path;
    };
    const own = find(county.fips, 'parcels');
    if (county.ownIsGone && own) layers.push({ ...own, url: `${fileServer}/gone/${county.fips}.zip` });
    const listing = find(county.area, 'parcels');
    if (!listing) throw new Error(`${county.asked} is not in the catalog`);
    const path = put(listing, () =>
      county.area.length === 2 ? layerOfState(county) : layerOf(county, county.columns, 'polygon'),
    );
    if (county.points) {
      const url = `https://addresses.example/${county.fips}/FeatureServer/0`;
      put({ ...listing, kind: 'addresses', format: 'arcgis', parcelField: '', url }, () =>
        layerOf(county, county.points!, 'point'),
      );
    }
    for (const [name, columns] of Object.entries(county.tables ?? {})) {
      const root = path.replace(/\/\d+$/, '');
      const id = 900 + (tables.get(root)?.length ?? 0);
      tables.set(root, [...(tables.get(root) ?? []), { id, name }]);
      arcgis.layers[`${root}/${id}`] = layerOf(county, columns, 'none');
    }
  }
  arcgis.answer = (path) =>
    tables.has(path) ? { layers: [{ id: 0, name: 'Parcels' }], tables: tables.get(path) } : undefined;
  mkdirSync(join(home, 'catalog'), { recursive: true });
  writeFileSync(join(home, 'catalog', 'layers.tsv'), formatLayers({ day: '2026-11-01', layers }, 'For a test.'));
  return { portalUrls };
}
