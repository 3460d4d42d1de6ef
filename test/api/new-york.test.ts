// New York's recipe on invented rows in the City's formats: lots, sales, recorded documents joined from five tables, liens,
// violations and permits, and the title of a house with loans that were assigned and satisfied.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readConfig } from '../../src/base/config.ts';
import { propertyId } from '../../src/base/lib/ids.ts';
import { findSources, ingest } from '../../src/supply/ingest/ingest.ts';
import { readSources } from '../../sources/sources.ts';
import { testClient } from '../harness.ts';

const client = await testClient({ plan: 'enterprise' });
const folder = mkdtempSync(join(tmpdir(), 'platbook-ny-'));

/** A table in which only the named columns of the header say anything. */
function write(name: string, header: string, rows: Record<string, string | number>[]): void {
  const names = header.split(',').map((column) => column.trim());
  for (const row of rows)
    for (const column of Object.keys(row)) assert.ok(names.includes(column), `${name} has no ${column}`);
  const lines = rows.map((row) => names.map((column) => `"${row[column] ?? ''}"`).join(','));
  writeFileSync(join(folder, `${name}.csv`), `${header}\n${lines.join('\n')}\n`);
}

async function load(from: string, ...datasets: string[]) {
  const { sources } = findSources(readSources(), ['new-york-ny']);
  const cacheFolder = mkdtempSync(join(tmpdir(), 'platbook-ny-cache-'));
  const reports = await ingest(
    { data: client.deps.data, clock: client.deps.clock, cacheFolder },
    sources,
    readSources(),
    { from, datasets, accept: { ids: ['few-homes', 'coverage', 'strangers'], by: 'test' } },
  );
  return Object.fromEntries(reports.map((report) => [report.sourceId.split('/')[1], report]));
}

const query = async (text: string, values: unknown[] = []) => (await client.deps.data.query(text, values)).rows;
const HOUSE = propertyId(36_047, '3047040044');
const APARTMENT = propertyId(36_061, '1007650012', '4C');

const MASTER =
  'DOCUMENT ID,RECORD TYPE,CRFN,BOROUGH,DOC. TYPE,DOC. DATE,DOC. AMOUNT,RECORDED / FILED,MODIFIED DATE,REEL YEAR,REEL NBR,REEL PAGE,% TRANSFERRED,GOOD THROUGH DATE';
const LEGALS =
  'DOCUMENT ID,RECORD TYPE,BOROUGH,BLOCK,LOT,EASEMENT,PARTIAL LOT,AIR RIGHTS,SUBTERRANEAN RIGHTS,PROPERTY TYPE,STREET NUMBER,STREET NAME,UNIT,GOOD THROUGH DATE';
const PARTIES = 'DOCUMENT ID,RECORD TYPE,PARTY TYPE,NAME,ADDRESS 1,ADDRESS 2,COUNTRY,CITY,STATE,ZIP,GOOD THROUGH DATE';
const REFERENCES =
  'DOCUMENT ID,RECORD TYPE,REFERENCE BY CRFN ,REFERENCE BY DOC ID,REFERENCE BY REEL YEAR,REFERENCE BY REEL BOROUGH,REFERENCE BY REEL NBR,REFERENCE BY REEL PAGE,Not_Used_1,Not_Used_2,GOOD THROUGH DATE';
const REMARKS = 'DOCUMENT ID,RECORD TYPE,REMARK LINE NBR,REMARK TEXT LINE,GOOD THROUGH DATE';

interface Document {
  id: string;
  type: string;
  recorded: string;
  dated?: string;
  crfn?: string;
  reel?: [number, number];
  amount?: number;
  parties: [string, string];
  /** What it names: a file number, a document, or reel and page. */
  to?: { crfn?: string; id?: string; reel?: [number, number] };
  lot?: Record<string, string | number>;
}

