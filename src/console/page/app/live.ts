import type { Activity } from '../../protocol.ts';
import { LIVE } from './api.ts';

/** How many of the last messages are kept for charts: ten minutes of one a second. */
const KEPT = 600;
const AGAIN_MS = 3000;

/** The live numbers: one connection for the page, closed while nobody looks at it. */
export class Live {
  private source: EventSource | null = null;
  private readonly listeners = new Set<() => void>();
  private held: readonly Activity[] = [];
  private broken = false;

  constructor() {
    document.addEventListener('visibilitychange', () => this.follow());
  }

  /** The messages so far, the newest last. */
  get messages(): readonly Activity[] {
    return this.held;
  }

  get last(): Activity | null {
    return this.held.at(-1) ?? null;
  }

  /** Whether the connection is lost: the browser then reconnects automatically. */
  get lost(): boolean {
    return this.broken;
  }

  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    this.follow();
    return () => {
      this.listeners.delete(listener);
      this.follow();
    };
  }

  private follow(): void {
    const wanted = this.listeners.size > 0 && document.visibilityState === 'visible';
    if (!wanted) {
      this.source?.close();
      this.source = null;
    } else if (this.source === null) this.open();
  }

  private open(): void {
    const source = new EventSource(LIVE);
    this.source = source;
    source.addEventListener('live', (event: MessageEvent<string>) => {
      const message = JSON.parse(event.data) as Activity;
      // Another process counts from its own beginning.
      const before = this.last?.since === message.since ? this.held : [];
      this.held = [...before.slice(1 - KEPT), message];
      this.broken = false;
      this.tell();
    });
    source.addEventListener('error', () => {
      this.broken = true;
      this.tell();
      // A browser reconnects automatically after a broken connection, but not after a refusal.
      if (source.readyState === EventSource.CLOSED && this.source === source) {
        this.source = null;
        setTimeout(() => this.follow(), AGAIN_MS);
      }
    });
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}
