// Reading from the API in a component: loading, the answer, or the problem in words; with a way to ask again.
import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiProblem, call, type Page, type Problem } from './api.ts';
import { useCaller } from './caller.tsx';

export interface Reading<Answer> {
  data: Answer | undefined;
  problem: Problem | undefined;
  isLoading: boolean;
  reload(): void;
}

export function problemOf(error: unknown): Problem {
  if (error instanceof ApiProblem) return error.problem;
  return { status: 0, code: 'unexpected', title: 'Something went wrong here', detail: String(error) };
}

/** `null` asks nothing. The previous answer stays while the next one is on its way. */
export function useApi<Answer>(path: string | null, body?: unknown): Reading<Answer> {
  const { credential } = useCaller();
  const [state, setState] = useState<Omit<Reading<Answer>, 'reload'>>({
    data: undefined,
    problem: undefined,
    isLoading: path !== null,
  });
  const [round, setRound] = useState(0);
  const sent = body === undefined ? undefined : JSON.stringify(body);

  useEffect(() => {
    if (path === null) {
      setState({ data: undefined, problem: undefined, isLoading: false });
      return undefined;
    }
    const abort = new AbortController();
    setState((previous) => ({ ...previous, isLoading: true }));
    call<Answer>(credential, path, {
      signal: abort.signal,
      ...(sent !== undefined && { body: JSON.parse(sent) }),
    }).then(
      (data) => {
        if (!abort.signal.aborted) setState({ data, problem: undefined, isLoading: false });
      },
      (error: unknown) => {
        if (!abort.signal.aborted) setState({ data: undefined, problem: problemOf(error), isLoading: false });
      },
    );
    return () => abort.abort();
  }, [credential, path, sent, round]);

  const reload = useCallback(() => setRound((value) => value + 1), []);
  return { ...state, reload };
}

export interface ListReading<Item> extends Reading<Item[]> {
  hasMore: boolean;
  isLoadingMore: boolean;
  more(): void;
}

/** A list that grows page by page. */
export function useList<Item>(path: string | null): ListReading<Item> {
  const { credential } = useCaller();
  const first = useApi<Page<Item>>(path);
  const [later, setLater] = useState<{ of: Page<Item>; items: Item[]; cursor: string | null }>();
  const [isLoadingMore, setLoadingMore] = useState(false);
  const [moreProblem, setMoreProblem] = useState<Problem>();
  const isLoading = useRef(false);
  const tail = later && later.of === first.data ? later : undefined;
  const cursor = tail ? tail.cursor : (first.data?.pagination.next_cursor ?? null);

  const more = () => {
    const base = first.data;
    if (!base || cursor === null || path === null || isLoading.current) return;
    isLoading.current = true;
    setLoadingMore(true);
    setMoreProblem(undefined);
    call<Page<Item>>(credential, `${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`)
      .then((next) =>
        setLater({ of: base, items: [...(tail?.items ?? []), ...next.data], cursor: next.pagination.next_cursor }),
      )
      .catch((error: unknown) => setMoreProblem(problemOf(error)))
      .finally(() => {
        isLoading.current = false;
        setLoadingMore(false);
      });
  };
  const data = first.data && [...first.data.data, ...(tail?.items ?? [])];
  return { ...first, problem: first.problem ?? moreProblem, data, hasMore: cursor !== null, isLoadingMore, more };
}

/** An act on a button: running, its problem, and the function that does it. */
export function useAct<Args extends unknown[]>(act: (...args: Args) => Promise<void>) {
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const run = async (...args: Args) => {
    setRunning(true);
    setProblem(undefined);
    try {
      await act(...args);
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setRunning(false);
    }
  };
  return { run, isRunning, problem };
}
