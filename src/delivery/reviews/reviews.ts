// Appraisal review: an appraisal's value and comparables against the records and our own value for its date, stored
// unchanged.
import { rounded } from '../../base/lib/figures.ts';
import { recordAct, type Actor } from '../../customers/accounts/accounts.ts';
import { findBranding } from '../../customers/accounts/sql.ts';
import { getOwn, type Owner } from '../../customers/accounts/own-sql.ts';
import { SANDBOX_RETENTION } from '../../customers/accounts/plans.ts';
import { forgetOldDocuments } from '../../customers/accounts/retention-sql.ts';
import { inTransaction } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { randomId } from '../../base/lib/ids.ts';
import { pick } from '../../base/lib/pick.ts';
import { packJson, unpackJson } from '../../base/lib/packed-json.ts';
import { locate } from '../../records/address/locate.ts';
import { presentAddress } from '../../records/properties/record.ts';
import type { Valuation } from '../../insight/valuations/schema.ts';
import { estimate } from '../../insight/valuations/valuations.ts';
import { readMarketFigures } from '../reports/market.ts';
import { checkComparable, differencesOf } from './comparable.ts';
import { listQuestions } from './questions.ts';
import type { Review, ReviewRequest } from './schema.ts';
import * as sql from './sql.ts';

const NOTICE =
  'Compares an appraisal with public records and an automated valuation. It accepts and refuses nothing: it lists what was found and what to ask.';
/** The largest grid contains more of the appraiser's sales, and more rates to compare with. */
const GRID_SIZE = 25;

export interface ReviewAsker extends Owner {
  by: Actor;
  /** From the idempotency key: the review id is derived from it, so a retry after a crash finds the existing review. */
  claimId?: string;
}

export async function createReview(
  deps: Deps,
  asker: ReviewAsker,
  request: ReviewRequest,
  unsold: string[],
): Promise<Review> {
  const { mode } = asker;
  const { appraisal, match } = request;
  const { sqft: _s, lot_sqft: _l, bedrooms: _b, bathrooms: _t, year_built: _y, ...locators } = request.property;
  const { row: subject } = await locate(deps, mode, locators, { match, at: '/property' });
  const asOf = appraisal.effective_date;
  const { result } = await estimate(
    deps,
    { mode, accountId: asker.account_id },
    {
      property: { id: subject.id },
      options: { as_of: asOf, include: ['comparables'], comparables: { count: GRID_SIZE } },
    },
  );
  const valuation = result as Valuation;
  const grid = valuation.comparables ?? [];
  const { index, change_1y: change } = await readMarketFigures(deps, mode, subject, asOf);
  const context = { mode, match, subject, effectiveDate: asOf, grid, index };
  const comparables: Review['comparables'] = [];
  for (const [at, stated] of appraisal.comparables.entries())
    comparables.push(await checkComparable(deps, context, stated, at + 1));
  const known = {
    object: 'review' as const,
    id: asker.claimId === undefined ? randomId('rev') : asker.claimId.replace('claim', 'rev'),
    mode,
    created_at: deps.clock().toISOString(),
    reference: request.reference ?? null,
    property_id: subject.id,
    address: presentAddress(subject).formatted,
    appraised_value: appraisal.value,
    effective_date: asOf,
    subject_differences: differencesOf(request.property, subject),
    value: positionOf(appraisal.value, valuation),
    comparables,
    passed_over: passedOver(grid, comparables),
    ...(valuation.comparables_basis && { comparables_basis: valuation.comparables_basis }),
    market:
      index && change
        ? { area: index.area.name ?? index.area.id, from: change.from, to: change.to, change: change.change }
        : null,
    notice: NOTICE,
  };
  const stated = appraisal.comparables.map(({ adjusted_price }) => adjusted_price);
  const review: Review = { ...known, questions: listQuestions(known, stated, unsold) };
  return store(deps, asker, review);
}

function positionOf(appraised: number, valuation: Valuation): Review['value'] {
  const { estimated_value, confidence_interval: interval, fsd } = valuation;
  const ratio = appraised / Math.max(1, estimated_value);
  return {
    valuation_id: valuation.id,
    model_version: valuation.model_version,
    estimated_value,
    ...pick(interval, ['low', 'high', 'level']),
    confidence: valuation.confidence,
    ratio: rounded(ratio),
    position: appraised < interval.low ? 'below' : appraised > interval.high ? 'above' : 'inside',
    standard_deviations: rounded(Math.log(ratio) / Math.max(fsd, 1e-6), 2),
  };
}

/** Sales that meet the rules and are more similar than the least similar used one; the best five if none is used. */
function passedOver(grid: Review['passed_over'], comparables: Review['comparables']): Review['passed_over'] {
  const used = new Set(comparables.map(({ property_id }) => property_id));
  const least = Math.min(
    ...grid.filter(({ property_id }) => used.has(property_id)).map(({ similarity }) => similarity),
  );
  const isBetter = ({ similarity }: { similarity: number }) => least === Infinity || similarity > least;
  return grid
    .filter((sale) => !used.has(sale.property_id) && sale.exceeds.length === 0 && isBetter(sale))
    .toSorted((a, b) => b.similarity - a.similarity)
    .slice(0, 5);
}

async function store(deps: Pick<Deps, 'control' | 'clock'>, asker: ReviewAsker, review: Review): Promise<Review> {
  const row: sql.ReviewRow = {
    id: review.id,
    account_id: asker.account_id,
    mode: asker.mode,
    property_id: review.property_id,
    reference: review.reference,
    document: await packJson(review),
    created_at: new Date(review.created_at),
  };
  const isNew = await inTransaction(deps.control, async (client) => {
    if (!(await sql.insertReview(client, row))) return false;
    await recordAct(deps, client, asker.by, 'review.created', row, { mode: row.mode, property_id: row.property_id });
    return true;
  });
  return isNew ? review : getReview(deps, asker, review.id);
}

export async function getReview({ control }: Pick<Deps, 'control'>, owner: Owner, id: string): Promise<Review> {
  const { document } = await getOwn<sql.ReviewRow>(control, 'reviews', owner, id);
  return unpackJson<Review>(document);
}

export async function getReviewPdf(
  deps: Pick<Deps, 'control' | 'config' | 'threads'>,
  owner: Owner,
  id: string,
): Promise<Buffer> {
  const review = await getReview(deps, owner, id);
  const place = { file: new URL('./pdf.ts', import.meta.url), name: 'render', account: owner.account_id };
  const brand = await findBranding(deps.control, owner.account_id);
  return deps.threads.run<typeof import('./pdf.ts').render>(place, { review, author: deps.config.seller.name, brand });
}

/** Kept as long as their receipts, and in the sandbox as many as reports. */
export const forgetOldReviews = (deps: Pick<Deps, 'control' | 'clock'>): Promise<void> =>
  forgetOldDocuments(deps, { table: 'reviews', sandboxMost: SANDBOX_RETENTION.reports!, limit: 1000 });
