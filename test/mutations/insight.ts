// Ways to break values, models and figures.
import { group, type Group } from './group.ts';

export const INSIGHT: Group[] = [
  group(
    'src/insight/training/price-index.ts',
    ['test/unit/valuation.test.ts'],
    [
      ['running < 0.5 * total', 'running < 0.55 * total', 'a price index follows more than the median'],
      [
        'Math.abs(at - points) > span',
        'Math.abs(at - points) > span - 1',
        'a price index overlooks the farthest sales',
      ],
    ],
  ),
  group(
    'src/insight/rents/returns.ts',
    ['test/unit/rents.test.ts'],
    [
      [
        'Math.floor((income / payment)',
        'Math.ceil((income / payment)',
        'a rent just short of a limit passes as one at it',
      ],
      ['Math.log1p(monthly)', 'monthly', 'payments are a little too high'],
      [
        '(year - vacancy) * (stated.management ?? 0)',
        'year * (stated.management ?? 0)',
        'fees are paid on empty months',
      ],
    ],
  ),
  group(
    'src/insight/rents/calibrate.ts',
    ['test/unit/rents.test.ts'],
    [['const tested = fit(before);', 'const tested = fit(sorted);', 'leases are tested by a fit that has seen them']],
  ),
  group(
    'src/insight/outlooks/project.ts',
    ['test/api/outlooks.test.ts'],
    [
      ['growth - start.growth);', 'growth);', 'a value grows twice over the months that have passed'],
      ['Math.hypot(Math.log(end / value), indexError)', 'Math.log(end / value)', 'the error of the index is left out'],
    ],
  ),
  group(
    'src/insight/analytics/cells.ts',
    ['test/unit/analytics.test.ts', 'test/unit/analytics-coverage.test.ts'],
    [
      ['own.filter(isInBoth))', 'own)', 'growth compares a part of an area with the whole of it'],
      ['year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)', 'false', 'a leap year has no February 29'],
      [
        'sale.sqft >= LEAST_SQFT ? sale.price / sale.sqft : NaN',
        'sale.sqft >= 0 ? sale.price / sale.sqft : NaN',
        'a home of 1 square foot makes a price per square foot',
      ],
    ],
  ),
  group(
    'src/insight/analytics/squares.ts',
    ['test/api/analytics-areas.test.ts'],
    [['(isWhole || holds(', '(true || holds(', 'homes beside a drawn area count in it']],
  ),
  group(
    'src/insight/analytics/figures.ts',
    ['test/unit/analytics-coverage.test.ts', 'test/unit/analytics-areas.test.ts', 'test/api/analytics-areas.test.ts'],
    [
      ['toShare(now / then - 1)', 'toShare(then / now - 1)', 'growth is told as decline'],
      ['if (changed) return', 'if (changed && false) return', 'growth compares a county with its city'],
      ['toShare((high - low) / (high + low))', 'toShare((high - low) / high)', 'prices look more spread than they are'],
    ],
  ),
  group(
    'src/insight/analytics/ranks.ts',
    ['test/unit/analytics-areas.test.ts', 'test/api/analytics-areas.test.ts'],
    [
      [
        "figure === 'owner_occupied_share' ? LEAST_OWNERS : LEAST_SALES",
        'LEAST_SALES',
        'the owners of few homes can be told apart',
      ],
    ],
  ),
  group(
    'src/insight/analytics/segments.ts',
    ['test/unit/analytics-areas.test.ts', 'test/unit/analytics.test.ts', 'test/unit/cells.test.ts'],
    [
      [
        "yearBuilt >= soldIn - 1 ? 'new' : 'existing'",
        "yearBuilt >= soldIn - 10 ? 'new' : 'existing'",
        'homes of ten years count as new',
      ],
    ],
  ),
  group(
    'src/insight/avm/interval.ts',
    ['test/unit/valuation.test.ts'],
    [
      ['(probability * (n + 1) - 1) / (n - 1)', '(probability * n - 1) / (n - 1)', 'intervals are too low'],
      ['at(misses / 2)', 'at(misses)', 'intervals are too narrow below'],
      ['Math.min(0, sigma * low)', 'sigma * low', 'an interval may lie above its estimate'],
      ['knownDay[end - 1] >= day', 'knownDay[end - 1] > day', 'a sale of the day itself is known'],
      ['Math.max(1, calibration.minSigma / (sigma * middleOf(kind)))', '1', 'a valuation is surer than any known one'],
      ['fsd <= HIGH_FSD ?', 'fsd < HIGH_FSD ?', 'the edge of a label moves'],
      ['score[k] /= score[k] < 0 ? own.low : own.high', 'score[k] /= 1', 'kinds of homes are not told apart'],
      ['count < MIN_SCORES', 'count < 0', 'an interval from no sales'],
    ],
  ),
  group(
    'src/insight/avm/price-growth.ts',
    ['test/unit/valuation.test.ts'],
    [
      [
        'const end = lowerBound(knownDay, day)',
        'const end = lowerBound(knownDay, day + 1)',
        'a value knows sales of its own day',
      ],
      ['return middle - slope * meanX', 'return middle', 'a rising market is lagged behind'],
      ['if (count < options.minSales) return 0', '', 'one sale moves a market'],
      ['if (at >= last) return', 'if (at > last + 9) return', 'no index after its last month'],
    ],
  ),
  group(
    'src/insight/quality/quality.ts',
    ['test/api/quality.test.ts', 'test/unit/quality.test.ts'],
    [
      [
        'adjusted_p_value: rounded(entryOf(adjustedOf, test)),',
        'adjusted_p_value: rounded(0.5),',
        'every difference between tracts looks like chance',
      ],
    ],
  ),
  group(
    'src/insight/quality/sample.ts',
    ['test/api/quality.test.ts'],
    [['monthsBetween(row) < upTo', 'monthsBetween(row) < upTo * 2', 'old values are counted among the new ones']],
  ),
  group(
    'src/insight/training/back-test.ts',
    ['test/unit/valuation.test.ts'],
    [
      [
        'covered[level] = error >= spread.low && error <= spread.high;',
        'covered[level] = error <= spread.high;',
        'values that are too high count as covered',
      ],
      [
        'if (sale.soldDay <= fromDay || sale.soldDay > toDay) continue;',
        'if (sale.soldDay > toDay) continue;',
        'a model is tested on sales it has learned from',
      ],
    ],
  ),
  group(
    'src/insight/training/fit/tree.ts',
    ['test/unit/trees.test.ts'],
    [['while (leaves.length < maxLeaves) {', 'while (leaves.length < 2) {', 'a tree has two leaves']],
  ),
  group(
    'src/insight/training/metrics.ts',
    ['test/unit/valuation.test.ts'],
    [
      [
        'count + (error <= share ? 1 : 0), 0) / n;',
        'count + (error < 2 * share ? 1 : 0), 0) / n;',
        'twice as many values count as close',
      ],
      [
        'if (n < 20) return undefined;',
        'if (n < 2) return undefined;',
        'vertical equity is told from a handful of sales',
      ],
    ],
  ),
  group(
    'src/insight/training/fit/gaussian.ts',
    ['test/unit/few-sales.test.ts'],
    [
      ['(i === j ? kernel.noise : 0);', '0;', 'a Gaussian process repeats every price that it has seen'],
      [
        'Math.max(-clip, Math.min(clip, value - center))',
        '(value - center)',
        'one slipped digit moves all values near it',
      ],
    ],
  ),
  group(
    'src/insight/avm/gaussian.ts',
    ['test/unit/few-sales.test.ts'],
    [
      ['if (out[k] !== out[k]) out[k] = 0;', 'if (out[k] !== out[k]) out[k] = 9;', 'an unknown trait is an odd one'],
      ['kernel.place * Math.exp(-distance)', '0', 'homes of one place share nothing'],
    ],
  ),
  group(
    'src/insight/training/odd-sales.ts',
    ['test/unit/odd-sales.test.ts'],
    [
      [
        'return reason ? [{ id, reason, ratio: Math.exp(error[i]) }] : [];',
        'return reason ? [{ id, reason, ratio: error[i] }] : [];',
        'the ratio of an odd price is a logarithm',
      ],
      [
        `if (screen === null || sales.every(({ vouchedBy }) => vouchedBy === 'operator')) return [];`,
        'if (screen !== null) return [];',
        'no price is ever out of the question',
      ],
    ],
  ),
  group(
    'src/insight/valuations/overrides.ts',
    ['test/unit/overrides.test.ts', 'test/api/valuations.test.ts'],
    [
      ['wanted.bathrooms % 1 > 0 ? 1 : 0', 'wanted.bathrooms % 1 > 0 ? 0 : 1', 'half baths are the wrong way around'],
      [
        '} else if (record !== null && record[inner] !== null) fromDatabase.push(outer);',
        '} else if (record === null) fromDatabase.push(outer);',
        'a value does not tell what it took from the record',
      ],
    ],
  ),
  group(
    'src/insight/valuations/receipts.ts',
    ['test/api/valuations.test.ts', 'test/api/books.test.ts'],
    [
      ['row.account_id !== asker.accountId', 'row.account_id === undefined', 'receipts of other customers can be read'],
      ['row.mode !== asker.mode', 'row.mode === undefined', 'a sandbox key reads live receipts'],
    ],
  ),
];
