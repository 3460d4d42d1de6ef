// A minimal Stripe mock: keeps state, declines test cards, replays idempotency keys and signs webhooks. Only what
// src/customers/billing/providers/stripe.ts uses.
import { createServer, type IncomingMessage } from 'node:http';
import Stripe from 'stripe';

interface Method {
  id: string;
  fingerprint: string;
  last4: string;
  /** Declines from now on, or the next so many times. */
  declines: number;
}

interface Intent {
  id: string;
  object: 'payment_intent';
  status: string;
  amount: number;
  metadata: { invoice_id: string };
}

export interface FakeStripe {
  url: string;
  secretKey: string;
  webhookSecret: string;
  /** Every successful payment. */
  taken: { id: string; amount: number; invoiceId: string }[];
  /** How many charges were asked for, replays included. */
  asked: number;
  /** Every refund sent. */
  refunded: { intentId: string; amount: number }[];
  /** Charges stay in processing until `confirm`. */
  processing: boolean;
  /** Settles the processing charge of an invoice; returns its intent. */
  confirm(invoiceId: string, status: 'succeeded' | 'requires_payment_method'): Intent;
  /** Breaks the connection after executing a charge, this many times. */
  dropAnswers: number;
  /** The browser's part: a card is entered into the form of a setup intent. Returns the intent's id. */
  enterCard(clientSecret: string, card: { fingerprint: string; declines?: number }): string;
  setDeclines(fingerprint: string, times: number): void;
  signedEvent(type: string, object: object): { body: string; signature: string };
}

export async function startStripe(): Promise<FakeStripe> {
  const methods = new Map<string, Method>();
  const setups = new Map<string, { id: string; customer: string; status: string; payment_method: string | null }>();
  const replays = new Map<string, { status: number; body: string; request: string }>();
  const intents = new Map<string, Intent>();
  let count = 0;
  const nextId = (prefix: string) => `${prefix}_${String((count += 1)).padStart(6, '0')}`;
  const signer = new Stripe('sk_none', {});

  const fake: FakeStripe = {
    url: '',
    secretKey: 'sk_none_for_tests',
    webhookSecret: 'whsec_for_tests',
    taken: [],
    refunded: [],
    processing: false,
    confirm(invoiceId, status) {
      const intent = [...intents.values()].find((each) => each.metadata.invoice_id === invoiceId)!;
      intent.status = status;
      if (status === 'succeeded') take(intent);
      return intent;
    },
    asked: 0,
    dropAnswers: 0,
    enterCard(clientSecret, { fingerprint, declines = 0 }) {
      const setup = setups.get(clientSecret.split('_secret')[0])!;
      const method = { id: nextId('pm'), fingerprint, last4: '4242', declines };
      methods.set(method.id, method);
      Object.assign(setup, { status: 'succeeded', payment_method: method.id });
      return setup.id;
    },
    setDeclines(fingerprint, times) {
      for (const method of methods.values()) if (method.fingerprint === fingerprint) method.declines = times;
    },
    signedEvent(type, object) {
      const body = JSON.stringify({ id: nextId('evt'), object: 'event', type, data: { object } });
      const signature = signer.webhooks.generateTestHeaderString({ payload: body, secret: fake.webhookSecret });
      return { body, signature };
    },
  };

  function answer(method: string, path: string, form: URLSearchParams): [number, object] {
    if (path === '/v1/customers') return [200, { id: nextId('cus'), object: 'customer' }];
    if (path === '/v1/setup_intents') {
      const id = nextId('seti');
      setups.set(id, { id, customer: form.get('customer')!, status: 'requires_payment_method', payment_method: null });
      return [200, { ...setups.get(id), object: 'setup_intent', client_secret: `${id}_secret_x` }];
    }
    const setup = /^\/v1\/setup_intents\/(\w+)/.exec(path);
    if (setup && method === 'GET') {
      const found = setups.get(setup[1]);
      if (!found) return [404, { error: { type: 'invalid_request_error', message: 'No such setupintent' } }];
      const known = found.payment_method ? methods.get(found.payment_method) : undefined;
      const card = known && {
        brand: 'visa',
        last4: known.last4,
        exp_month: 4,
        exp_year: 2030,
        fingerprint: known.fingerprint,
      };
      return [200, { ...found, object: 'setup_intent', payment_method: known ? { id: known.id, card } : null }];
    }
    if (path === '/v1/payment_intents') return charge(form);
    const asked = /^\/v1\/payment_intents\/(\w+)$/.exec(path);
    if (asked) return [200, intents.get(asked[1])!];
    if (path === '/v1/refunds') {
      fake.refunded.push({ intentId: form.get('payment_intent')!, amount: Number(form.get('amount')) });
      return [200, { id: nextId('re'), object: 'refund', status: 'succeeded' }];
    }
    return [404, { error: { type: 'invalid_request_error', message: `Unknown ${path}` } }];
  }

  function charge(form: URLSearchParams): [number, object] {
    const card = methods.get(form.get('payment_method')!)!;
    const id = nextId('pi');
    const invoiceId = form.get('metadata[invoice_id]')!;
    const intent: Intent = {
      id,
      object: 'payment_intent',
      status: fake.processing ? 'processing' : 'succeeded',
      amount: Number(form.get('amount')),
      metadata: { invoice_id: invoiceId },
    };
    intents.set(id, intent);
    if (card.declines > 0) {
      card.declines -= 1;
      const error = {
        type: 'card_error',
        code: 'card_declined',
        decline_code: 'insufficient_funds',
        message: 'Declined.',
      };
      return [402, { error: { ...error, payment_intent: { ...intent, status: 'requires_payment_method' } } }];
    }
    if (intent.status === 'succeeded') take(intent);
    return [200, intent];
  }

  function take({ id, amount, metadata }: Intent): void {
    fake.taken.push({ id, amount, invoiceId: metadata.invoice_id });
  }

  const server = createServer(async (request, response) => {
    const text = await readText(request);
    const path = request.url!.split('?')[0];
    const key = request.headers['idempotency-key'] as string | undefined;
    if (path === '/v1/payment_intents') fake.asked += 1;
    const known = request.method === 'POST' && key ? replays.get(key) : undefined;
    if (known && known.request !== path + text) {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { type: 'idempotency_error', message: 'Other parameters.' } }));
      return;
    }
    const [status, body] = known
      ? [known.status, known.body]
      : stringify(answer(request.method!, path, new URLSearchParams(text)));
    if (request.method === 'POST' && key) replays.set(key, { status, body, request: path + text });
    if (['/v1/payment_intents', '/v1/refunds'].includes(path) && fake.dropAnswers > 0) {
      fake.dropAnswers -= 1;
      request.socket.destroy();
      return;
    }
    const headers = { 'content-type': 'application/json', ...(known && { 'idempotent-replayed': 'true' }) };
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  // Users exit without closing it.
  server.unref();
  fake.url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  return fake;
}

function stringify([status, body]: [number, object]): [number, string] {
  return [status, JSON.stringify(body)];
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
