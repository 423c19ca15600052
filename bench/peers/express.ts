// The orders service on Express 5, validated by Zod.
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express';
import type { Caller } from './orders/gate.ts';
import { faulty, PROBLEM_TYPE, Problem, problem } from './orders/problems.ts';
import { listQuery, noParameters } from './orders/query.ts';
import { announce, KEEP_ALIVE, openOrders } from './orders/start.ts';
import { BODY_BYTES, type Draft, type ProblemCode, type Scope, VARY } from './orders/terms.ts';
import { DRAFT, faultsOf } from './zod.ts';

type Admitted = Response<unknown, { caller: Caller }>;

const { gate, service } = openOrders();
const app = express();
app.disable('x-powered-by');
// Entity tags are those that the service gives, and none of the bytes that happen to be sent.
app.disable('etag');

const admit =
  (scope: Scope, takesBody = false): RequestHandler =>
  (request, response, next) => {
    const admission = gate.admit(request.headers, request.socket.remoteAddress ?? '', scope, takesBody);
    response.setHeader('RateLimit-Policy', admission.policy);
    response.setHeader('RateLimit', admission.limit);
    if (scope === 'orders:read') response.setHeader('Vary', VARY);
    if (admission.problem) throw admission.problem;
    response.locals.caller = admission.caller;
    next();
  };

const isJson: RequestHandler = (request, _response, next) => {
  if (Number(request.headers['content-length']) > BODY_BYTES) throw problem('request_too_large');
  if (!/^application\/json *(?:; *charset=utf-8 *)?$/i.test(request.headers['content-type'] ?? ''))
    throw problem('unsupported_media_type');
  // Express takes nothing for an empty object, which it is not.
  if (request.headers['content-length'] === '0') throw problem('malformed_request');
  next();
};

function validDraft(body: unknown): Draft {
  const parsed = DRAFT.safeParse(body);
  if (!parsed.success) throw faulty(faultsOf(parsed.error, body));
  return parsed.data;
}

async function create(request: Request, response: Admitted): Promise<void> {
  const draft = validDraft(request.body);
  noParameters(request.query);
  const { status, location, body } = await service.create(
    response.locals.caller,
    draft,
    request.get('idempotency-key'),
  );
  if (location !== null) response.setHeader('Location', location);
  response
    .status(status)
    .type(status < 400 ? 'application/json' : PROBLEM_TYPE)
    .send(body);
}

app.post('/orders', admit('orders:write', true), isJson, express.json({ limit: BODY_BYTES, strict: false }), create);

app.get('/orders', admit('orders:read'), (request, response: Admitted) => {
  response.json(service.list(response.locals.caller, listQuery(request.query)));
});

app.get('/orders/:id', admit('orders:read'), (request, response: Admitted) => {
  noParameters(request.query);
  const { order, etag } = service.read(response.locals.caller, request.params.id as string);
  response.setHeader('ETag', etag);
  response.json(order);
});

app.post('/orders/:id/place', admit('orders:write'), async (request, response: Admitted) => {
  noParameters(request.query);
  response.json(await service.place(response.locals.caller, request.params.id as string));
});

app.use(() => {
  throw problem('no_such_endpoint');
});

const BODY_PROBLEMS: Readonly<Record<string, ProblemCode>> = {
  'entity.too.large': 'request_too_large',
  'entity.parse.failed': 'malformed_request',
  'request.aborted': 'malformed_request',
};

const sendError: ErrorRequestHandler = (error: { type?: string } | Problem, _request, response, _next) => {
  const known = error instanceof Problem ? error : problem(BODY_PROBLEMS[error.type ?? ''] ?? 'failure');
  for (let at = 0; at < known.headers.length; at += 2) response.setHeader(known.headers[at]!, known.headers[at + 1]!);
  response.status(known.status).type(PROBLEM_TYPE).send(known.body);
};
app.use(sendError);

const server = app.listen(0, '127.0.0.1', () => announce(server));
server.keepAliveTimeout = KEEP_ALIVE;