const DOCUMENTS: Document[] = [
  {
    id: 'FT_3990000000101',
    type: 'DEED',
    recorded: '05/02/1990',
    reel: [2512, 100],
    amount: 120_000,
    parties: ['ORCHARD HOLDING CORP', 'FERN SAMPLE'],
  },
  {
    id: 'FT_3990000000102',
    type: 'MTGE',
    recorded: '05/02/1990',
    reel: [2512, 104],
    amount: 90_000,
    parties: ['FERN SAMPLE', 'FIRST INVENTED BANK'],
  },
  {
    id: '2003060200123001',
    type: 'ASST',
    recorded: '06/09/2003',
    crfn: '2003000190001',
    parties: ['FIRST INVENTED BANK', 'SECOND INVENTED BANK'],
    to: { reel: [2512, 104] },
  },
  {
    id: '2005010300456001',
    type: 'SAT',
    recorded: '01/10/2005',
    crfn: '2005000010002',
    parties: ['FERN SAMPLE', 'SECOND INVENTED BANK'],
    to: { crfn: '2003000190001' },
  },
  {
    id: '2005010300456002',
    type: 'DEED',
    recorded: '01/10/2005',
    dated: '12/20/2004',
    crfn: '2005000010003',
    amount: 410_000,
    parties: ['FERN SAMPLE', 'HAZEL EXAMPLE'],
  },
  {
    id: '2005010300456003',
    type: 'MTGE',
    recorded: '01/10/2005',
    dated: '12/20/2004',
    crfn: '2005000010004',
    amount: 300_000,
    parties: ['HAZEL EXAMPLE', 'THIRD INVENTED BANK'],
  },
  {
    id: '2013041100264005',
    type: 'ASST',
    recorded: '04/18/2013',
    crfn: '2013000150005',
    parties: ['THIRD INVENTED BANK', 'FOURTH INVENTED BANK'],
    to: { id: '2005010300456003' },
  },
  {
    id: '2013041100264006',
    type: 'AGMT',
    recorded: '04/18/2013',
    dated: '04/11/2913',
    crfn: '2013000150006',
    amount: 320_000,
    parties: ['HAZEL EXAMPLE', 'FOURTH INVENTED BANK'],
    to: { crfn: '2005000010004' },
  },
  {
    id: '2019070100789001',
    type: 'SAT',
    recorded: '07/08/2019',
    crfn: '2019000210007',
    parties: ['HAZEL EXAMPLE', 'FOURTH INVENTED BANK'],
    to: { crfn: '2005000010004' },
  },
  {
    id: '2021030100111001',
    type: 'RPTT&RET',
    recorded: '03/15/2021',
    dated: '03/01/2021',
    crfn: '2021000090008',
    amount: 655_000,
    parties: ['JUNIPER SAMPLE', 'LAUREL EXAMPLE'],
    lot: {
      BOROUGH: 1,
      BLOCK: 765,
      LOT: 12,
      'PROPERTY TYPE': 'SP',
      'STREET NUMBER': '1',
      'STREET NAME': 'WEST   17TH STREET',
      UNIT: '4C',
    },
  },
];

