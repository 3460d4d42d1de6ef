// The facts of every property as rows: owners, assessments, taxes, documents, flood stamps, liens, permits, violations.
import type { CopyValue } from '../../../../base/db/copy.ts';
import { MARKET } from '../../geography.ts';
import type { Estate } from '../estate.ts';
import { FIRST_LOAD, loadDayOf, loadedAt, type FindLoad, type SourceId } from '../sources.ts';

export type TableRows = { table: string; columns: string[]; rows: Iterable<CopyValue[]> };
export type Origin = [source: string, loadId: number, loadedAt: string];

/** Source, load and load time: the last three columns of every fact. */
export function originBy(findLoad: FindLoad): (source: SourceId, knownOn: string) => Origin {
  const first = new Map<SourceId, Origin>();
  return (source, knownOn) => {
    if (knownOn > FIRST_LOAD) return [source, findLoad(source, loadDayOf(knownOn)), loadedAt(loadDayOf(knownOn))];
    let found = first.get(source);
    if (!found) first.set(source, (found = [source, findLoad(source, FIRST_LOAD), loadedAt(FIRST_LOAD)]));
    return found;
  };
}

type RowsOf = (estate: Estate) => Iterable<CopyValue[]>;

export function recordRows(estates: readonly Estate[], findLoad: FindLoad): TableRows[] {
  const origin = originBy(findLoad);
  const each = (table: string, columns: string, rowsOf: RowsOf) => tableOf(estates, table, columns, rowsOf);
  return [
    each(
      'owners',
      'fips property_id known_on names type owner_occupied mailing_address owned_since ended_on source_id load_id loaded_at',
      ({ home, life }) =>
        [...new Map(life.owners.map((owner) => [owner.knownOn, owner])).values()].map((owner) => [
          home.fips,
          home.id,
          owner.knownOn,
          owner.names,
          owner.type,
          owner.isOccupant,
          owner.mailingAddress,
          owner.since,
          owner.endedOn,
          ...origin('sandbox_recorder', owner.knownOn),
        ]),
    ),
    each(
      'assessments',
      'fips property_id year land improvements total market_total known_on source_id load_id loaded_at',
      ({ home, assessments }) =>
        assessments.map((one) => [
          home.fips,
          home.id,
          one.year,
          one.land,
          one.improvements,
          one.total,
          one.marketTotal,
          one.knownOn,
          ...origin('sandbox_assessor', one.knownOn),
        ]),
    ),
    each(
      'taxes',
      'fips property_id year amount_cents exemptions status known_on source_id load_id loaded_at',
      ({ home, taxes }) =>
        taxes.map((tax) => [
          home.fips,
          home.id,
          tax.year,
          tax.amountCents,
          tax.exemptions,
          tax.status,
          tax.knownOn,
          ...origin('sandbox_treasurer', tax.knownOn),
        ]),
    ),
    each(
      'transactions',
      `fips property_id id market type document_type document_number book page recording_date sale_date date_precision price arms_length
      arms_length_reason buyers sellers lender loan_amount refers_to attributes known_on source_id load_id loaded_at`,
      ({ home, life }) =>
        life.transactions.map((one) => [
          home.fips,
          home.id,
          one.id,
          MARKET,
          one.type,
          one.documentType,
          one.documentNumber,
          one.book,
          one.page,
          one.recordedOn,
          one.soldOn,
          one.datePrecision,
          one.priceUsd,
          one.armsLength,
          one.armsLengthReason,
          one.buyers,
          one.sellers,
          one.lender,
          one.loanUsd,
          one.refersTo,
          one.attributes,
          one.recordedOn,
          ...origin('sandbox_recorder', one.recordedOn),
        ]),
    ),
  ];
}

export function layerRows(estates: readonly Estate[], findLoad: FindLoad): TableRows[] {
  const origin = originBy(findLoad);
  const each = (table: string, columns: string, rowsOf: RowsOf) => tableOf(estates, table, columns, rowsOf);
  return [
    each(
      'flood_stamps',
      'fips property_id zone zone_subtype sfha base_flood_elevation_ft firm_panel effective_date zones source_id load_id loaded_at',
      ({ home, layers: { flood } }) => [
        [
          home.fips,
          home.id,
          flood.zone,
          flood.subtype,
          flood.sfha,
          flood.bfeFt,
          flood.panel,
          flood.effectiveOn,
          flood.zones,
          ...origin('sandbox_flood', FIRST_LOAD),
        ],
      ],
    ),
    each(
      'tax_liens',
      'fips property_id id type amount tax_year filing_date status release_date document_number known_on source_id load_id loaded_at',
      ({ home, layers }) =>
        layers.liens.map((lien) => [
          home.fips,
          home.id,
          lien.id,
          lien.type,
          lien.amountUsd,
          lien.taxYear,
          lien.filedOn,
          lien.status,
          lien.releasedOn,
          lien.documentNumber,
          lien.filedOn,
          ...origin('sandbox_treasurer', lien.releasedOn ?? lien.filedOn),
        ]),
    ),
    each(
      'permits',
      'fips property_id id number type description status issue_date final_date job_value known_on source_id load_id loaded_at',
      ({ home, layers }) =>
        layers.permits.map((permit) => [
          home.fips,
          home.id,
          permit.id,
          permit.number,
          permit.type,
          permit.description,
          permit.status,
          permit.issuedOn,
          permit.finalOn,
          permit.jobValueUsd,
          permit.issuedOn,
          ...origin('sandbox_permits', permit.finalOn ?? permit.issuedOn),
        ]),
    ),
    each(
      'code_violations',
      'fips property_id id case_number code_section description status opened_date closed_date known_on source_id load_id loaded_at',
      ({ home, layers }) =>
        (layers.violations ?? []).map((one) => [
          home.fips,
          home.id,
          one.id,
          one.caseNumber,
          one.section,
          one.description,
          one.status,
          one.openedOn,
          one.closedOn,
          one.openedOn,
          ...origin('sandbox_code', one.closedOn ?? one.openedOn),
        ]),
    ),
  ];
}

function tableOf(estates: readonly Estate[], table: string, columns: string, rowsOf: RowsOf): TableRows {
  return { table, columns: columns.split(/\s+/), rows: flatten(estates, rowsOf) };
}

function* flatten(estates: readonly Estate[], rowsOf: RowsOf): Iterable<CopyValue[]> {
  for (const estate of estates) yield* rowsOf(estate);
}
