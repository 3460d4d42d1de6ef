// The field maps of real sources, on invented rows in their publishers' formats, including files too large to ship.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { missingColumns } from '../../src/supply/ingest/map/columns.ts';
import type { Geometry } from '../../src/supply/ingest/read/geometry.ts';
import { compileMap } from '../../src/supply/ingest/map/map.ts';
import { stagedColumns } from '../../src/supply/ingest/map/targets.ts';
import { readSources } from '../../sources/sources.ts';

type Mapped = Record<string, any>;

function map(id: string, row: Record<string, string>, options: { geometry?: Geometry; publishedOn?: string } = {}) {
  const source = readSources().find((item) => item.id === id.split('/')[0])!;
  const dataset = source.datasets.find((item) => item.id === id)!;
  const header = Object.keys(row);
  assert.deepEqual(missingColumns(header, dataset), []);
  const context = {
    source,
    dataset,
    stamper: undefined,
    file: 'f',
    publishedOn: options.publishedOn ?? dataset.publishedOn,
    fileRank: 1,
  };
  const mapped = compileMap(header, context)({ line: 2, cells: Object.values(row), geometry: options.geometry });
  assert.deepEqual(mapped.problems, []);
  const records: Record<string, Mapped[]> = {};
  for (const { target, values } of mapped.records) {
    const record = Object.fromEntries(stagedColumns(dataset, target).map((name, i) => [name, values[i]]));
    (records[target] ??= []).push(record);
  }
  return { ...records, skipped: mapped.skipped } as Record<string, Mapped[]> & { skipped: boolean };
}

const AREA: Geometry = {
  type: 'polygons',
  polygons: [
    [
      [
        [0, 0],
        [0, 1],
        [1, 1],
        [1, 0],
        [0, 0],
      ],
    ],
  ],
};

describe('Milwaukee', () => {
  const common = {
    CondoProject: '',
    District: '6',
    Style: 'Ranch',
    Stories: '1.5',
    Year_Built: '1951',
    Units: '2',
    Bdrms: '3',
    Fbath: '1',
    Hbath: '1',
  };
  it('reads the 2013 sales: month only, no leading zeros, `Aluminum / Vinyl`', () => {
    const { transactions, properties } = map('milwaukee-wi/sales', {
      PropType: 'Residential',
      Taxkey: '30131000',
      Address: '1 N Elm St',
      Nbhd: '380',
      Extwall: 'Aluminum / Vinyl',
      Nr_of_rms: '0',
      Fin_sqft: '1180',
      Lotsize: '5650',
      Sale_date: '2013-01',
      Sale_price: '154000',
      ...common,
    });
    assert.deepEqual(
      [
        properties[0].apn,
        properties[0].property_type,
        properties[0].exterior,
        properties[0].rooms,
        properties[0].bathrooms,
      ],
      ['0030131000', 'multi_family', 'Aluminum/Vinyl', null, 1.5],
    );
    assert.deepEqual(
      [transactions[0].date_precision, transactions[0].known_on, transactions[0].price],
      ['month', '2013-02-15', 154_000],
    );
  });
  it('reads the 2020 sales: dollars and commas, full dates, NULLs', () => {
    const { transactions, properties } = map('milwaukee-wi/sales', {
      PropertyID: '1',
      PropType: 'Commercial',
      taxkey: '0030131000',
      Address: '1 N Elm St',
      nbhd: '0040',
      Extwall: '',
      Rooms: 'NULL',
      FinishedSqft: '2,615',
      Lotsize: '16,588',
      Sale_date: '2/13/2020',
      Sale_price: '"$357,000"'.replaceAll('"', ''),
      ...common,
      Bdrms: 'NULL',
    });
    assert.deepEqual(
      [
        transactions[0].sale_date,
        transactions[0].price,
        properties[0].sqft,
        properties[0].bedrooms,
        properties[0].lot_sqft,
      ],
      ['2020-02-13', 357_000, 2615, null, 16_588],
    );
  });
  it('reads the master property file', () => {
    const { properties, owners, assessments } = map('milwaukee-wi/mprop', {
      TAXKEY: '30131000',
      YR_ASSMT: '2025',
      HOUSE_NR_LO: '100',
      HOUSE_NR_HI: '102',
      HOUSE_NR_SFX: '',
      SDIR: 'N',
      STREET: 'ELM',
      STTYPE: 'ST',
      GEO_ZIP_CODE: '532021234',
      LAND_USE_GP: '2',
      LAND_USE: '8820',
      ZONING: 'RT4',
      BLDG_AREA: '2400',
      LOT_AREA: '4000',
      BEDROOMS: '4',
      BATHS: '2',
      POWDER_ROOMS: '0',
      NR_ROOMS: '10',
      NR_STORIES: '2.0',
      NR_UNITS: '2',
      YR_BUILT: '1905',
      AIR_CONDITIONING: '1',
      NEIGHBORHOOD: '2420',
      GEO_ALDER: '15',
      OWNER_NAME_1: 'DOE JANE',
      OWNER_NAME_2: '',
      OWNER_NAME_3: '',
      OWNER_MAIL_ADDR: '1 OAK ST',
      OWNER_CITY_STATE: 'MILWAUKEE WI',
      OWNER_ZIP: '53202',
      OWN_OCPD: 'O',
      CONVEY_DATE: '2010-05-01',
      C_A_LAND: '10000',
      C_A_IMPRV: '90000',
      C_A_TOTAL: '100000',
    });
    assert.deepEqual(
      [properties[0].address_line1, properties[0].zip, properties[0].property_type],
      ['100-102 N ELM ST', '53202', 'multi_family'],
    );
    assert.deepEqual([owners[0].owner_occupied, assessments[0].total], [true, 100_000]);
  });
});

