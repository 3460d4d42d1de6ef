// Calls the public API. The web app gets the same routes, errors, and limits as any customer.

export type Mode = 'test' | 'live';

/** Who the browser calls as: a pasted key, the session cookie of a signed-in user, or a guest, who sees the sandbox. */
export type Credential = { kind: 'key'; key: string } | { kind: 'session'; mode: Mode } | { kind: 'guest' };

export interface Problem {
  status: number;
  code: string;
  title: string;
  detail: string;
  request_id?: string;
  retryable?: boolean;
  required_scope?: string;
  candidates?: unknown[];
  suggestions?: unknown[];
  errors?: { pointer: string; code: string; detail: string }[];
}

export class ApiProblem extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

export interface Page<Item> {
  object: 'list';
  data: Item[];
  pagination: { limit: number; has_more: boolean; next_cursor: string | null; total: number | null };
}

export interface CallOptions {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export function headersOf(credential: Credential | undefined): Record<string, string> {
  if (!credential) return {};
  if (credential.kind === 'key') return { 'x-api-key': credential.key };
  return { 'x-platbook-mode': credential.kind === 'guest' ? 'guest' : credential.mode };
}

export async function call<Answer>(
  credential: Credential | undefined,
  path: string,
  options: CallOptions = {},
): Promise<Answer> {
  const response = await send(credential, path, options);
  return (response.status === 204 ? undefined : await response.json()) as Answer;
}

/** Returns the raw response, for file downloads. Throws an ApiProblem unless the status is 2xx. */
export async function send(
  credential: Credential | undefined,
  path: string,
  { method, body, headers, signal }: CallOptions = {},
): Promise<Response> {
  const isRaw = typeof body === 'string' || body instanceof Blob;
  let response: Response;
  try {
    response = await fetch(path.startsWith('/') ? path : `/api/v1/${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...headersOf(credential),
        ...(body !== undefined && !isRaw && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
      credentials: 'same-origin',
      signal,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiProblem({
      status: 0,
      code: 'network',
      title: 'No connection',
      detail: 'We couldn’t reach the server. Check your connection and try again.',
      retryable: true,
    });
  }
  if (response.ok) return response;
  throw new ApiProblem(await readProblem(response));
}

async function readProblem(response: Response): Promise<Problem> {
  const fallback = {
    status: response.status,
    code: 'unexpected',
    title: `The server returned ${response.status}`,
    detail: 'We couldn’t read the response. Try again, and contact support if the problem persists.',
  };
  const body = (await response.json().catch(() => undefined)) as Record<string, unknown> | undefined;
  if (!body) return fallback;
  return { ...fallback, ...(typeof body.message === 'string' && { detail: body.message }), ...body };
}

export function queryOf(values: Record<string, string | number | boolean | null | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && value !== null && value !== '') query.set(name, String(value));
  }
  const text = query.toString();
  return text ? `?${text}` : '';
}
