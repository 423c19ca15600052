import { hash, randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Orders } from './start.ts';
import { VERSION } from './terms.ts';

/** Where the routes of tests begin. No endpoint is there, and without `--testing` they are not there either. */
const TESTING = '/testing/';

/** What a route does with what it is sent; what it gives is the answer. */
type Route = (orders: Orders, sent: Readonly<Record<string, unknown>>) => unknown;

/** What an operator does for the service, for a test: rows, keys, receivers, time, and beginning anew. */
const ROUTES: Readonly<Record<string, Route>> = {
  rows: ({ store }, { resource, fields }) => {
    if (resource !== 'Customer') throw new Error(`The operator enters no ${String(resource)}`);
    const id = randomUUID();
    const customer = { id, name: 'Somebody', email: `${id}@example.com`, ...(fields as object) };
    store.db.prepare('INSERT INTO customer VALUES (?, ?, ?)').run(customer.id, customer.name, customer.email);
    return customer;
  },
  keys: ({ store }, { customer, scopes }) => {
    const key = randomBytes(24).toString('base64url');
    const insertion = store.db.prepare('INSERT INTO api_key VALUES (?, ?, ?, NULL)');
    insertion.run(hash('sha256', key, 'buffer'), customer, (scopes as string[]).join(' '));
    return { key };
  },
  receivers: ({ store }, { url, events, version }) => {
    const id = randomUUID();
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    store.db.prepare('INSERT INTO receiver VALUES (?, ?, ?, ?)').run(id, url, secret, version ?? VERSION);
    for (const event of events as string[]) store.db.prepare('INSERT INTO subscription VALUES (?, ?)').run(event, id);
    return { secret };
  },
  clock: ({ clock }, { milliseconds }) => {
    clock.pass(Number(milliseconds ?? 0));
    return { now: clock.now() };
  },
  reset: ({ store, gate, service }) => {
    for (const table of ['delivery', 'subscription', 'receiver', 'event', 'answer', 'orders', 'api_key', 'customer'])
      store.db.exec(`DELETE FROM ${table}`);
    gate.forget();
    service.forget();
    return {};
  },
};

/** Answers the routes of tests before whatever framework the service is served with is asked. */
export function serveTesting(server: Server, orders: Orders): void {
  const listeners = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    const route = request.url?.startsWith(TESTING) ? ROUTES[request.url.slice(TESTING.length)] : undefined;
    if (route) void answer(route, orders, request, response);
    else for (const listener of listeners) listener.call(server, request, response);
  });
}

async function answer(route: Route, orders: Orders, request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  const [status, body] = attempt(() => route(orders, JSON.parse(text || '{}') as Record<string, unknown>));
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

function attempt(work: () => unknown): [status: number, body: unknown] {
  try {
    return [200, work()];
  } catch (error) {
    return [400, { message: String(error) }];
  }
}
