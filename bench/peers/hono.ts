// The orders service on Hono with its own server for Node, validated by its own Zod validator.
import type { Server } from 'node:http';
import { type HttpBindings, serve } from '@hono/node-server';
import { zValidator } from '@hono/zod-validator';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { HTTPException } from 'hono/http-exception';
import type { Caller } from './orders/gate.ts';
import { faulty, PROBLEM_TYPE, Problem, problem } from './orders/problems.ts';
import { listQuery, noParameters, type Query } from './orders/query.ts';
import { announce, KEEP_ALIVE, openOrders } from './orders/start.ts';
import { BODY_BYTES, type Scope, VARY } from './orders/terms.ts';
import { DRAFT, faultsOf } from './zod.ts';

interface Env {
  Bindings: HttpBindings;
  Variables: { caller: Caller };
}

const { gate, service } = openOrders();
const app = new Hono<Env>();

const admit =
  (scope: Scope, takesBody = false): MiddlewareHandler<Env> =>
  async (c, next) => {
    const { incoming } = c.env;
    const admission = gate.admit(incoming.headers, incoming.socket.remoteAddress ?? '', scope, takesBody);
    c.header('RateLimit-Policy', admission.policy);
    c.header('RateLimit', admission.limit);
    if (scope === 'orders:read') c.header('Vary', VARY);
    if (admission.problem) return sendProblem(c, admission.problem);
    c.set('caller', admission.caller);
    try {
      await next();
    } catch (error) {
      // Hono's own handler of errors is asked of Errors alone.
      if (error instanceof Problem) return sendProblem(c, error);
      throw error;
    }
  };

function sendProblem(c: Context<Env>, { status, headers, body }: Problem): Response {
  for (let at = 0; at < headers.length; at += 2) c.header(headers[at]!, headers[at + 1]!);
  c.header('Content-Type', PROBLEM_TYPE);
  return c.body(body, status as 400);
}

const isJson: MiddlewareHandler<Env> = async (c, next) => {
  if (!/^application\/json *(?:; *charset=utf-8 *)?$/i.test(c.req.header('content-type') ?? ''))
    return sendProblem(c, problem('unsupported_media_type'));
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
  const out: Record<string, unknown> = {};
  for (const [name, values] of Object.entries(c.req.queries())) out[name] = values.length === 1 ? values[0] : values;
  return out;
}

app.post('/orders', admit('orders:write', true), limited, isJson, validated, async (c) => {
  noParameters(queryOf(c));
  const key = c.req.header('idempotency-key');
  const { status, location, body } = await service.create(c.get('caller'), c.req.valid('json'), key);
  if (location !== null) c.header('Location', location);
  c.header('Content-Type', status < 400 ? 'application/json' : PROBLEM_TYPE);
  return c.body(body, status as 201);
});

app.get('/orders', admit('orders:read'), (c) => c.json(service.list(c.get('caller'), listQuery(queryOf(c)))));

app.get('/orders/:id', admit('orders:read'), (c) => {
  noParameters(queryOf(c));
  const { order, etag } = service.read(c.get('caller'), c.req.param('id'));
  c.header('ETag', etag);
  return c.json(order);
});

app.post('/orders/:id/place', admit('orders:write'), async (c) => {
  noParameters(queryOf(c));
  return c.json(await service.place(c.get('caller'), c.req.param('id')));
});

app.notFound((c) => sendProblem(c, problem('no_such_endpoint')));
app.onError((error, c) => {
  if (error instanceof HTTPException) return sendProblem(c, problem('malformed_request'));
  return sendProblem(c, problem('failure'));
});

const server = serve(
  { fetch: app.fetch, hostname: '127.0.0.1', port: 0, serverOptions: { keepAliveTimeout: KEEP_ALIVE } },
  () => announce(server as Server),
);
