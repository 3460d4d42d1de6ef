// Ways to break properties, addresses, risk, tiles, title and owners.
import { group, type Group } from './group.ts';

export const RECORDS: Group[] = [
  group(
    'src/records/address/match/decide.ts',
    ['test/unit/address-resolving.test.ts', 'test/unit/address-reading.test.ts'],
    [
      [
        "if (has('unit_missing') && !isOneProperty) return ambiguous('unit_required');",
        '',
        'one apartment on file is taken for the building',
      ],
      [
        "if (has('number_letter_missing') && !isOneProperty) return unresolved('number_letter_required');",
        '',
        '1342 is taken for 1342B',
      ],
      ["if (has('direction_extra')) return unresolved('direction_not_in_record');", '', '12 N Elm is taken for 12 Elm'],
      ['top.weight > MAX_WEIGHT || isTooWeak(top)', 'top.weight > MAX_WEIGHT', 'two weak signs make a match'],
      [
        'top.edits > 0 && verdicts.get(top)?.hasRival',
        'top.edits > 9 && verdicts.get(top)?.hasRival',
        'one of two like names is guessed',
      ],
      [
        '!top.reading.zip && !top.reading.city',
        'top.reading.zip && !top.reading.zip',
        'an address without a place matches',
      ],
      ["top.edits > 0 && policy === 'strict'", "top.edits > 9 && policy === 'strict'", 'strict corrects spelling'],
      ['each.weight - top.weight < TIE', 'each.weight - top.weight < 0', 'a tie is decided by chance'],
      [
        "has('unit_not_in_record') && hasOtherUnits(comparisons, top)",
        "has('unit_not_in_record') && false",
        'a unit that is not on file is dropped',
      ],
      [
        'weigh(each) - weigh(top) < TIE',
        'each.weight - top.weight < TIE',
        'a range on the other side of town is overlooked',
      ],
      [
        "if (has('zip_differs') && isInexact) return ambiguous('zip_and_city_disagree');",
        '',
        'a wrong ZIP and half a street match',
      ],
      ["return ambiguous('zip_and_city_disagree');\n  }", '}', 'ZIP and city name two homes, one is guessed'],
      ['!verdicts.get(each)?.vetoed', 'true', 'a real street is taken for a slip'],
      [
        'comparison.weight < before.weight',
        'comparison.weight > before.weight',
        'the more doubtful reading of a door wins',
      ],
    ],
  ),
  group(
    'src/records/address/match/compare.ts',
    ['test/unit/address-resolving.test.ts'],
    [["reading.form !== 'letter_apart'", 'false', 'the letter of another house is dropped']],
  ),
  group(
    'src/records/address/match/vetoes.ts',
    ['test/unit/address-resolving.test.ts', 'test/unit/address-reading.test.ts'],
    [
      ['realNames.has(reading.street.name) || isAnotherName', 'isAnotherName', 'a street of the next town is a slip'],
      [
        'realNames.has(reading.street.name) || isAnotherName',
        'realNames.has(reading.street.name) && isAnotherName',
        'a common name is a slip',
      ],
      [
        'words.length > 1 && words.every((word) => isStreetName(word))',
        'false',
        'Lovers Lake is a slip for Lovers Lane',
      ],
      ['asTyped >= MIN_RECORDS', 'asTyped >= MIN_RECORDS * 9', '13 Meadow Ln is 13 W Meadow Ln'],
      ['asTyped === 0 ? hasOther : isBareReal', 'asTyped === 0 ? false : isBareReal', 'Elm Ct is taken for Elm'],
      ['bare >= MIN_RECORDS &&', 'bare >= 0 &&', 'one slip in a file makes a street'],
      [
        "if (street.suffix === '') return isBareReal",
        "if (street.suffix === '') return false",
        'Broadway is Broadway Ter',
      ],
      [
        'editDistance(street.name, reading.street.name, edits) <= edits',
        'editDistance(street.name, reading.street.name, edits) < edits',
        'a name as near is no rival',
      ],
    ],
  ),
  group(
    'src/records/address/parse/numbers.ts',
    ['test/unit/address-resolving.test.ts', 'test/unit/address-reading.test.ts'],
    [
      ['(asked.low - record.low) % stepOf(record) === 0', 'true', '105 lies in 100-108'],
      ['gap > 0 && gap <= maxGap', 'gap > 0', '92-10 of Queens is a range'],
      ['asked.high <= record.high &&', '', 'a number past the range is in it'],
      ['gap % 2 === 1 ? MAX_GAP_OF_BOTH_SIDES', 'gap % 2 === 1 ? MAX_GAP', '11-24 is fourteen houses'],
    ],
  ),
  group(
    'src/records/address/parse/units.ts',
    ['test/unit/address-resolving.test.ts', 'test/unit/address-reading.test.ts'],
    [
      [".replace(/^([A-Z]*)0+(?=\\d)/, '$1')", '', 'APT 03 is not APT 3'],
      [".replace(/(?<!\\d)-|-(?!\\d)/g, '')", '', '2-B is not 2B'],
      [
        'UNITS_WITH_MEANING.has(standard) && !value',
        'UNITS_WITH_MEANING.has(value) && !value',
        'floor 2 is apartment 2',
      ],
    ],
  ),
  group(
    'src/records/markets/catalog.ts',
    ['test/api/national.test.ts', 'test/api/jobs.test.ts', 'test/api/search.test.ts'],
    [
      [
        "catalog.markets.get(market)?.sandbox === (mode === 'test');",
        'catalog.markets.has(market);',
        'a sandbox key reads real markets',
      ],
    ],
  ),
  group(
    'src/records/markets/markets.ts',
    ['test/api/properties.test.ts', 'test/api/national.test.ts'],
    [
      [
        'presentMarkets(deps, marketIds[mode])',
        'presentMarkets(deps, [...marketIds.live, ...marketIds.test])',
        'the sandbox is listed among the real markets',
      ],
      [
        'catalog.countsByMarket.get(row.id) ?? []',
        '[...catalog.countsByMarket.values()].flat()',
        'every market has the homes of all',
      ],
    ],
  ),
  group(
    'src/records/places/places.ts',
    ['test/api/mcp.test.ts'],
    [
      [
        'if (isLoaded && (isCounty || known.length === 0)) return [countyPlace(atlas, Number(fips))];',
        '',
        'a county is not found by its code',
      ],
    ],
  ),
  group(
    'src/base/lib/place-name.ts',
    ['test/unit/places.test.ts'],
    [
      ['/^(\\d{5})(?:-\\d{4})?$/', '/^(\\d{5})$/', 'a ZIP+4 is not understood'],
      [
        "name: said.replace(COUNTY, ''), isCounty: COUNTY.test(said)",
        'name: said, isCounty: false',
        'a county is looked up as a city',
      ],
    ],
  ),
  group(
    'src/records/properties/search.ts',
    ['test/api/search.test.ts'],
    [
      [
        'within >= wanted || ring === radiusMiles',
        'found.length >= wanted || ring === radiusMiles',
        'a nearer home in the next cell is missed',
      ],
      ['miles === afterMiles && id > afterId', 'miles === afterMiles && id >= afterId', 'a home is on two pages'],
    ],
  ),
  group(
    'src/records/risk/risk.ts',
    ['test/api/risk.test.ts', 'test/api/layers-by-recipe.test.ts'],
    [
      [
        'source !== null && canBeFound(row) ?',
        'source !== null ?',
        'a home that cannot be looked up is told to have none',
      ],
      ['isCovered && none ?', 'none ?', 'a county without a source is told to have no liens'],
      [
        'isUnavailable(row.id, name) ? { ...unavailable',
        'false ? { ...unavailable',
        'the sandbox cannot show a layer that is away',
      ],
      ['(item) => item.layer === layer);', '(item) => item.layer !== layer);', 'a layer names the source of another'],
    ],
  ),
  group(
    'src/records/risk/routes.ts',
    ['test/api/risk.test.ts'],
    [['layers === undefined ? undefined : readWords', 'true ? undefined : readWords', 'a caller cannot choose layers']],
  ),
  group(
    'src/records/tiles/routes.ts',
    ['test/api/tiles.test.ts'],
    [
      ['if (x < 2 ** z && y < 2 ** z) return;', 'if (z >= 0) return;', 'tiles beyond the edge of the world'],
      ['isClosed ? ring : [...ring, ring[0]]', 'ring', 'an area that ends before its first corner is refused'],
    ],
  ),
  group(
    'src/records/tiles/streets.ts',
    ['test/unit/tiles.test.ts', 'test/api/tiles.test.ts'],
    [
      [
        'const path = homes.length < FEWEST_HOMES ? undefined : fitLine(homes);',
        'const path = undefined as ReturnType<typeof fitLine>;',
        'the map has no streets',
      ],
    ],
  ),
  group(
    'src/records/tiles/tiles.ts',
    ['test/api/tiles.test.ts'],
    [
      [
        "if (spot.mode === 'live') refuseHiddenFacts(view.filter);",
        "if (spot.mode === 'nowhere') refuseHiddenFacts(view.filter);",
        'tiles tell what the record does not',
      ],
    ],
  ),
  group(
    'src/records/owners/likeness.ts',
    ['test/unit/owner-names.test.ts'],
    [
      ['exact.length >= 2 && rest.length === 0', 'exact.length >= 2', 'a middle name is taken for another'],
      ["absent.length > 0 ? 'partial'", "absent.length > 9 ? 'partial'", 'a name with a word too many is called exact'],
    ],
  ),
  group(
    'src/records/owners/tenure.ts',
    ['test/unit/tenure.test.ts'],
    [
      [
        'isCovered && row.open_tax_liens !== null ? true',
        'isCovered ? true',
        'liens that are not covered are taken for none',
      ],
      [
        "if (balances.includes(null)) return without('balance_not_known');",
        '',
        'a loan without an amount counts as nothing',
      ],
      [
        "state === row.state ? 'absentee_in_state'",
        "state !== row.state ? 'absentee_in_state'",
        'owners move out of state',
      ],
    ],
  ),
  group(
    'src/records/title/balance.ts',
    ['test/unit/title.test.ts'],
    [
      [
        "if (paid >= termMonths) return without('past_term');",
        "if (paid >= 2 * termMonths) return without('past_term');",
        'a loan past its term has a balance',
      ],
      ['fromMonth - (toDay < fromDay ? 1 : 0));', 'fromMonth);', 'a month that is not over counts as paid'],
    ],
  ),
  group(
    'src/records/title/chain.ts',
    ['test/unit/title.test.ts'],
    [
      [
        "compareParties(before.buyers, owners) === 'different'",
        "compareParties(before.buyers, owners) === 'same'",
        'an owner who bought the home is told as unproven',
      ],
    ],
  ),
  group(
    'src/records/title/mortgage-coverage.ts',
    ['test/unit/title.test.ts', 'test/api/title.test.ts'],
    [
      [
        'const isRecent = to !== null && age(to) <= RECENT_DAYS;',
        'const isRecent = true;',
        'old records of mortgages are told as complete',
      ],
      [
        'untied <= MOST_UNTIED * documents.recorded',
        'untied <= documents.recorded',
        'mortgages tied to no parcel are taken for none',
      ],
    ],
  ),
  group(
    'src/records/title/mortgages.ts',
    ['test/unit/title.test.ts'],
    [
      [
        "if (instrument !== 'partial_release') encumbrance.status = 'released';",
        "encumbrance.status = 'released';",
        'a partial release frees the home',
      ],
    ],
  ),
];