function writeFiles(): void {
  const lot = {
    BOROUGH: 3,
    BLOCK: 4704,
    LOT: 44,
    'PROPERTY TYPE': 'D1',
    'STREET NUMBER': '5603',
    'STREET NAME': 'SNYDER AVENUE',
  };
  const till = { 'GOOD THROUGH DATE': '09/30/2026' };
  write(
    'acris_real_property_legals',
    LEGALS,
    DOCUMENTS.map((one) => ({ 'DOCUMENT ID': one.id, 'RECORD TYPE': 'L', ...(one.lot ?? lot), ...till })),
  );
  write(
    'acris_real_property_master',
    MASTER,
    DOCUMENTS.map(({ id, type, crfn = '', recorded, dated = '', amount = 0, reel = [0, 0] }) => ({
      'DOCUMENT ID': id,
      'RECORD TYPE': 'A',
      CRFN: crfn,
      'DOC. TYPE': type,
      'DOC. DATE': dated,
      'DOC. AMOUNT': amount,
      'RECORDED / FILED': recorded,
      'REEL NBR': reel[0],
      'REEL PAGE': reel[1],
      ...till,
    })),
  );
  write(
    'acris_real_property_parties',
    PARTIES,
    DOCUMENTS.flatMap(({ id, parties }) =>
      parties.map((name, i) => ({ 'DOCUMENT ID': id, 'RECORD TYPE': 'P', 'PARTY TYPE': i + 1, NAME: name, ...till })),
    ),
  );
  write(
    'acris_real_property_references',
    REFERENCES,
    DOCUMENTS.flatMap(({ id, to }) =>
      to
        ? [
            {
              'DOCUMENT ID': id,
              'RECORD TYPE': 'X',
              'REFERENCE BY CRFN': to.crfn ?? '',
              'REFERENCE BY DOC ID': to.id ?? '',
              'REFERENCE BY REEL NBR': to.reel?.[0] ?? 0,
              'REFERENCE BY REEL PAGE': to.reel?.[1] ?? 0,
              ...till,
            },
          ]
        : [],
    ),
  );
  write('acris_real_property_remarks', REMARKS, [
    {
      'DOCUMENT ID': '2013041100264006',
      'RECORD TYPE': 'R',
      'REMARK LINE NBR': 1,
      'REMARK TEXT LINE': 'Consolidation, Extension & Modification',
    },
  ]);
  const building = {
    cd: 1,
    zonedist1: 'R4B',
    landuse: '01',
    lotarea: '2,000',
    unitsres: 1,
    unitstotal: 1,
    version: '26v1',
    assessland: 10_080,
    assesstot: 67_200,
  };
  write(
    'pluto',
    'borough,Tax block,Tax lot,cd,postcode,address,zonedist1,bldgclass,landuse,ownername,lotarea,bldgarea,numfloors,unitsres,unitstotal,assessland,assesstot,yearbuilt,BBL,version,latitude,longitude',
    [
      {
        borough: 'BK',
        'Tax block': 4704,
        'Tax lot': 44,
        postcode: 11_203,
        address: '5603 SNYDER AVENUE',
        bldgclass: 'A5',
        ownername: 'HAZEL EXAMPLE',
        bldgarea: 1296,
        numfloors: '2',
        yearbuilt: 1950,
        latitude: '40.650483',
        longitude: '-73.924317',
        ...building,
      },
      {
        borough: 'MN',
        'Tax block': 765,
        'Tax lot': 12,
        postcode: 10_011,
        address: '1 WEST 17 STREET',
        bldgclass: 'D4',
        ownername: '1 WEST 17 OWNERS CORP',
        bldgarea: 64_000,
        numfloors: '9',
        yearbuilt: 1962,
        latitude: '40.738100',
        longitude: '-73.993200',
        ...building,
      },
    ],
  );
  write(
    'dof_tax_lien_sale_list',
    'Month,Cycle,Borough,Block ,Lot,Tax Class Code,Building Class,Community Board,Council District,House Number,Street Name,Zip Code,Water Debt Only',
    [{ Month: '04/2019', Cycle: '90 Day Notice', Borough: 3, Block: 4704, Lot: 44, 'Water Debt Only': 'NO' }],
  );
  write(
    'hpd_violations',
    'ViolationID,BoroID,Block,Lot,Class,InspectionDate,OrderNumber,NOVDescription,CurrentStatus,CurrentStatusDate,ViolationStatus',
    [
      {
        ViolationID: 10_000_001,
        BoroID: 3,
        Block: 4704,
        Lot: 44,
        Class: 'B',
        InspectionDate: '10/08/2013',
        OrderNumber: 502,
        NOVDescription: 'REPAIR THE BROKEN TILES',
        CurrentStatusDate: '02/03/2014',
        ViolationStatus: 'Close',
      },
      {
        ViolationID: 10_000_002,
        BoroID: 3,
        Block: 4704,
        Lot: 44,
        Class: 'C',
        InspectionDate: '10/08/2023',
        OrderNumber: 686,
        NOVDescription: 'PROVIDE LIGHTING',
        CurrentStatusDate: '10/11/2023',
        ViolationStatus: 'Open',
      },
    ],
  );
  write(
    'dob_violations',
    'ISN_DOB_BIS_VIOL,BORO,BIN,BLOCK,LOT,ISSUE_DATE,DISPOSITION_DATE,DESCRIPTION,NUMBER,VIOLATION_CATEGORY,VIOLATION_TYPE',
    [
      {
        ISN_DOB_BIS_VIOL: 544_483,
        BORO: 3,
        BLOCK: '04704',
        LOT: '00044',
        ISSUE_DATE: '19980504',
        DISPOSITION_DATE: '20040716',
        NUMBER: 'V*050498LL6291',
        VIOLATION_CATEGORY: 'V*-DOB VIOLATION - DISMISSED',
        VIOLATION_TYPE: 'LL6291-BOILERS',
      },
    ],
  );
  write(
    'dobjobs',
    "Job #,Doc #,Borough,Block,Lot,Job Type,Job Status Descrp,Fully Permitted,SIGNOFF_DATE,Initial Cost,Applicant's First Name,Applicant's Last Name,Owner's First Name,Owner's Last Name,Owner's Business Name,Job Description",
    [
      {
        'Job #': 440_673_852,
        'Doc #': '01',
        Borough: 'BROOKLYN',
        Block: '04704',
        Lot: '00044',
        'Job Type': 'A2',
        'Job Status Descrp': 'SIGNED OFF',
        'Fully Permitted': '05/07/2021',
        SIGNOFF_DATE: '02/23/2022',
        'Initial Cost': '$37300.00',
        'Job Description': 'SOLAR PANELS',
      },
      {
        'Job #': 440_673_852,
        'Doc #': '02',
        Borough: 'BROOKLYN',
        Block: '04704',
        Lot: '00044',
        'Job Type': 'A2',
        'Fully Permitted': '05/07/2021',
        'Initial Cost': '$37300.00',
      },
      {
        'Job #': 440_673_900,
        'Doc #': '01',
        Borough: 'BROOKLYN',
        Block: '04704',
        Lot: '00044',
        'Job Type': 'DM',
        'Fully Permitted': '',
      },
    ],
  );
  write(
    'dob_now_jobs',
    'Job Filing Number,Filing Status,Borough,Block,LOT,Initial Cost,First Permit Date,Job Type,Signoff Date,Job Description',
    [
      {
        'Job Filing Number': 'B00472129-P1',
        'Filing Status': 'Permit Entire',
        Borough: 'BROOKLYN',
        Block: 4704,
        LOT: 44,
        'Initial Cost': 5000,
        'First Permit Date': '12/21/2022 12:00:00 AM',
        'Job Type': 'Alteration',
        'Job Description': 'PLUMBING',
      },
    ],
  );
}

