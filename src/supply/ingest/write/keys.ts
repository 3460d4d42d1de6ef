// Keeps parcels apart: a load in which two parcel numbers would become one property stops and says which.
import { CommandError } from '../../../base/lib/command-error.ts';
import type { LoadContext } from '../load-context.ts';
import * as sql from './keys-sql.ts';
import { must } from '../../../base/lib/must.ts';

/** Runs before duplicates are removed, which would hide all but one of the folded rows. */
export async function refuseFolds(load: LoadContext): Promise<void> {
  const { client, dataset, market } = load;
  const fold = await sql.findFold(client);
  if (fold) {
    const places = fold.spellings.slice(0, 3).map((spelling, i) => `${spelling} (${fold.lines[i]})`);
    const more = fold.total > 1 ? ` The same happens to ${fold.total - 1} other properties.` : '';
    throw new CommandError(
      `${dataset.id}: the parcel numbers ${places.join(' and ')} would become one property.${more} ` +
        'Read the number so that it stays as distinct as the publisher writes it, ' +
        'or remove `fixed_width` if its parts vary in width.',
    );
  }
  const foreign = await sql.findForeignProperty(load);
  if (foreign) {
    throw new CommandError(
      `${dataset.id}: parcel ${foreign.apn} already belongs to the market ${foreign.market}, which is in the same county. ` +
        `If ${must(market, 'market').id} numbers its parcels on its own, give its recipe a \`parcels: { prefix: … }\`.`,
    );
  }
}
