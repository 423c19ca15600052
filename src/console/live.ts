import type { AdminRequest, AdminResponse } from '../runtime/admin/admin.ts';
import type { ActivityReader } from './activity.ts';
import { writeHead } from './responses.ts';

/** How often what the service does is told, in milliseconds, and for how long somebody may take nothing. */
const INTERVAL_MS = 1000;
const PATIENCE_MS = 30_000;

/** Somebody who looks on. */
interface Listener {
  readonly response: AdminResponse;
  /** Whether the session goes on. */
  readonly welcome: () => boolean;
  /** Since when what was sent has not been taken, on the monotonic clock; null where it has. */
  stuck: number | null;
}

/** Tells all who look on what the service does, once a second: computed once for all, and not at all for nobody. */
export class LiveStream {
  private readonly activity: ActivityReader;
  private readonly listeners = new Set<Listener>();
  private timer: NodeJS.Timeout | null = null;

  constructor(activity: ActivityReader) {
    this.activity = activity;
  }

  /** Somebody looks on, until the connection or the session ends. */
  listen(request: AdminRequest, response: AdminResponse, welcome: () => boolean): void {
    const listener: Listener = { response, welcome, stuck: null };
    writeHead(response, { status: 200, type: 'text/event-stream' });
    response.flushHeaders();
    this.listeners.add(listener);
    request.on('close', () => this.leave(listener));
    response.on('close', () => this.leave(listener));
    void this.tell([listener]);
    this.timer ??= setInterval(() => void this.tell([...this.listeners]), INTERVAL_MS).unref();
  }

  private leave(listener: Listener): void {
    this.listeners.delete(listener);
    if (this.listeners.size > 0 || !this.timer) return;
    clearInterval(this.timer);
    this.timer = null;
  }

  /** Never rejects. While no document is in force there is nothing to tell. */
  private async tell(listeners: readonly Listener[]): Promise<void> {
    const activity = await this.activity.read().catch(() => null);
    const text = activity && `event: live\ndata: ${JSON.stringify(activity)}\n\n`;
    for (const one of listeners) {
      if (!one.welcome()) one.response.end('event: ended\ndata: {}\n\n');
      else if (text && !isStuck(one)) one.response.write(text);
    }
  }
}

/** Whoever takes nothing is sent nothing more, and after a while is let go. */
function isStuck(listener: Listener): boolean {
  const { response } = listener;
  if (!response.writableNeedDrain) {
    listener.stuck = null;
    return false;
  }
  listener.stuck ??= performance.now();
  if (performance.now() - listener.stuck > PATIENCE_MS) response.destroy();
  return true;
}
