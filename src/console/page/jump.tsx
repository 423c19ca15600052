import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { EndpointsAnswer } from '../protocol.ts';
import { addresses } from './app/addresses.ts';
import { useAnswer, useApp } from './app/app.ts';
import { Dialog } from './parts/dialog.tsx';

/** A place of the console, by its name. */
interface Place {
  readonly name: string;
  readonly kind: string;
  readonly address: string;
}

/** The most places that are listed. */
const MOST = 12;

interface KeysProps {
  /** Whether the dialog that leads to any view is open. */
  readonly open: boolean;
  readonly setOpen: (open: boolean) => void;
}

/** `Ctrl-K` or `⌘K` opens a dialog that leads to any view; `/` leads to the search of a view. */
export function Keys({ open, setOpen }: KeysProps) {
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        // Another dialog keeps the keys that are pressed in it.
        if (!document.querySelector('dialog[open]')) setOpen(true);
      } else if (event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !isWritten(event.target)) {
        const search = document.querySelector<HTMLInputElement>('main [data-key="/"]');
        if (!search || document.querySelector('dialog[open]')) return;
        event.preventDefault();
        search.focus();
        search.select();
      }
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, []);
  return open ? <Jump close={() => setOpen(false)} /> : null;
}

/** Whether a key that is pressed there is text. */
const isWritten = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** A dialog with all places whose names have what is written. */
function Jump({ close }: { readonly close: () => void }) {
  const { router } = useApp();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current?.focus(), []);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = usePlaces()
    .filter(({ name, kind }) => words.every((word) => `${name} ${kind}`.toLowerCase().includes(word)))
    .slice(0, MOST);
  const chosen = Math.min(at, Math.max(found.length - 1, 0));
  const go = (place: Place | undefined): void => {
    if (!place) return;
    close();
    router.go(place.address);
  };
  const pressed = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by === 0 || found.length === 0) return;
    event.preventDefault();
    setAt((chosen + by + found.length) % found.length);
  };
  return (
    <Dialog title="Go to" close={close}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          go(found[chosen]);
        }}
      >
        <input
          ref={input}
          class="input"
          aria-label="Name of a view, a resource or an endpoint"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onKeyDown={pressed}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setAt(0);
          }}
        />
        <ul class="places" id="places" aria-label="Places">
          {found.map((place, i) => (
            <li key={place.address}>
              <a
                id={`place-${i}`}
                href={place.address}
                aria-current={i === chosen ? 'true' : undefined}
                onClick={close}
              >
                <span class="cut">{place.name}</span> <span class="muted">{place.kind}</span>
              </a>
            </li>
          ))}
        </ul>
        <p class="unseen" role="status">
          {found[chosen] && `${found[chosen].name}, ${found[chosen].kind}`}
        </p>
        {found.length === 0 && <p class="muted">Nothing has this name.</p>}
      </form>
    </Dialog>
  );
}

/** Every view, resource and endpoint. */
function usePlaces(): readonly Place[] {
  const { service } = useApp();
  const { data } = useAnswer<EndpointsAnswer>('/endpoints');
  const view = (name: string, address: string): Place => ({ name, kind: 'view', address });
  return [
    view('Document', addresses.document()),
    view('States', addresses.states()),
    view('Endpoints', addresses.endpoints()),
    view('Rows', addresses.rows()),
    ...service.resources.map(({ name }) => ({ name, kind: 'rows', address: addresses.rows(name) })),
    view('Keys', addresses.keys()),
    view('Deliveries', addresses.deliveries()),
    view('Receivers', addresses.receivers()),
    view('Requests', addresses.requests()),
    view('Activity', addresses.activity()),
    view('Migration', addresses.migration()),
    ...(data?.endpoints ?? []).map(({ name }) => ({ name, kind: 'endpoint', address: addresses.endpoint(name) })),
  ];
}
