// HTTP in and out for messages to support.
import type { Deps } from '../../base/deps.ts';
import { hidden, type App } from '../../base/http/types.ts';
import { signedInOf } from '../people/requests.ts';
import * as shape from './schema.ts';
import { askSupport } from './support.ts';

export function supportRoutes(app: App, deps: Deps): void {
  app.post('/support', hidden({ body: shape.SupportForm }, shape.SupportMessage), async (request, reply) => {
    const sent = await askSupport(deps, signedInOf(request), request.body);
    return reply.code(202).send({ object: 'support_message' as const, ...sent });
  });
}
