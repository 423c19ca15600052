import { segmentText } from '../../../text/path-segment.ts';

/** Where the page is: the path below `/console/`, in its decoded parts, and the query. */
export interface Place {
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
  /** Path and query, as the address has them. */
  readonly address: string;
}

export const BASE = '/console/';

/** The address of the page, which back and forward change too. */
export class Router {
  private readonly listeners = new Set<() => void>();

  constructor() {
    window.addEventListener('popstate', () => this.changed());
    document.addEventListener('click', (event) => this.follow(event));
  }

  place(): Place {
    const { pathname, search } = window.location;
    const parts = pathname
      .slice(BASE.length)
      .split('/')
      .filter((part) => part !== '')
      .map(decoded);
    return { parts, query: new URLSearchParams(search), address: `${pathname}${search}` };
  }

  /** Goes to an address; `replace` leaves no step to go back to. */
  go(address: string, replace = false): void {
    if (address === this.place().address) return;
    if (replace) window.history.replaceState(null, '', address);
    else window.history.pushState(null, '', address);
    this.changed();
  }

  /** Changes members of the query and leaves the rest; null takes one out. */
  query(members: Readonly<Record<string, string | null>>, replace = false): void {
    const { query } = this.place();
    for (const [name, value] of Object.entries(members)) {
      if (value === null || value === '') query.delete(name);
      else query.set(name, value);
    }
    const text = query.toString();
    this.go(`${window.location.pathname}${text ? `?${text}` : ''}`, replace);
  }

  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }

  /** A plain click on a link of the page; all others are the browser’s. */
  private follow(event: MouseEvent): void {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const address = link?.getAttribute('href');
    if (!address?.startsWith(BASE) || link?.target || link?.hasAttribute('download')) return;
    event.preventDefault();
    this.go(address);
  }
}

function decoded(part: string): string {
  try {
    return segmentText(part);
  } catch {
    return part;
  }
}