describe('New York', () => {
  it('reads the Department’s workbooks: uppercase header, a unit for cooperatives', () => {
    const { properties, property_keys, transactions } = map('new-york-ny/rolling-workbooks', {
      BOROUGH: '1',
      NEIGHBORHOOD: 'CHELSEA',
      'BUILDING CLASS CATEGORY': '10 COOPS - ELEVATOR APARTMENTS',
      BLOCK: '765',
      LOT: '12',
      ADDRESS: '1 WEST 17TH STREET, 4C',
      'APARTMENT NUMBER': '',
      'ZIP CODE': '10011',
      'RESIDENTIAL UNITS': '',
      'COMMERCIAL UNITS': '',
      'TOTAL UNITS': '',
      'LAND SQUARE FEET': '0',
      'GROSS SQUARE FEET': '0',
      'YEAR BUILT': '1962',
      'BUILDING CLASS AT TIME OF SALE': 'D4',
      'SALE PRICE': '0',
      'SALE DATE': '46154',
    });
    assert.deepEqual(
      [
        properties[0].fips,
        properties[0].apn,
        properties[0].unit_key,
        properties[0].address_line1,
        properties[0].extras,
      ],
      [36_061, '1007650012', '4C', '1 WEST 17TH STREET', { cooperative: 1 }],
    );
    assert.deepEqual([transactions[0].arms_length, transactions[0].arms_length_reason], [false, 'price_zero']);
    assert.deepEqual([property_keys[0].kind, property_keys[0].key], ['cooperative-lot', '1007650012']);
    assert.deepEqual([transactions[0].sale_date, properties[0].known_on], ['2026-05-12', '2026-05-12']);
  });
});

