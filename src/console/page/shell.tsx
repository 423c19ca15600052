import { useEffect, useRef, useState } from 'preact/hooks';
import { addresses } from './app/addresses.ts';
import { post } from './app/api.ts';
import { useApp, useLive, useTask } from './app/app.ts';
import { BASE } from './app/router.ts';
import { Keys } from './jump.tsx';
import { fileName } from './parts/words.ts';
import { viewOf } from './views.tsx';

/** The navigation and the current view. */
export function Shell() {
  const { place } = useApp();
  const [open, setOpen] = useState(false);
  const [going, setGoing] = useState(false);
  const main = useRef<HTMLElement>(null);
  const path = place.parts.join('/');
  const first = useRef(true);
  // The focus moves to the heading of an opened view, for screen readers and keyboards. The first view does not move
  // the focus.
  useEffect(() => {
    setOpen(false);
    if (first.current) {
      first.current = false;
      return;
    }
    window.scrollTo(0, 0);
    main.current?.querySelector<HTMLElement>('h1')?.focus();
  }, [path]);
  const View = viewOf(place);
  return (
    <div class={`shell${open ? ' open' : ''}`}>
      <a class="skip" href="#main">
        Go to the content
      </a>
      <header class="top">
        <button
          type="button"
          class="menu"
          aria-expanded={open}
          aria-controls="navigation"
          onClick={() => setOpen(!open)}
        >
          <Bars />
          <span>Menu</span>
        </button>
        <Title />
      </header>
      <aside class="side" id="navigation" aria-label="The console">
        <Title />
        <button type="button" class="go" onClick={() => setGoing(true)}>
          Go to … <kbd>{/Mac|iP/.test(navigator.platform) ? '⌘K' : 'Ctrl K'}</kbd>
        </button>
        <Navigation />
        <Foot />
      </aside>
      <main id="main" ref={main} tabIndex={-1}>
        <Lost />
        <View />
      </main>
      <Keys open={going} setOpen={setGoing} />
    </div>
  );
}

function Title() {
  const { service } = useApp();
  return (
    <a class="service" href={BASE}>
      <Mark />
      <span class="service-name">
        <strong>{service.title}</strong>
        <span class="muted" title={service.document}>
          {fileName(service.document)}
        </span>
      </span>
    </a>
  );
}

function Navigation() {
  const { service, place } = useApp();
  const { last } = useLive();
  const here = place.parts[0] ?? '';
  const changed = last?.changedOnDisk ?? false;
  const listed = service.resources.length <= SHOWN_RESOURCES;
  return (
    <nav aria-label="Views">
      <ul>
        <Entry
          address={BASE}
          name="Document"
          on={here === '' || here === 'edit'}
          note={service.questions ? `${service.questions}` : ''}
          of="open questions"
          warn
        />
        <Entry address={addresses.states()} name="States" on={here === 'states'} />
        <Entry
          address={addresses.endpoints()}
          name="Endpoints"
          on={here === 'endpoints'}
          note={`${service.endpoints}`}
        />
      </ul>
      <ul>
        <Entry address={addresses.rows()} name="Rows" on={here === 'rows' && (!listed || place.parts.length === 1)} />
        {listed &&
          service.resources.map(({ name }) => (
            <Entry
              key={name}
              address={addresses.rows(name)}
              name={name}
              on={here === 'rows' && place.parts[1] === name}
              inner
            />
          ))}
        <Entry address={addresses.keys()} name="Keys" on={here === 'keys'} />
      </ul>
      <ul>
        <Entry address={addresses.deliveries()} name="Deliveries" on={here === 'deliveries'} />
        <Entry address={addresses.receivers()} name="Receivers" on={here === 'receivers'} />
      </ul>
      <ul>
        <Entry address={addresses.requests()} name="Requests" on={here === 'requests'} />
        <Entry address={addresses.activity()} name="Activity" on={here === 'activity'} />
        <Entry
          address={addresses.migration()}
          name="Migration"
          on={here === 'migration'}
          note={changed ? 'changed' : ''}
          warn
        />
      </ul>
    </nav>
  );
}

