// HTTP route for the sandbox: the list of its magic inputs.
import Type from 'typebox';
import { operationsOf, type App } from '../../base/http/types.ts';
import { list, named, nullable, oneOf, text, wholeNumber } from '../../base/lib/schema.ts';
import { FIXTURES } from './fixtures.ts';

const Fixture = named('SandboxFixture', {
  name: text(60),
  what: text(500),
  endpoint: text(200),
  request: Type.Object({ address: Type.Optional(text(300)), property_id: Type.Optional(text(40)) }),
  expect: Type.Object({ status: wholeNumber({ minimum: 200, maximum: 599 }), code: nullable(text(60)) }),
});

export function sandboxRoutes(app: App): void {
  app.get(
    '/sandbox/fixtures',
    operationsOf('sandbox')('list_sandbox_fixtures', 'List the sandbox’s magic inputs', {
      scope: 'properties:read',
      meter: 'none',
      response: {
        200: named('SandboxFixtureList', { object: oneOf(['list']), data: list(Fixture) }),
      },
    }),
    async () => ({ object: 'list' as const, data: [...FIXTURES] }),
  );
}
