import { createContext } from 'preact';
import { useContext, useEffect, useLayoutEffect, useState } from 'preact/hooks';
import type { Activity, ServiceAnswer } from '../../protocol.ts';
import { ApiError, get } from './api.ts';
import type { Live } from './live.ts';
import type { Place, Router } from './router.ts';

/** The context of all views. */
export interface App {
  readonly router: Router;
  readonly place: Place;
  readonly live: Live;
  readonly service: ServiceAnswer;
  /** Shows that the session has ended. */
  readonly ended: (why: string) => void;
}

export const AppContext = createContext<App | null>(null);

export function useApp(): App {
  const app = useContext(AppContext);
  if (app === null) throw new Error('A view is drawn outside the page.');
  return app;
}

/** The state of a data request. The last answer is kept while data is loaded again. */
export interface Answer<T> {
  readonly data: T | null;
  readonly error: ApiError | null;
  readonly loading: boolean;
  readonly again: () => void;
}

/** Loads data, and reloads it when the path changes or another document is served. A null path loads nothing. */
export function useAnswer<T>(path: string | null): Answer<T> {
  const { ended, service } = useApp();
  const [state, setState] = useState<{ path: string | null; data: T | null; error: ApiError | null }>({
    path: null,
    data: null,
    error: null,
  });
  const [times, setTimes] = useState(0);
  // In a layout effect, so that the request starts before the frame is painted.
  useLayoutEffect(() => {
    if (path === null) return;
    const abort = new AbortController();
    get<T>(path, abort.signal).then(
      (data) => setState({ path, data, error: null }),
      (error: unknown) => {
        if (abort.signal.aborted || !(error instanceof ApiError)) return;
        if (error.problem.kind === 'no session') ended(error.message);
        else setState((before) => ({ path, data: before.path === path ? before.data : null, error }));
      },
    );
    return () => abort.abort();
  }, [path, times, service]);
  const current = state.path === path;
  return {
    data: current ? state.data : null,
    error: current ? state.error : null,
    loading: !current || (state.data === null && state.error === null),
    again: () => setTimes((before) => before + 1),
  };
}

/** The latest message of the live stream, and the earlier ones. */
export function useLive(): { readonly last: Activity | null; readonly messages: readonly Activity[]; lost: boolean } {
  const { live } = useApp();
  const [, setTimes] = useState(0);
  useEffect(() => live.listen(() => setTimes((before) => before + 1)), [live]);
  return { last: live.last, messages: live.messages, lost: live.lost };
}

/** The state of a change: whether it runs, and its failure. */
export interface Task {
  readonly running: boolean;
  readonly error: ApiError | null;
  readonly run: (work: () => Promise<void>) => Promise<void>;
  readonly clear: () => void;
}

export function useTask(): Task {
  const { ended } = useApp();
  const [running, setRunning] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const run = async (work: () => Promise<void>): Promise<void> => {
    setRunning(true);
    setError(null);
    try {
      await work();
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      if (failure.problem.kind === 'no session') ended(failure.message);
      else setError(failure);
    } finally {
      setRunning(false);
    }
  };
  return { running, error, run, clear: () => setError(null) };
}
