import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import type { ServiceAnswer } from '../protocol.ts';
import { ApiError, get } from './app/api.ts';
import { type App, AppContext } from './app/app.ts';
import type { Live } from './app/live.ts';
import type { Router } from './app/router.ts';
import { Shell } from './shell.tsx';

interface Props {
  readonly router: Router;
  readonly live: Live;
}

/** The whole page: what is served is asked for once, and again whenever another document is served. */
export function Page({ router, live }: Props) {
  const [place, setPlace] = useState(router.place());
  const [service, setService] = useState<ServiceAnswer | null>(null);
  const [ended, setEnded] = useState<string | null>(null);
  useEffect(() => router.listen(() => setPlace(router.place())), [router]);
  const load = useCallback(() => {
    get<ServiceAnswer>('/service').then(setService, (error: unknown) => {
      if (error instanceof ApiError) setEnded(error.message);
    });
  }, []);
  useEffect(load, [load]);
  useServed(live, service !== null, load);
  const app = useMemo<App | null>(() => {
    if (service === null) return null;
    return { router, place, live, service, ended: setEnded };
  }, [router, place, live, service]);
  if (ended !== null) return <Ended why={ended} />;
  if (app === null) return <Opening />;
  return (
    <AppContext value={app}>
      <Shell />
    </AppContext>
  );
}

/** Follows the number that goes up whenever another document is served. */
function useServed(live: Live, started: boolean, changed: () => void): void {
  useEffect(() => {
    if (!started) return;
    let served: number | null = null;
    return live.listen(() => {
      const now = live.last?.served ?? null;
      if (served !== null && now !== null && now !== served) changed();
      if (now !== null) served = now;
    });
  }, [live, started, changed]);
}

function Opening() {
  return (
    <main class="alone" aria-busy="true">
      <p class="muted">Opening the console …</p>
    </main>
  );
}

function Ended({ why }: { readonly why: string }) {
  return (
    <main class="alone">
      <h1>The console is closed</h1>
      <p>{why}</p>
      <p class="muted">
        Each start of the service prints a link that opens the console once. Sessions end after 12 hours, after 30
        minutes without use, and with the process.
      </p>
      <p>
        <button type="button" class="button" onClick={() => window.location.reload()}>
          Try again
        </button>
      </p>
    </main>
  );
}
