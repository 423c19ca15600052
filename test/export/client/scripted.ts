import type { TestContext } from 'node:test';

/** What comes of one request: an answer, a failure of the network, or nothing until the request is given up. */
export type Outcome = Response | Error | 'nothing';

/** A `fetch` that answers as it is told to, and keeps what was sent. */
export class Scripted {
  readonly sent: Array<{ readonly url: string; readonly init: RequestInit; readonly headers: Headers }> = [];
  private readonly outcomes: Array<(init: RequestInit) => Outcome>;

  /** The last outcome is that of all requests that follow. */
  constructor(...outcomes: ReadonlyArray<(init: RequestInit) => Outcome>) {
    this.outcomes = [...outcomes];
  }

  readonly fetch = (url: string, init: RequestInit): Promise<Response> => {
    this.sent.push({ url, init, headers: new Headers(init.headers) });
    const outcome = (this.outcomes.length > 1 ? this.outcomes.shift() : this.outcomes[0])?.(init);
    if (outcome instanceof Response) return Promise.resolve(outcome);
    if (outcome instanceof Error) return Promise.reject(outcome);
    const { signal } = init;
    return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
  };
}

export const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  () =>
    new Response(status === 204 ? null : JSON.stringify(body), { status, headers });

/** A refusal with a code, as RFC 9457 has it. */
export const refused = (status: number, code: string, headers: Readonly<Record<string, string>> = {}) =>
  json(status, { title: 'No', status, code }, headers);

export const html = (status: number) => () => new Response('<h1>Sorry</h1>', { status });

/** The network fails. */
export const cut = () => new TypeError('fetch failed');

export const nothing = () => 'nothing' as const;

/** An answer that breaks off amid its body. */
export const torn = (status: number, text: string) => () =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(text));
      },
      pull(controller) {
        controller.error(new TypeError('terminated'));
      },
    }),
    { status },
  );

/**
 * Lets no time pass for clients: gives how long they wanted to wait, in milliseconds. Others in this process, which other
 * files have left something to wait for, wait as ever.
 */
export function pausesOf(t: TestContext): number[] {
  const pauses: number[] = [];
  const later = globalThis.setTimeout;
  t.mock.method(globalThis, 'setTimeout', (then: () => void, milliseconds: number, ...given: []) => {
    if (!isOfClient(new Error().stack ?? '')) return later(then, milliseconds, ...given);
    pauses.push(milliseconds);
    return later(then, 0);
  });
  return pauses;
}

/** Whether a client is among those who call: the golden, or one that `made.ts` has written. */
const isOfClient = (stack: string): boolean => /\/goldens\/|\/ninefold-client-/.test(stack);
