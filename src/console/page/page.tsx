import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ServiceAnswer } from '../protocol.ts';
import { ApiError, get } from './app/api.ts';
import { type App, AppContext } from './app/app.ts';
import type { Live } from './app/live.ts';
import type { Router } from './app/router.ts';
import { hasDraft } from './edit/draft.ts';
import { WithCode } from './parts/page-parts.tsx';
import { Shell } from './shell.tsx';

interface Props {
  readonly router: Router;
  readonly live: Live;
}

/**
 * The whole page. It loads the description of the service at the start, and again after each change of the document.
 */
export function Page({ router, live }: Props) {
  const [place, setPlace] = useState(router.place());
  const [service, setService] = useState<ServiceAnswer | null>(null);
  const [ended, setEnded] = useState<string | null>(null);
  const known = useRef(false);
  useEffect(() => router.listen(() => setPlace(router.place())), [router]);
  const load = useCallback(() => {
    get<ServiceAnswer>('/service').then(setService, (error: unknown) => {
      if (!(error instanceof ApiError)) return;
      // The page keeps its content while the service can’t be reached.
      if (!known.current || error.problem.kind === 'no session') setEnded(error.message);
    });
  }, []);
  known.current = service !== null;
  // Before the first frame: nothing can be shown until it is there.
  useLayoutEffect(load, [load]);
  useServed(live, service?.served ?? null, load);
  const app = useMemo<App | null>(() => {
    if (service === null) return null;
    return { router, place, live, service, ended: setEnded };
  }, [router, place, live, service]);
  if (ended !== null) return <SessionEnded why={ended} />;
  if (app === null) return <Opening />;
  return (
    <AppContext value={app}>
      <Shell />
    </AppContext>
  );
}

/**
 * Loads the description of the service again when the live messages tell of another document than the one that was loaded,
 * the first message too, and when their connection is lost.
 */
function useServed(live: Live, loaded: number | null, changed: () => void): void {
  useEffect(() => {
    if (loaded === null) return;
    let asked = loaded;
    let lost = false;
    const look = (): void => {
      // The connection is refused where the session has ended, or where another process has taken the place.
      if (live.lost && !lost) changed();
      lost = live.lost;
      const now = live.last?.served ?? asked;
      if (now !== asked) changed();
      asked = now;
    };
    look();
    return live.listen(look);
  }, [live, loaded, changed]);
}

function Opening() {
  return (
    <main class="alone" aria-busy="true">
      <p class="muted">Opening the console …</p>
    </main>
  );
}

function SessionEnded({ why }: { readonly why: string }) {
  return (
    <main class="alone">
      <h1>The console is closed</h1>
      <p>
        <WithCode text={why} />
      </p>
      <p class="muted">
        Sessions end after 12 hours, after 30 minutes without use, and with the process. A link works once.
      </p>
      {hasDraft() && (
        <p>
          This window keeps the text that you were editing. Open the link in this window, or open it in another one and
          choose <em>Try again</em> here.
        </p>
      )}
      <p>
        <button type="button" class="button" onClick={() => window.location.reload()}>
          Try again
        </button>
      </p>
    </main>
  );
}
