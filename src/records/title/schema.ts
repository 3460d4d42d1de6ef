// The shape of a title report.
import Type, { type Static } from 'typebox';
import { decimal, isoDay, list, named, nullable, oneOf, text, wholeNumber } from '../../base/lib/schema.ts';
import { Violation } from '../../supply/layers/code-violations.ts';
import { statusUnknown } from '../../supply/layers/layer.ts';
import { Permit } from '../../supply/layers/permits.ts';
import { Lien } from '../../supply/layers/tax-liens.ts';
import { TiedDocuments } from '../markets/schema.ts';
import { RISK_STATUSES } from '../risk/schema.ts';
import { CHAIN_FLAGS, CONNECTIONS } from './chain.ts';
import { INSTRUMENTS } from './instruments.ts';
import { MATCHES, MORTGAGE_FLAGS } from './mortgages.ts';
import { NOTICE_FLAGS } from './notices.ts';
import { TIES } from './ties.ts';

const words = (maxLength = 300) => nullable(text(maxLength));
const whole = () => nullable(wholeNumber());
const day = () => nullable(isoDay());

export const TITLE_FLAGS = [...CHAIN_FLAGS, ...MORTGAGE_FLAGS, ...NOTICE_FLAGS] as const;

const TitleFlag = named('TitleFlag', { code: oneOf(TITLE_FLAGS), reason: text(400), transaction_id: words(40) });

const instrument = {
  transaction_id: text(40),
  instrument: oneOf(INSTRUMENTS),
  document_type: words(),
  document_number: words(80),
  book: words(40),
  page: words(40),
  recorded_on: day(),
  recorded_in: words(),
};

const TitleLink = Type.Object(
  {
    ...instrument,
    sold_on: day(),
    price: whole(),
    arms_length: nullable(Type.Boolean()),
    grantors: Type.Optional(list(text(300))),
    grantees: Type.Optional(list(text(300))),
    connection: oneOf(CONNECTIONS, {
      description:
        'Whether the grantor is the grantee of the deed before: matched, similar, broken, or not_stated where a party is ' +
        'not on record. A correction conveys nothing new; first has no deed before it on record.',
    }),
    flags: list(TitleFlag),
    source: text(80),
  },
  { title: 'TitleLink', description: '`grantors` and `grantees` require the `owners:read` scope.' },
);

const MatchedDocument = Type.Object(
  {
    ...instrument,
    lender: words(),
    loan_amount: whole(),
    refers_to: list(text(60)),
    matched_by: list(oneOf(MATCHES)),
  },
  { title: 'MatchedDocument', description: 'An assignment or release, and what ties it to its mortgage.' },
);

const EstimatedBalance = Type.Object(
  {
    amount: wholeNumber({ minimum: 0 }),
    as_of: isoDay(),
    rate: decimal({ description: 'Share per year: 0.0672 is 6.72%.' }),
    rate_month: text(7, { description: 'The month whose average rate was used.' }),
    rate_months_old: wholeNumber({
      minimum: 0,
      description: '0 for the month of the loan; more where the series ends before it.',
    }),
    rate_source: text(200),
    term_months: wholeNumber(),
    is_estimate: Type.Boolean(),
  },
  {
    title: 'EstimatedBalance',
    description: 'Level payments over thirty years at the average rate of the month of recording. Not a payoff figure.',
  },
);

const encumbrance = {
  ...instrument,
  status: oneOf(['open', 'partly_released', 'released'], {
    description: 'open: no release is on record through `coverage.records_to`.',
  }),
  lender: words(),
  holder: nullable(text(300, { description: 'The last assignee, or else the lender.' })),
  borrowers: Type.Optional(list(text(300))),
  amount: whole(),
  assignments: list(MatchedDocument),
  releases: list(MatchedDocument),
  flags: list(TitleFlag),
  source: text(80),
};

