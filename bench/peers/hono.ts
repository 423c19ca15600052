// The orders service on Hono with its own server for Node, validated by its own Zod validator.
import type { Server } from 'node:http';
import { type HttpBindings, serve } from '@hono/node-server';
import { zValidator } from '@hono/zod-validator';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { HTTPException } from 'hono/http-exception';
import { announce, KEEP_ALIVE } from './orders/announce.ts';
import { patchOf } from './orders/draft.ts';
import type { Caller } from './orders/gate.ts';
import { inTime } from './orders/in-time.ts';
import { MOVES, type MoveName } from './orders/lifecycle.ts';
import { isOfType, JSON_TYPES, PATCH_TYPES } from './orders/media-type.ts';
import { elsewhere } from './orders/paths.ts';
import { faulty, PROBLEM_TYPE, Problem, problem } from './orders/problems.ts';
import { isReadable, listQuery, noParameters, type Query, withParameters } from './orders/query.ts';
import { openOrders } from './orders/start.ts';
import { checkJson, exactText } from './orders/strict-json.ts';
import { BODY_BYTES, type Draft, type Scope, VARY } from './orders/terms.ts';
import { currentQuery, olderDraft, olderPatch, olderProblem, shown, shownPage } from './orders/versions.ts';
import { DRAFT, faultsOf } from './zod.ts';

interface Env {
  Bindings: HttpBindings;
  Variables: { caller: Caller };
}

const orders = openOrders();
const { gate, service, lifecycle } = orders;
const app = new Hono<Env>();

const admit =
  (scope: Scope, takesBody = false): MiddlewareHandler<Env> =>
  async (c, next) => {
    const { incoming } = c.env;
    // Hono reads paths as URLs, which are shorter than what was sent where a segment is a dot.
    if (!isReadable(`?${c.req.path}`) || /\/\.{1,2}(?:[/?]|$)/.test(incoming.url ?? ''))
      return sendProblem(c, problem('no_such_endpoint'));
    if (c.req.method === 'HEAD') return sendProblem(c, elsewhere(c.req.path));
    const admission = gate.admit(incoming.headers, incoming.socket.remoteAddress ?? '', scope, takesBody, c.req.method);
    c.header('RateLimit-Policy', admission.policy);
    c.header('RateLimit', admission.limit);
    if (scope === 'orders:read') c.header('Vary', VARY);
    if (admission.deprecation) setHeaders(c, admission.deprecation);
    c.set('caller', admission.caller);
    if (admission.problem) return sendProblem(c, admission.problem);
    if (!takesBody && !isReadable(incoming.url ?? '')) return sendProblem(c, problem('malformed_request'));
    try {
      await next();
    } catch (error) {
      // Hono's own handler of errors is asked of Errors alone.
      if (error instanceof Problem) return sendProblem(c, error);
      throw error;
    }
  };

function setHeaders(c: Context<Env>, headers: readonly string[]): void {
  for (let at = 0; at < headers.length; at += 2) c.header(headers[at]!, headers[at + 1]!);
}

function sendProblem(c: Context<Env>, found: Problem): Response {
  const whole = found.faults ? withParameters(found, queryOf(c)) : found;
  const { status, headers, body } = c.get('caller')?.older ? olderProblem(whole) : whole;
  setHeaders(c, headers);
  c.header('Content-Type', PROBLEM_TYPE);
  return c.body(body, status as 400);
}

const hasType =
  (types: readonly string[]): MiddlewareHandler<Env> =>
  async (c, next) => {
    if (!isOfType(c.req.header('content-type'), types)) return sendProblem(c, problem('unsupported_media_type'));
    if ((c.req.header('content-encoding') ?? 'identity') !== 'identity')
      return sendProblem(c, problem('unsupported_encoding'));
    await next();
  };

const limited = bodyLimit({
  maxSize: BODY_BYTES,
  onError: (c) => sendProblem(c as never, problem('request_too_large')),
});

const validated = zValidator('json', DRAFT, async (result, c) => {
  if (!result.success) return sendProblem(c as never, faulty(faultsOf(result.error, await c.req.json())));
});

const NO_QUERY: Query = {};

/** The query, with a list of what is given more than once. */
function queryOf(c: Context<Env>): Query {
  if (!c.env.incoming.url!.includes('?')) return NO_QUERY;
  const out = Object.create(null) as Record<string, unknown>;
  for (const [name, values] of Object.entries(c.req.queries())) out[name] = values.length === 1 ? values[0] : values;
  // Hono leaves out a parameter without a name.
  if (/[?&]=/.test(c.env.incoming.url!)) out[''] = '';
  return out;
}