describe('Chicago', () => {
  it('assigns a building to each of its parcels and its house numbers to the first', () => {
    const { properties, property_keys } = map('chicago-il/buildings', {
      bldg_id: '7',
      pre_dir1: 'N',
      st_name1: 'ELM',
      st_type1: 'AVE',
      f_add1: '3345',
      t_add1: '3349',
      year_built: '1920',
      stories: '2',
      no_of_unit: '3',
      bldg_sq_fo: '1440.0',
      bldg_condi: 'SOUND',
      bldg_statu: 'ACTIVE',
      shape_area: '900',
      pin10s: '1322314005|1322314006',
    });
    assert.deepEqual(
      properties.map((row) => [row.join_kind, row.join_key, row.property_type]),
      [
        ['pin10', '1322314005', 'multi_family'],
        ['pin10', '1322314006', 'multi_family'],
      ],
    );
    assert.deepEqual(
      [property_keys.length, property_keys[0].key, property_keys[0].number_from, property_keys[0].number_to],
      [1, 'N ELM AVE', 3345, 3349],
    );
  });
  it('joins a violation by street and house number', () => {
    const {
      code_violations: [violation],
    } = map('chicago-il/building-violations', {
      ID: '9',
      'VIOLATION DATE': '10/27/2006',
      'VIOLATION CODE': 'CN1',
      'VIOLATION STATUS': 'COMPLIED',
      'VIOLATION STATUS DATE': '12/15/2006',
      'VIOLATION DESCRIPTION': 'WINDOWS',
      'INSPECTION NUMBER': '3',
      ADDRESS: '3347 N Elm Ave',
    });
    assert.deepEqual(
      [violation.join_key, violation.join_number, violation.status, violation.opened_date, violation.closed_date],
      ['N ELM AVE', 3347, 'closed', '2006-10-27', '2006-12-15'],
    );
  });
  it('reads the county’s sales and characteristics', () => {
    const { transactions } = map('chicago-il/cook-sales', {
      pin: '13223140050000',
      year: '2024',
      sale_date: '2024-03-01',
      sale_price: '410000',
      sale_document_num: 'D1',
      sale_deed_type: 'Warranty',
      sale_seller_name: 'ROE RICHARD',
      sale_buyer_name: 'DOE JANE',
    });
    assert.deepEqual([transactions[0].arms_length, transactions[0].document_number], [true, 'D1']);
    const { properties } = map('chicago-il/cook-characteristics', {
      pin: '13223140050000',
      year: '2024',
      char_yrblt: '1920',
      char_bldg_sf: '1440',
      char_land_sf: '3125',
      char_beds: '3',
      char_rooms: '6',
      char_fbath: '1',
      char_hbath: '1',
    });
    assert.deepEqual([properties[0].creates, properties[0].sqft, properties[0].baths_half], [false, 1440, 1]);
    assert.ok(properties[0].rank > 2023 * 1e8 + 9_000, 'a smaller building from a later year counts');
    const values = {
      pin: '13223140050000',
      tax_year: '2024',
      mailed_land: '5,000',
      mailed_bldg: '20000',
      mailed_tot: '25000',
    };
    const later = {
      certified_land: '5000',
      certified_bldg: '19000',
      certified_tot: '24000',
      board_land: '',
      board_bldg: '',
      board_tot: '',
    };
    const { assessments } = map('chicago-il/cook-assessed-values', { ...values, ...later });
    assert.deepEqual([assessments[0].year, assessments[0].improvements, assessments[0].total], [2024, 19_000, 24_000]);
    const homes = map('chicago-il/cook-addresses', {
      pin: '13223140050000',
      year: '2024',
      prop_address_full: '4521 N Lamon Ave',
      prop_address_city_name: 'Chicago',
      prop_address_zipcode_1: '60630',
    });
    assert.deepEqual([homes.properties[0].address_line1, homes.properties[0].zip], ['4521 N LAMON AVE', '60630']);
    const universe = map('chicago-il/cook-parcel-universe', {
      pin: '13223140050000',
      class: '299',
      nbhd_code: '71',
      lat: '41.9',
      lon: '-87.7',
    });
    assert.deepEqual([universe.properties[0].property_type, universe.property_keys[0].key], ['condo', '1322314005']);
  });
});

describe('nationwide layers', () => {
  it('read a county’s flood layer, with −9999 as no elevation', () => {
    const { areas } = map(
      'us-nfhl/counties',
      {
        DFIRM_ID: '25017C',
        FLD_AR_ID: '986',
        FLD_ZONE: 'AE',
        ZONE_SUBTY: 'FLOODWAY',
        SFHA_TF: 'T',
        STATIC_BFE: '-9999.0',
      },
      { geometry: AREA },
    );
    assert.deepEqual(
      [areas[0].fips, areas[0].id, areas[0].attributes],
      [25_017, '25017C-986', { zone: 'AE', subtype: 'FLOODWAY', sfha: true }],
    );
  });
  it('read the survey from the Bureau’s API', () => {
    const { census_tracts } = map('us-census/acs-api', {
      NAME: 'Tract 1',
      B01003_001E: '4000',
      B19013_001E: '-666666666',
      B19301_001E: '31000',
      B25077_001E: '180000',
      B25003_001E: '1000',
      B25003_002E: '600',
      B25002_001E: '1100',
      B25002_003E: '100',
      B17001_001E: '3900',
      B17001_002E: '390',
      B23025_003E: '2000',
      B23025_005E: '100',
      state: '55',
      county: '079',
      tract: '000101',
      file_year: '2022',
    });
    assert.deepEqual(
      [
        census_tracts[0].fips,
        census_tracts[0].geoid,
        census_tracts[0].median_household_income,
        census_tracts[0].owner_occupied_rate,
      ],
      [55_079, '55079000101', null, 0.6],
    );
  });
  it('read ZIP codes, which lie in no one county', () => {
    const { areas } = map('us-census/zips', { ZCTA5CE20: '02139', GEOID20: '02139' }, { geometry: AREA });
    assert.deepEqual([areas[0].fips, areas[0].kind, areas[0].id, areas[0].vintage], [0, 'zip', '02139', 2020]);
  });
  it('read a tract number with and without its leading zero, and opportunity zones', () => {
    const { census_tracts } = map('us-census/acs-2018-population', { GEOID: '1001020100', totPopE: '1923' });
    assert.deepEqual([census_tracts[0].fips, census_tracts[0].geoid], [1001, '01001020100']);
    const { opportunity_zones } = map('us-opportunity-zones/designated', {
      State: 'Alabama',
      County: 'Autauga',
      'Census Tract Number': '01001020700',
      'Tract Type': 'Low-Income Community',
      'ACS Data Source': '2011-2015',
    });
    assert.deepEqual([opportunity_zones[0].fips, opportunity_zones[0].tract_vintage], [1001, 2010]);
  });
});