const TitleMortgage = named('TitleMortgage', {
  ...encumbrance,
  matched_by: list(oneOf(TIES), {
    description:
      'What ties a mortgage that names no parcel to this one. deed: its borrower took a deed that day; closing: recorded ' +
      'next after a deed of the day; borrower: and its borrower is the grantee; owner: its borrower owned no other parcel ' +
      'on record; reference: it names a document of the parcel. Empty where it names the parcel itself.',
  }),
  estimated_balance: nullable(EstimatedBalance),
  balance_reason: nullable(
    oneOf(['amount_not_stated', 'date_not_stated', 'before_rate_series', 'past_term', 'released'], {
      description: 'Why there is no estimate.',
    }),
  ),
});

const TitleLien = named('TitleLien', encumbrance);

const RecordedDocument = Type.Object(
  { ...instrument, refers_to: list(text(60)), source: text(80) },
  { title: 'RecordedDocument', description: 'A document that neither conveys the property nor secures a loan on it.' },
);

const RecordSource = named('RecordSource', {
  id: text(80),
  name: text(300),
  covers_from: day(),
  covers_to: day(),
  documents: TiedDocuments,
});

const MortgageCoverage = Type.Object(
  {
    status: oneOf(['covered', 'partial', 'not_covered'], {
      description:
        'covered: every mortgage the owner can have made is in the records. partial: there may be others than those ' +
        'listed. not_covered: no source of mortgages is loaded here.',
    }),
    from: day(),
    to: day(),
    documents: TiedDocuments,
    note: text(400),
  },
  { title: 'MortgageCoverage', description: 'Whether no open mortgage on record means that there is none.' },
);

export const TitleReport = named('TitleReport', {
  object: oneOf(['title']),
  property_id: text(40),
  as_of: isoDay(),
  notice: text(300),
  coverage: named('TitleCoverage', {
    status: oneOf(['covered', 'sales_only', 'not_covered'], {
      description:
        'sales_only: the source lists prices without parties, which is no chain. not_covered: no deeds are loaded here.',
    }),
    complete_from: nullable(
      isoDay({ description: 'How far back every deed follows from the one before, as far as the parties are stated.' }),
    ),
    verified_from: nullable(
      isoDay({ description: 'How far back every grantor is the grantee before, under the same name and in order.' }),
    ),
    records_to: day(),
    note: text(400),
    sources: list(RecordSource),
    mortgages: MortgageCoverage,
  }),
  ownership: nullable(
    Type.Object(
      {
        owners: Type.Optional(list(text(300))),
        since: day(),
        years: nullable(decimal({ minimum: 0 })),
        transaction_id: words(40),
      },
      { title: 'Ownership', description: '`owners` requires the `owners:read` scope.' },
    ),
  ),
  open: Type.Object(
    {
      mortgages: nullable(
        wholeNumber({ description: 'Those on record; 0 only where `coverage.mortgages` is covered.' }),
      ),
      original_amount: whole(),
      estimated_balance: nullable(
        wholeNumber({
          description:
            'Sum of the estimates; null if one of the open loans has none, or mortgages are not fully covered.',
        }),
      ),
      tax_liens: whole(),
      other_liens: whole(),
      permits: whole(),
      violations: whole(),
    },
    {
      title: 'OpenItems',
      description:
        'Known to be open. `0` only where every record is covered and known to be closed; `null` where none is known to be ' +
        'open but some may be, because the place is not or only partly covered or a status is not published.',
    },
  ),
  flags: list(TitleFlag),
  chain: list(TitleLink),
  mortgages: list(TitleMortgage),
  unmatched: list(MatchedDocument, {
    description:
      'Assignments and releases whose mortgage or lien is not on record, and documents of a party that had no title on ' +
      'the day, which may be about other land.',
  }),
  tax_liens: named('TitleTaxLiens', {
    status: oneOf(RISK_STATUSES),
    status_unknown: statusUnknown(),
    items: list(Lien),
  }),
  other_liens: list(TitleLien),
  other_documents: list(RecordedDocument, {
    description: 'Notices of foreclosure, easements, deaths and whatever else is recorded, newest first.',
  }),
  permits: named('TitlePermits', {
    status: oneOf(RISK_STATUSES),
    status_unknown: statusUnknown(),
    open: list(Permit),
  }),
  violations: named('TitleViolations', {
    status: oneOf(RISK_STATUSES),
    status_unknown: statusUnknown(),
    open: list(Violation),
  }),
});
export type TitleReport = Static<typeof TitleReport>;