/** Refuses what `JSON.parse` takes; the text is kept, and parsed from there. */
const strictly: MiddlewareHandler<Env> = async (c, next) => {
  if (!isReadable(c.env.incoming.url ?? '')) return sendProblem(c, problem('malformed_request'));
  try {
    if (orders.strict) {
      const body = Buffer.from(await inTime(c.req.arrayBuffer()));
      checkJson(body);
      c.req.bodyCache.text = Promise.resolve(exactText(body.toString())) as never;
    }
  } catch (error) {
    return sendProblem(c, error instanceof Problem ? error : problem('malformed_request'));
  }
  await next();
};

async function bodyOf(c: Context<Env>): Promise<unknown> {
  try {
    return await c.req.json();
  } catch {
    throw problem('malformed_request');
  }
}

async function create(c: Context<Env>, draft: Draft): Promise<Response> {
  noParameters(queryOf(c));
  const key = c.req.header('idempotency-key');
  const { status, location, body } = await service.create(c.get('caller'), draft, key);
  if (location !== null) c.header('Location', location);
  c.header('Content-Type', status < 400 ? 'application/json' : PROBLEM_TYPE);
  return c.body(body, status as 201);
}

/** A creation in the deprecated version, whose body Zod knows nothing of. */
const createOlder: MiddlewareHandler<Env> = async (c, next) => {
  if (c.get('caller').older) return create(c, olderDraft(await bodyOf(c)));
  await next();
};

app.post('/orders', admit('orders:write', true), limited, hasType(JSON_TYPES), strictly, createOlder, validated, (c) =>
  create(c as never, c.req.valid('json')),
);

app.get('/orders', admit('orders:read'), (c) => {
  const caller = c.get('caller');
  const query = listQuery(caller.older ? currentQuery(queryOf(c)) : queryOf(c), caller.sentBody);
  return c.json(shownPage(service.list(caller, query), caller.older) as object);
});

app.get('/orders/:id', admit('orders:read'), (c) => {
  noParameters(queryOf(c));
  const { order, etag } = service.read(c.get('caller'), c.req.param('id'));
  c.header('ETag', etag);
  return c.json(shown(order, c.get('caller').older));
});

app.post('/orders/:id/place', admit('orders:write'), async (c) => {
  noParameters(queryOf(c));
  const caller = c.get('caller');
  return c.json(shown(await service.place(caller, c.req.param('id')), caller.older));
});

app.patch('/orders/:id', admit('orders:write', true), limited, hasType(PATCH_TYPES), strictly, async (c) => {
  const caller = c.get('caller');
  const body = await bodyOf(c);
  const patch = caller.older ? olderPatch(body) : patchOf(body);
  noParameters(queryOf(c));
  const { order, etag } = await lifecycle.change(caller, c.req.param('id'), patch, c.req.header('if-match'));
  c.header('ETag', etag);
  return c.json(shown(order, caller.older));
});

for (const name of Object.keys(MOVES) as MoveName[])
  app.post(`/orders/:id/${name}`, admit(name === 'cancel' ? 'orders:write' : 'orders:fulfil'), async (c) => {
    const caller = c.get('caller');
    noParameters(queryOf(c));
    return c.json(shown(await lifecycle.move(caller, c.req.param('id') as string, name), caller.older));
  });

app.delete('/orders/:id', admit('orders:write'), async (c) => {
  noParameters(queryOf(c));
  await lifecycle.remove(c.get('caller'), c.req.param('id'));
  return c.body(null, 204);
});

app.get('/summary', admit('orders:read'), (c) => {
  noParameters(queryOf(c));
  return c.json(lifecycle.summary(c.get('caller')));
});

app.notFound((c) => sendProblem(c, elsewhere(c.env.incoming.url?.split('?')[0] ?? '')));
app.onError((error, c) => {
  if (error instanceof HTTPException) return sendProblem(c, problem('malformed_request'));
  return sendProblem(c, problem('failure'));
});

const server = serve(
  { fetch: app.fetch, hostname: '127.0.0.1', port: 0, serverOptions: { keepAliveTimeout: KEEP_ALIVE } },
  () => announce(server as Server, orders),
);