describe('Philadelphia', () => {
  it('reads liens, permits and violations from one row with lists in its cells', () => {
    const violations = [
      {
        violation_details_id: '1',
        violation_code: 'A-1',
        violation_code_description: 'NO PERMIT',
        violation_datetime: '/Date(1349913600000)/',
        violation_status: 'Not Complied',
        case_number: '5',
      },
    ];
    const permits = [
      {
        permit_number: '650332',
        permit_type_name: 'MINOR',
        status: 'COMPLETED',
        issued_datetime: '/Date(1446733406000)/',
        updated_datetime: '/Date(1446733406000)/',
      },
    ];
    const mapped = map('philadelphia-pa/tax-liens-2014', {
      'Parcel Number': '11133000',
      Owner: 'DOE JANE',
      Location: '150 Elm St',
      Unit: '',
      'Tax Period': '2014',
      Total: '5514.01',
      'Lien Number': 'L1',
      Coordinates: '(39.9, -75.1)',
      'Violation Summary': JSON.stringify(violations),
      'Permit Summary': JSON.stringify(permits),
    });
    assert.deepEqual(
      [mapped.properties[0].apn, mapped.properties[0].latitude, mapped.tax_liens[0].amount],
      ['011133000', 39.9, 5514],
    );
    assert.deepEqual([mapped.code_violations[0].status, mapped.code_violations[0].opened_date], ['open', '2012-10-11']);
    assert.deepEqual([mapped.permits[0].issue_date, mapped.permits[0].final_date], ['2015-11-05', '2015-11-05']);
    assert.equal(JSON.stringify(mapped).includes('DOE JANE'), false);
  });
});

describe('Lyme', () => {
  it('reads a deed with both parties, and keeps names out of its keys', () => {
    const { transactions, property_keys } = map('lyme-nh/recorded-deeds', {
      GC_ID: '19003841',
      GC_Date: '2019-04-09',
      GC_Type: 'DEED',
      GC_Book: '4425',
      GC_Page: '0984',
      GC_Party1: 'ROE RICHARD',
      GC_Party2: 'DOE JANE, DOE JOHN',
      GC_Consideration: '473000',
      GC_AssocDocs: '4236-0064, 20001466, -',
    });
    assert.deepEqual(
      [transactions[0].join_key, transactions[0].sellers, transactions[0].buyers, transactions[0].known_on],
      ['4425/984', ['ROE RICHARD'], ['DOE JANE', 'DOE JOHN'], '2019-04-09'],
    );
    assert.deepEqual(transactions[0].refers_to, ['4236/64', '20001466']);
    assert.equal(JSON.stringify(property_keys).includes('DOE'), false);
  });
  it('tells map 20 lot 11 from map 201 lot 1', () => {
    const row = {
      SD_PID: '5',
      SD_Owner: '',
      SD_Street_Address: '58 Elm Rd',
      SD_Unit: '',
      SD_Subunit: '',
      SD_Lot_Size: '3.9',
      SD_Land_Use_Code: '1010',
      SD_Description: 'SINGLE FAM MDL01',
      SD_Zoning_District: 'LCD',
      SD_Recent_Sale_Date: '',
    };
    const ids = [
      ['20', '11'],
      ['201', '1'],
    ].map(([SD_Map, SD_Lot]) => map('lyme-nh/parcels', { ...row, SD_Map, SD_Lot }).properties[0].property_id);
    assert.notEqual(ids[0], ids[1]);
  });
});