/** The most resources with an entry of their own; the list of rows has the others. */
const SHOWN_RESOURCES = 24;

interface EntryProps {
  readonly address: string;
  readonly name: string;
  readonly on: boolean;
  readonly note?: string;
  /** The noun that the note counts, for screen readers. */
  readonly of?: string;
  readonly warn?: boolean;
  readonly inner?: boolean;
}

function Entry({ address, name, on, note = '', of = '', warn = false, inner = false }: EntryProps) {
  return (
    <li>
      <a class={`entry${inner ? ' inner' : ''}`} href={address} aria-current={on ? 'page' : undefined}>
        <span class="cut">{name}</span>
        {note && (
          <span class={`note${warn ? ' warn' : ''}`}>
            {note}
            {of && <span class="unseen"> {of}</span>}
          </span>
        )}
      </a>
    </li>
  );
}

function Foot() {
  const { service, ended } = useApp();
  const { last, lost } = useLive();
  const end = useTask();
  const notReady = last ? last.notReady : service.notReady;
  const wrong = lost ? 'No connection' : notReady === null ? null : `Not ready: ${notReady}`;
  return (
    <footer class="foot">
      <p class={`serving ${wrong === null ? 'ok' : 'bad'}`} title={wrong ?? service.address}>
        <span class="dot" aria-hidden="true" />
        <span class="cut">{wrong ?? hostOf(service.address)}</span>
      </p>
      <ThemeSwitch />
      <p class="operator cut" title="The name of your session">
        {service.operator}
      </p>
      <button
        type="button"
        class="plain"
        disabled={end.running}
        onClick={() =>
          end.run(async () => {
            await post('/session/end', {});
            ended('The session has ended.');
          })
        }
      >
        End session
      </button>
      {end.error && <p role="alert">{end.error.message}</p>}
    </footer>
  );
}

const hostOf = (address: string): string => address.replace(/^https?:\/\//, '');

const THEME_NAMES: Readonly<Record<Theme, string>> = { system: 'System', light: 'Light', dark: 'Dark' };

function ThemeSwitch() {
  const [theme, setTheme] = useState(chosenTheme());
  return (
    <fieldset class="segments">
      <legend class="unseen">Theme</legend>
      {THEMES.map((one) => (
        <label key={one}>
          <input
            type="radio"
            name="theme"
            checked={theme === one}
            onChange={() => {
              chooseTheme(one);
              setTheme(one);
            }}
          />
          <span>{THEME_NAMES[one]}</span>
        </label>
      ))}
    </fieldset>
  );
}

function Lost() {
  const { lost } = useLive();
  return (
    <div role="status" class="lost">
      {lost && <p>The console has lost the connection to the service and tries again. The numbers here may be old.</p>}
    </div>
  );
}

function Mark() {
  return (
    <svg class="mark" viewBox="0 0 16 16" width="20" height="20" aria-hidden="true">
      {[1, 6, 11].map((y) => [1, 6, 11].map((x) => <rect key={`${x} ${y}`} x={x} y={y} width="4" height="4" rx="1" />))}
    </svg>
  );
}

function Bars() {
  return (
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d="M2 4h12M2 8h12M2 12h12" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" />
    </svg>
  );
}

/** The selectable themes: that of the system, or a fixed one. */
const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

const THEME_KEY = 'ninefold-theme';

/** The stored theme of this browser. */
function chosenTheme(): Theme {
  const stored = localStorage.getItem(THEME_KEY);
  return THEMES.find((one) => one === stored) ?? 'system';
}

/** Applies a theme, and stores it for later visits. */
function chooseTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === 'system') {
    localStorage.removeItem(THEME_KEY);
    delete dataset.theme;
    return;
  }
  localStorage.setItem(THEME_KEY, theme);
  dataset.theme = theme;
}
