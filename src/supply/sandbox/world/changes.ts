// What the weekly loads in June changed: events that follow from that month's facts, and a few corrections to the roll.
import { MAGIC_APN, sandboxId } from '../fixtures.ts';
import { WENDEMERE } from '../geography.ts';
import { CONDITIONS } from './homes.ts';
import type { Change, Estate, Lineage } from './estate.ts';
import { randomFor } from './random.ts';
import { FIRST_LOAD, loadDayOf, LOAD_DAYS, type SourceId } from './sources.ts';

const CORRECTED_SHARE = 0.006;
const REASSESSED_SHARE = 0.004;
const REMAPPED_SHARE = 0.036;

export function changesOf(estate: Estate, lineage: readonly Lineage[]): Change[] {
  const { home } = estate;
  const changes: Change[] = [
    created(estate, bornOn(estate, lineage)),
    ...sales(estate),
    ...paperwork(estate),
    ...corrections(estate),
  ];
  const successors = lineage.filter((link) => link.propertyId === home.id);
  if (successors.length > 0) {
    const after = { status: 'retired', successors: successors.map(({ successorId }) => successorId) };
    changes.push(
      change('property.superseded', {
        op: 'retire',
        source: 'sandbox_assessor',
        knownOn: successors[0].happenedOn,
        before: { status: 'active' },
        after,
      }),
    );
  }
  return changes.sort((a, b) => (a.loadDay < b.loadDay ? -1 : a.loadDay > b.loadDay ? 1 : 0));
}

interface ChangeFacts {
  op?: Change['op'];
  source: SourceId;
  knownOn: string;
  before: Change['before'];
  after: Change['after'];
}

function change(kind: string, { op = 'update', source, knownOn, before, after }: ChangeFacts): Change {
  return { kind, op, fields: Object.keys(after ?? {}), before, after, source, loadDay: loadDayOf(knownOn) };
}

/** Parcels created by a split arrived with the split; all others with the first load. */
function bornOn({ home }: Estate, lineage: readonly Lineage[]): string {
  return lineage.find(({ successorId, kind }) => successorId === home.id && kind === 'split')?.happenedOn ?? FIRST_LOAD;
}

function created({ home }: Estate, knownOn: string): Change {
  const after = {
    address_line1: home.line1,
    address_unit: home.unit,
    city: home.district.city,
    zip: home.district.zip,
    property_type: home.type,
  };
  return {
    ...change('property.created', { op: 'insert', source: 'sandbox_assessor', knownOn, before: null, after }),
    fields: [],
  };
}

function sales({ life }: Estate): Change[] {
  return life.transactions.flatMap((deed, index) => {
    if (deed.type !== 'deed' || deed.recordedOn <= FIRST_LOAD) return [];
    const owner = life.owners.findIndex(({ since, knownOn }) => since === deed.soldOn && knownOn === deed.recordedOn);
    const earlier = life.transactions.slice(0, index).findLast(({ armsLength }) => armsLength);
    const found: Change[] = [];
    if (deed.armsLength) {
      const before = { last_sale_date: earlier?.soldOn ?? null, last_sale_price: earlier?.priceUsd ?? null };
      found.push(
        change('property.sale_recorded', {
          source: 'sandbox_recorder',
          knownOn: deed.recordedOn,
          before,
          after: {
            last_sale_date: deed.soldOn,
            last_sale_price: deed.priceUsd,
          },
        }),
      );
    }
    if (owner > 0) {
      const [from, to] = [life.owners[owner - 1], life.owners[owner]];
      found.push(
        change('property.owner_changed', {
          source: 'sandbox_recorder',
          knownOn: deed.recordedOn,
          before: { owner_type: from.type, owner_occupied: from.isOccupant },
          after: { owner_type: to.type, owner_occupied: to.isOccupant },
        }),
      );
    }
    return found;
  });
}

function paperwork({ layers }: Estate): Change[] {
  const { permits, liens, violations } = layers;
  const isNew = (date: string | null): date is string => date !== null && date > FIRST_LOAD;
  const found: Change[] = [];
  permits.forEach((permit, index) => {
    if (isNew(permit.issuedOn))
      found.push(
        change('property.permit_issued', {
          source: 'sandbox_permits',
          knownOn: permit.issuedOn,
          before: { permit_count: index, last_permit_date: permits[index - 1]?.issuedOn ?? null },
          after: { permit_count: index + 1, last_permit_date: permit.issuedOn },
        }),
      );
  });
  const openLiens = liens.filter(({ status }) => status === 'open').length;
  for (const lien of liens) {
    if (isNew(lien.filedOn))
      found.push(
        change('property.tax_lien_recorded', {
          source: 'sandbox_treasurer',
          knownOn: lien.filedOn,
          before: { open_tax_liens: openLiens - 1 },
          after: { open_tax_liens: openLiens },
        }),
      );
    else if (isNew(lien.releasedOn))
      found.push(
        change('property.tax_lien_released', {
          source: 'sandbox_treasurer',
          knownOn: lien.releasedOn,
          before: { open_tax_liens: openLiens + 1 },
          after: { open_tax_liens: openLiens },
        }),
      );
  }
  const openCases = violations?.filter(({ status }) => status === 'open').length ?? 0;
  for (const violation of violations ?? []) {
    if (isNew(violation.closedOn))
      found.push(
        change('property.violation_closed', {
          source: 'sandbox_code',
          knownOn: violation.closedOn,
          before: { open_violations: openCases + 1 },
          after: { open_violations: openCases },
        }),
      );
    else if (isNew(violation.openedOn))
      found.push(
        change('property.violation_opened', {
          source: 'sandbox_code',
          knownOn: violation.openedOn,
          before: { open_violations: openCases - 1 },
          after: { open_violations: openCases },
        }),
      );
  }
  return found;
}

function corrections(estate: Estate): Change[] {
  const { home, assessments, layers } = estate;
  const random = randomFor('corrections', home.id);
  const knownOn = random.pick(LOAD_DAYS.slice(1));
  const found: Change[] = [];
  const isDemo = home.id === sandboxId(WENDEMERE, MAGIC_APN.demo);
  if (home.sqft !== null && random.chance(CORRECTED_SHARE))
    found.push(
      change('property.updated', {
        source: 'sandbox_assessor',
        knownOn,
        before: { sqft: home.sqft - 10 * random.whole(2, 18) },
        after: { sqft: home.sqft },
      }),
    );
  else if ((home.condition ?? 0) > 0 && (isDemo || random.chance(CORRECTED_SHARE)))
    found.push(
      change('property.updated', {
        source: 'sandbox_assessor',
        knownOn,
        before: { condition: CONDITIONS[home.condition! - 1] },
        after: { condition: CONDITIONS[home.condition!] },
      }),
    );
  const latest = assessments.at(-1);
  if (latest && random.chance(REASSESSED_SHARE))
    found.push(
      change('property.assessment_updated', {
        source: 'sandbox_assessor',
        knownOn,
        before: { assessed_value: Math.round((latest.total * 1.06) / 10) * 10 },
        after: { assessed_value: latest.total },
      }),
    );
  if (layers.flood.zone === 'X' && layers.flood.subtype?.startsWith('0.2') && random.chance(REMAPPED_SHARE))
    found.push(
      change('property.flood_zone_changed', {
        source: 'sandbox_flood',
        knownOn,
        before: { flood_zone: 'AE', flood_sfha: true },
        after: { flood_zone: 'X', flood_sfha: false },
      }),
    );
  return found;
}