describe('New York, from its own tables', () => {
  it('joins what is recorded with the lot it is about, and places apartments where their building stands', async () => {
    writeFiles();
    const reports = await load(
      folder,
      'pluto',
      'documents',
      'cooperatives',
      'tax-lien-sales',
      'hpd-violations',
      'dob-violations',
      'dob-jobs',
      'dob-now-jobs',
    );
    const { documents } = reports;
    assert.deepEqual(
      [documents.rowsRead, documents.rowsQuarantined, documents.targets.transactions?.inserted],
      [10, 0, 10],
    );
    for (const [name, report] of Object.entries(reports))
      if (name !== 'cooperatives')
        assert.equal(report.rowsQuarantined, 0, `${name} ${JSON.stringify(report.quarantinedByReason)}`);
    const [house] = await query('select * from properties where id = $1', [HOUSE]);
    assert.deepEqual(
      [
        house.address_line1,
        house.zip,
        house.property_type,
        house.sqft,
        house.lot_sqft,
        house.year_built,
        house.stories,
        house.latitude,
        house.assessed_value,
        house.assessed_year,
        house.open_violations,
        house.permit_count,
      ],
      ['5603 SNYDER AVENUE', '11203', 'single_family', 1296, 2000, 1950, 2, 40.650_483, 67_200, 2026, 1, 2],
    );
    const [apartment] = await query('select * from properties where id = $1', [APARTMENT]);
    assert.deepEqual(
      [
        apartment.address_line1,
        apartment.address_unit,
        apartment.year_built,
        apartment.longitude,
        apartment.last_sale_price,
      ],
      ['1 WEST 17TH STREET', '4C', 1962, -73.9932, 655_000],
    );
    const [slip] = await query(
      `select document_type, sale_date from transactions where document_number = '2013000150006'`,
    );
    assert.deepEqual(slip, { document_type: 'CONSOLIDATION OF MORTGAGES', sale_date: null });
    const covered = await query(
      `select fips from coverage where market = 'new-york-ny' and layer = 'mortgages' order by fips`,
    );
    assert.deepEqual(
      covered.map(({ fips }) => fips),
      [36_005, 36_047, 36_061, 36_081],
    );
  });

  it('GET /properties/:id/title has each loan with its assignment and satisfaction, by the document they name', async () => {
    client.deps.catalog.forget();
    const { status, body } = await client.get(`/properties/${HOUSE}/title`, { key: client.liveKey });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(
      body.chain.map(({ connection, recorded_on, sold_on }: any) => [recorded_on, sold_on, connection]),
      [
        ['2005-01-10', '2004-12-20', 'matched'],
        ['1990-05-02', null, 'first'],
      ],
    );
    assert.deepEqual(
      body.mortgages.map((one: any) => [
        one.recorded_on,
        one.amount,
        one.status,
        one.holder,
        one.assignments.length,
        one.releases.map(({ matched_by }: any) => matched_by[0]),
      ]),
      [
        ['2005-01-10', 300_000, 'released', 'FOURTH INVENTED BANK', 1, ['reference']],
        ['1990-05-02', 90_000, 'released', 'SECOND INVENTED BANK', 1, ['reference']],
      ],
    );
    assert.deepEqual(
      body.mortgages.map((one: any) => one.assignments[0].matched_by[0]),
      ['reference', 'reference'],
    );
    assert.deepEqual([body.unmatched, body.open.mortgages], [[], 0]);
  });
});

