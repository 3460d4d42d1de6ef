// HTTP routes for the evidence of quality and the proof of a receipt.
import Type from 'typebox';
import type { Deps } from '../../base/deps.ts';
import { pdfContent, sendPdf } from '../../base/http/answers.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import { oneOf, strict, text } from '../../base/lib/schema.ts';
import { proveReceipt } from './anchors.ts';
import { readQuality } from './quality.ts';
import { Quality, ReceiptProof } from './schema.ts';
import { entryOf } from '../../base/lib/must.ts';

const operation = operationsOf('valuations');

export function qualityRoutes(app: App, deps: Deps): void {
  app.get(
    '/avm/quality',
    operation('get_quality', 'Get evidence of quality for the interagency rule on automated valuation models', {
      scope: 'avm:read',
      meter: 'none',
      errors: ['resource_not_found'],
      querystring: strict({
        format: Type.Optional(oneOf(['json', 'pdf'], { default: 'json', description: 'The same as a document.' })),
        market: text(60, { minLength: 1, description: 'Market id, as listed by /markets.', examples: ['sandbox'] }),
      }),
      response: {
        200: {
          description: 'The evidence.',
          content: {
            'application/json': { schema: Quality },
            ...pdfContent(10_000_000),
          },
        },
      },
    }),
    async ({ query, caller: { key, account } }, reply) => {
      const market = query.market.trim().toLowerCase();
      const quality = await readQuality(deps, { accountId: account.id, mode: key.mode }, market);
      if (query.format !== 'pdf') return quality;
      const { markets } = await deps.catalog.read();
      const names = { author: deps.config.seller.name, account: account.name, market: entryOf(markets, market).name };
      const place = { file: new URL('./pdf.ts', import.meta.url), name: 'render', account: account.id };
      const pdf = await deps.threads.run<typeof import('./pdf.ts').render>(place, { quality, ...names });
      return sendPdf(reply, `quality-${market}`, pdf, 'inline');
    },
  );

  app.get(
    '/avm/valuations/:id/proof',
    operation('get_valuation_proof', 'Prove that a valuation receipt is unchanged', {
      scope: 'avm:read',
      meter: 'none',
      params: Type.Object({ id: text(40, { pattern: '^val_[0-9a-z]{20}$' }) }),
      querystring: strict({}),
      response: { 200: ReceiptProof },
    }),
    ({ params, caller: { key, account } }) => proveReceipt(deps, { accountId: account.id, mode: key.mode }, params.id),
  );
}
