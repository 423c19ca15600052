import { type MessagePort, workerData } from 'node:worker_threads';

/** The data with which a handler's worker is started. */
export interface Start {
  readonly url: string;
  readonly name: string;
  readonly port: MessagePort;
  /** Set to 1, and notified, whenever a reply has been sent: the event loop blocks on it for a short pure run. */
  readonly signal: Int32Array;
}

/** A message to a worker: to run the handler, or to abort a run. */
export type WorkerRequest =
  | { readonly id: number; readonly takes: string; readonly key: string }
  | { readonly abort: number };

/** A reply of a worker: that it is ready, that its module is broken, or a run's output as JSON or error. */
export type WorkerReply =
  | { readonly ready: true }
  | { readonly broken: string }
  | { readonly id: number; readonly gives: string }
  | { readonly id: number; readonly error: string };

const { url, name, port, signal } = workerData as Start;
const underWay = new Map<number, AbortController>();

function tell(told: WorkerReply): void {
  port.postMessage(told);
  Atomics.store(signal, 0, 1);
  Atomics.notify(signal, 0);
}

const reason = (error: unknown): string => (error instanceof Error ? `${error.name}: ${error.message}` : typeof error);

type Run = (takes: unknown, about: { readonly key: string; readonly signal: AbortSignal }) => unknown;

async function run(handler: Run, asked: Extract<WorkerRequest, { id: number }>): Promise<void> {
  const controller = new AbortController();
  underWay.set(asked.id, controller);
  try {
    const given = handler(JSON.parse(asked.takes), { key: asked.key, signal: controller.signal });
    const gives = JSON.stringify(given instanceof Promise ? await given : given);
    tell(gives === undefined ? { id: asked.id, error: 'it gave nothing' } : { id: asked.id, gives });
  } catch (error) {
    tell({ id: asked.id, error: reason(error) });
  } finally {
    underWay.delete(asked.id);
  }
}

try {
  const module: Record<string, unknown> = await import(url);
  const handler = module[name];
  if (typeof handler !== 'function') tell({ broken: `it exports no function “${name}”` });
  else {
    port.on('message', (asked: WorkerRequest) => {
      if ('abort' in asked) underWay.get(asked.abort)?.abort();
      else void run(handler as Run, asked);
    });
    tell({ ready: true });
  }
} catch (error) {
  tell({ broken: reason(error) });
}