const textOf = (name: string) => gunzipSync(readFileSync(join(samples, `${name}.csv.gz`))).toString();
const samples = join(readConfig({ PLATBOOK_DATA: process.env.PLATBOOK_DATA }).recordsFolder, 'nyc/samples');

describe('the City’s own rows', { skip: existsSync(samples) ? false : `no public records in ${samples}` }, () => {
  it('are all read, and what is set aside has no lot among them', async () => {
    const real = mkdtempSync(join(tmpdir(), 'platbook-ny-real-'));
    mkdirSync(real, { recursive: true });
    const names = [
      'acris_real_property_legals',
      'acris_real_property_master',
      'acris_real_property_parties',
      'acris_real_property_references',
      'acris_real_property_remarks',
      'dof_tax_lien_sale_list',
      'hpd_violations',
      'dob_violations',
    ];
    const documents = [...textOf('acris_real_property_legals').matchAll(/^(\w+),L,/gm)].map(([, id]) => id);
    for (const name of names) {
      // The samples are of different documents: each row is given to one of the lots.
      let at = 0;
      const text = textOf(name).replace(/^\w+(?=,[APX],)/gm, () => documents[at++]);
      writeFileSync(join(real, `${name}.csv`), text);
    }
    const reports = await load(real, 'documents', 'tax-lien-sales', 'hpd-violations', 'dob-violations');
    for (const [name, { rowsRead, quarantinedByReason }] of Object.entries(reports)) {
      assert.equal(rowsRead, 100, name);
      // The samples are of different documents, so most have a lot and nothing else.
      assert.deepEqual(
        Object.keys(quarantinedByReason).filter((reason) => !['parcel_unknown', 'no_date'].includes(reason)),
        [],
        name,
      );
    }
  });
});
