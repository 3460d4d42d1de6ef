// HTTP in and out for the name and logo on an account's PDFs and shared pages.
import Type, { type Static } from 'typebox';
import { inTransaction } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import { dataUrlOf, MAX_IMAGE_BYTES, readImage } from '../../base/lib/images.ts';
import { instant, named, namedStrict, nullable, oneOf, strict, text } from '../../base/lib/schema.ts';
import { actorOf, recordAct, type Caller } from './accounts.ts';
import { findBranding, replaceBranding, type BrandingRow } from './sql.ts';

const name = nullable(text(80, { minLength: 1 }));
/** As base64. */
const MAX_TEXT = Math.ceil(MAX_IMAGE_BYTES / 3) * 4;
const logo = nullable(
  text(MAX_TEXT + 100, {
    pattern: '^(data:image/(png|jpeg);base64,)?[A-Za-z0-9+/]+={0,2}$',
    description: 'PNG or JPEG as base64, at most 200 kB and 1,000 pixels wide and high. Left out: stays as it is.',
  }),
);
const Branding = named('Branding', {
  object: oneOf(['branding']),
  name,
  logo: nullable(text(MAX_TEXT + 100, { description: 'As a data URL.' })),
  updated_at: nullable(instant()),
});
const NewBranding = namedStrict('NewBranding', { name: Type.Optional(name), logo: Type.Optional(logo) });

const present = (row: BrandingRow | undefined) => ({
  object: 'branding' as const,
  name: row?.name ?? null,
  logo: dataUrlOf(row?.logo_type ?? null, row?.logo ?? null),
  updated_at: row?.updated_at.toISOString() ?? null,
});

export function brandingRoutes(app: App, deps: Deps): void {
  const operation = operationsOf('usage', { meter: 'none' });
  app.get(
    '/account/branding',
    operation('get_branding', 'Get the name and logo on PDFs and shared pages', {
      scope: 'account:read',
      querystring: strict({}),
      response: { 200: Branding },
    }),
    async ({ caller }) => present(await findBranding(deps.control, caller.account.id)),
  );
  app.put(
    '/account/branding',
    operation('set_branding', 'Set the name and logo on PDFs and shared pages', {
      scope: 'account:write',
      body: NewBranding,
      response: { 200: Branding },
    }),
    async ({ caller, body, ip }) => present(await setBranding(deps, caller, body, ip)),
  );
}

async function setBranding(deps: Deps, caller: Caller, body: Static<typeof NewBranding>, ip: string) {
  const { id } = caller.account;
  const image = body.logo && readImage(Buffer.from(body.logo.replace(/^data:[^,]*,/, ''), 'base64'));
  return inTransaction(deps.control, async (client) => {
    const known = await findBranding(client, id);
    const row: BrandingRow = {
      account_id: id,
      name: body.name === undefined ? (known?.name ?? null) : body.name,
      logo: body.logo === undefined ? (known?.logo ?? null) : image ? image.bytes : null,
      logo_type: body.logo === undefined ? (known?.logo_type ?? null) : image ? image.type : null,
      updated_at: deps.clock(),
    };
    await replaceBranding(client, row);
    const details = { name: row.name, has_logo: row.logo !== null };
    await recordAct(deps, client, actorOf(caller, ip), 'branding.changed', { id, account_id: id }, details);
    return row;
  });
}
