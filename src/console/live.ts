import type { AdminRequest, AdminResponse } from '../runtime/admin/admin.ts';
import type { ActivityReader } from './activity.ts';
import { writeHead } from './responses.ts';

/** The interval between messages, and how long a client may leave them unread, in milliseconds. */
const INTERVAL_MS = 1000;
const PATIENCE_MS = 30_000;

/** A client of the live stream. */
interface Listener {
  readonly response: AdminResponse;
  /** Whether the session is still valid. */
  readonly welcome: () => Promise<boolean>;
  /** The time since which sent data is unread, on the monotonic clock; null if all was read. */
  stuck: number | null;
}

/**
 * Sends the activity of the service to all clients once a second. It is computed once for all, and not at all without
 * clients.
 */
export class LiveStream {
  private readonly activity: ActivityReader;
  private readonly listeners = new Set<Listener>();
  private timer: NodeJS.Timeout | null = null;

  constructor(activity: ActivityReader) {
    this.activity = activity;
  }

  /** Adds a client, until its connection or session ends. */
  listen(request: AdminRequest, response: AdminResponse, welcome: () => Promise<boolean>): void {
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

  /** Never rejects. Sends nothing while no document is served. */
  private async tell(listeners: readonly Listener[]): Promise<void> {
    const activity = await this.activity.read().catch(() => null);
    const text = activity && `event: live\ndata: ${JSON.stringify(activity)}\n\n`;
    for (const one of listeners) {
      if (!(await one.welcome())) one.response.end('event: ended\ndata: {}\n\n');
      else if (text && !isStuck(one)) one.response.write(text);
    }
  }
}

/** Whether a client does not read. Such a client gets no more messages, and is disconnected after a while. */
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
