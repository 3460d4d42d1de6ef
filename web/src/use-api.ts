// Hooks that load data from the API: loading state, result or problem, and a way to reload.
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
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
  return { status: 0, code: 'unexpected', title: 'Something went wrong', detail: String(error) };
}

/** A `null` path sends nothing. The previous answer stays until the next one arrives; `isLoading` marks it as stale. */
export function useApi<Answer>(path: string | null, body?: unknown): Reading<Answer> {
  const { credential } = useCaller();
  const [round, setRound] = useState(0);
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const question = useMemo(
    () => (path === null ? null : { credential, path, sent, round }),
    [credential, path, sent, round],
  );
  const [answer, setAnswer] = useState<{ to: typeof question; data?: Answer; problem?: Problem }>();

  useEffect(() => {
    if (question === null) {
      setAnswer(undefined);
      return undefined;
    }
    const abort = new AbortController();
    const keep = (answered: { data: Answer } | { problem: Problem }) => {
      if (!abort.signal.aborted) setAnswer({ to: question, ...answered });
    };
    call<Answer>(question.credential, question.path, {
      signal: abort.signal,
      ...(question.sent !== undefined && { body: JSON.parse(question.sent) }),
    }).then(
      (data) => keep({ data }),
      (error: unknown) => keep({ problem: problemOf(error) }),
    );
    return () => abort.abort();
  }, [question]);

  const reload = useCallback(() => setRound((value) => value + 1), []);
  return {
    data: question === null ? undefined : answer?.data,
    problem: question === null ? undefined : answer?.problem,
    // True from the first render with the new question, before the effect has run.
    isLoading: question !== null && answer?.to !== question,
    reload,
  };
}

interface ListReading<Item> extends Reading<Item[]> {
  hasMore: boolean;
  isLoadingMore: boolean;
  more(): void;
}

/** A list that loads one page at a time. */
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

/** Tracks an async action: whether it is running, and the problem it ended with. */
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
