// What a county publishes about its homes, as records: the roll with its shapes and assessments, owners and documents,
// bills and liens, permits and violations. June's edition has what is new since May's.
import type { MadeRecord, Target } from '../src/supply/ingest/source.ts';
import type { Estate } from './estate.ts';
import { outlineOfLot } from './land/plots.ts';
import { parcelFields } from './roll.ts';

export type Edition = 'may' | 'june';

/** The days of the editions. */
export const DAYS: Record<Edition, string> = { may: '2026-05-31', june: '2026-06-30' };

type Fields = MadeRecord['fields'];
type Dated = { after: string; to: string };

/** Whether one of the days is in the period. */
const isIn = ({ after, to }: Dated, ...days: (string | null)[]): boolean =>
  days.some((day) => day !== null && day > after && day <= to);

/** The day, if it has come by the end of the period. */
const by = ({ to }: Dated, day: string | null): string | null => (day !== null && day <= to ? day : null);

export function* recordsOf(estates: readonly Estate[], fips: number, edition: Edition): Generator<MadeRecord> {
  for (const [index, estate] of estates.entries()) {
    const { home, listed, correction } = estate;
    if (home.fips !== fips || listed === ABSENT[edition]) continue;
    const property = keyOf(estate);
    const isNew = edition === 'may' || listed === 'from_june';
    const period = { after: isNew ? '' : DAYS.may, to: DAYS[edition] };
    const isCorrected = correction.sqft !== undefined || correction.condition !== undefined;
    if (listed === 'always' && (isNew || isCorrected))
      yield { into: 'properties', property, fields: parcelFields(estate, index, edition) };
    if (isNew) yield { into: 'parcel_shapes', property, fields: { shape: [[outlineOfLot(home)]] } };
    for (const [into, listFields] of LISTS)
      for (const fields of listFields(estate, period)) yield { into, property, fields };
  }
}

/** Parcels that June's edition ends or creates are listed apart: all that there are, so that one that is missing has
    ended. */
export function* replattedIn(estates: readonly Estate[], edition: Edition): Generator<MadeRecord> {
  for (const [index, estate] of estates.entries())
    if (estate.listed !== 'always' && estate.listed !== ABSENT[edition])
      yield { into: 'properties', property: keyOf(estate), fields: parcelFields(estate, index, edition) };
}

const ABSENT: Record<Edition, Estate['listed']> = { may: 'from_june', june: 'until_june' };

export const keyOf = ({ home }: Estate) => ({ fips: home.fips, id: home.id, apn: home.apn, unit: home.unitKey });

const LISTS: [into: Target, (estate: Estate, period: Dated) => Fields[]][] = [
  ['assessments', assessmentFields],
  ['owners', ownerFields],
  ['transactions', documentFields],
  ['taxes', billFields],
  ['tax_liens', lienFields],
  ['permits', permitFields],
  ['code_violations', violationFields],
];

/** What only the survey knows better than the roll. */
export function* surveyed(estates: readonly Estate[]): Generator<MadeRecord> {
  for (const estate of estates) {
    if (!estate.disagreement || estate.listed !== 'always') continue;
    const { field, surveyed: value, surveyedOn } = estate.disagreement;
    yield { into: 'properties', property: keyOf(estate), fields: { [field]: value, known_on: surveyedOn } };
  }
}

/** May's roll has the assessment that June's corrects. */
function assessmentFields({ assessments, correction }: Estate, { after, to }: Dated): Fields[] {
  const { assessedTotal } = correction;
  const rows = assessments.map((one) => ({
    year: one.year,
    land: one.land,
    improvements: one.improvements,
    total: one.total,
    market_total: one.marketTotal,
    known_on: one.knownOn,
  }));
  if (after !== '') return assessedTotal === undefined ? [] : rows.slice(-1);
  const latest = rows.at(-1);
  if (to === DAYS.may && latest && assessedTotal !== undefined)
    Object.assign(latest, { total: assessedTotal, improvements: assessedTotal - latest.land });
  return rows;
}

function ownerFields({ life }: Estate, period: Dated): Fields[] {
  return life.owners
    .filter(({ knownOn }) => isIn(period, knownOn))
    .map((owner) => ({
      names: owner.names,
      type: owner.type,
      owner_occupied: owner.isOccupant,
      mailing_address: owner.mailingAddress,
      owned_since: owner.since,
      known_on: owner.knownOn,
    }));
}

function documentFields({ life }: Estate, period: Dated): Fields[] {
  return life.transactions
    .filter(({ recordedOn }) => isIn(period, recordedOn))
    .map((one) => ({
      id: one.id,
      type: one.type,
      document_type: one.documentType,
      document_number: one.documentNumber,
      book: one.book,
      page: one.page,
      recording_date: one.recordedOn,
      sale_date: one.soldOn,
      date_precision: one.datePrecision,
      price: one.priceUsd,
      arms_length: one.armsLength,
      arms_length_reason: one.armsLengthReason,
      buyers: one.buyers,
      sellers: one.sellers,
      lender: one.lender,
      loan_amount: one.loanUsd,
      refers_to: one.refersTo,
      attributes: one.attributes,
    }));
}

function billFields({ taxes }: Estate, period: Dated): Fields[] {
  return taxes
    .filter(({ knownOn }) => isIn(period, knownOn))
    .map(({ year, amountCents, exemptions, status, knownOn }) => ({
      year,
      amount_cents: amountCents,
      exemptions,
      status,
      known_on: knownOn,
    }));
}

function lienFields({ layers }: Estate, period: Dated): Fields[] {
  return layers.liens
    .filter(({ filedOn, releasedOn }) => isIn(period, filedOn, releasedOn))
    .map((lien) => ({
      id: lien.id,
      type: lien.type,
      amount: lien.amountUsd,
      tax_year: lien.taxYear,
      filing_date: lien.filedOn,
      status: lien.releasedOn && !by(period, lien.releasedOn) ? 'open' : lien.status,
      release_date: by(period, lien.releasedOn),
      document_number: lien.documentNumber,
    }));
}

function permitFields({ layers }: Estate, period: Dated): Fields[] {
  return layers.permits
    .filter(({ issuedOn, finalOn }) => isIn(period, issuedOn, finalOn))
    .map((permit) => ({
      id: permit.id,
      number: permit.number,
      type: permit.type,
      description: permit.description,
      status: permit.finalOn && !by(period, permit.finalOn) ? 'issued' : permit.status,
      issue_date: permit.issuedOn,
      final_date: by(period, permit.finalOn),
      job_value: permit.jobValueUsd,
    }));
}

function violationFields({ layers }: Estate, period: Dated): Fields[] {
  return (layers.violations ?? [])
    .filter(({ openedOn, closedOn }) => isIn(period, openedOn, closedOn))
    .map((one) => ({
      id: one.id,
      case_number: one.caseNumber,
      code_section: one.section,
      description: one.description,
      status: one.closedOn && !by(period, one.closedOn) ? 'open' : one.status,
      opened_date: one.openedOn,
      closed_date: by(period, one.closedOn),
    }));
}
