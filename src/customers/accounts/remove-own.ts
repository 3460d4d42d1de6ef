// The handler of routes that delete a row of the customer's own: recorded in the audit log, answered with nothing.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { inTransaction } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { actorOf, recordAct } from './accounts.ts';
import { deleteOwn, ownerOf, type Table } from './own-sql.ts';

export const removeOwn =
  (deps: Pick<Deps, 'control' | 'clock'>, table: Table) =>
  async ({ caller, ip, params: { id } }: FastifyRequest<{ Params: { id: string } }>, reply: FastifyReply) => {
    const owner = ownerOf(caller);
    await inTransaction(deps.control, async (client) => {
      const word = await deleteOwn(client, table, owner, id);
      await recordAct(deps, client, actorOf(caller, ip), `${word}.deleted`, { id, account_id: owner.account_id });
    });
    return reply.code(204).send();
  };
