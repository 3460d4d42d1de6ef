// Ways to break commands, counties and backups.
import { group, type Group } from './group.ts';

export const OPERATE: Group[] = [
  group(
    'src/operate/backup/entries.ts',
    ['test/unit/backup.test.ts'],
    [["path.startsWith('..')", "path.startsWith('../..')", 'a backup writes outside of its folder']],
  ),
  group(
    'src/operate/backup/seal.ts',
    ['test/unit/backup.test.ts'],
    [
      ['if (await reader.take(1)) throw new CommandError(CHANGED);', '', 'what was added to a backup goes unnoticed'],
      ['place.writeBigUInt64BE(BigInt(index));', '', 'the frames of a backup can be exchanged'],
      ['place[8] = isLast ? 1 : 0;', '', 'a backup can be cut at a frame'],
    ],
  ),
  group(
    'src/operate/commands/admin.ts',
    ['test/api/billing.test.ts'],
    [
      [
        'if (!PLAN_IDS.includes(plan as PlanId)) throw new UsageError();',
        'if (!plan) throw new UsageError();',
        'an account with a plan that does not exist',
      ],
      ["await make('Production', 'live')", "await make('Production', 'test')", 'a new account has no live key'],
    ],
  ),
  group(
    'src/operate/commands/replay.ts',
    ['test/e2e/start.test.ts'],
    [['if (ids.length === 0) throw', 'if (ids.length < 0) throw', 'a replay of nothing succeeds']],
  ),
  group(
    'src/operate/counties/counties.ts',
    ['test/api/counties.test.ts'],
    [
      [
        'if (offset !== draft.received_bytes)',
        'if (offset > draft.received_bytes)',
        'a part that is sent twice overwrites the file',
      ],
      ['version !== draft.recipe_version)', 'version < 0)', 'two operators overwrite each other'],
      ["kind === 'load' &&", '!kind &&', 'a recipe that nobody has previewed is loaded'],
    ],
  ),
  group(
    'src/operate/counties/recipe.ts',
    ['test/api/counties.test.ts'],
    [
      [
        "!/[/\\\\\\0]/.test(path) && !path.startsWith('.')",
        "!path.startsWith('.')",
        'a recipe reads any file of the server',
      ],
    ],
  ),
  group(
    'src/operate/counties/routes.ts',
    ['test/api/counties.test.ts'],
    [['if (signedIn?.user.operator_since) return;', 'if (signedIn) return;', 'any customer can bring in counties']],
  ),
  group(
    'src/operate/preview/preview.ts',
    ['test/api/preview.test.ts'],
    [
      ['isTrial: true,', '', 'a dry run of a doubtful file ends without showing it'],
      ['listBestDescribed(data, SAMPLES)', 'listBestDescribed(data, 0)', 'a preview shows no home'],
      ['properties: total,', 'properties: rows.length,', 'a preview counts its samples instead of the homes'],
    ],
  ),
];
