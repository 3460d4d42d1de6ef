// Takes people's names out of a report, for readers who may not see them. Pure.
import { isOrganization } from '../../records/title/names.ts';
import type { Report } from './schema.ts';

type Title = Report['title'];

export function withoutNames(report: Report): Report {
  const { owner: _owner, ...property } = report.property;
  return { ...report, property, title: titleWithoutNames(report.title) };
}

function titleWithoutNames(title: Title): Title {
  const lender = (name: string | null) => (name !== null && isOrganization(name) ? name : null);
  const matched = (documents: Title['unmatched']) =>
    documents.map((each) => ({ ...each, lender: lender(each.lender) }));
  const encumbrance = <Each extends Title['other_liens'][number]>({ borrowers: _borrowers, ...each }: Each) => ({
    ...each,
    lender: lender(each.lender),
    holder: lender(each.holder),
    assignments: matched(each.assignments),
    releases: matched(each.releases),
  });
  return {
    ...title,
    ownership: title.ownership && { ...title.ownership, owners: undefined },
    chain: title.chain.map(({ grantors: _grantors, grantees: _grantees, ...link }) => link),
    mortgages: title.mortgages.map(encumbrance),
    other_liens: title.other_liens.map(encumbrance),
    unmatched: matched(title.unmatched),
  };
}
