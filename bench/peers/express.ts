// The orders service on Express 5, validated by Zod.
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express';
import { announce, KEEP_ALIVE } from './orders/announce.ts';
import { patchOf } from './orders/draft.ts';
import type { Caller } from './orders/gate.ts';
import { readInTime } from './orders/in-time.ts';
import { MOVES, type MoveName } from './orders/lifecycle.ts';
import { isOfType, JSON_TYPES, PATCH_TYPES } from './orders/media-type.ts';
import { elsewhere } from './orders/paths.ts';
import { faulty, PROBLEM_TYPE, Problem, problem } from './orders/problems.ts';
import { isReadable, listQuery, noParameters, withParameters } from './orders/query.ts';
import { openOrders } from './orders/start.ts';
import { checkJson, exactly } from './orders/strict-json.ts';
import { BODY_BYTES, type Draft, type ProblemCode, type Scope, VARY } from './orders/terms.ts';
import { currentQuery, olderDraft, olderPatch, olderProblem, shown, shownPage } from './orders/versions.ts';
import { DRAFT, faultsOf } from './zod.ts';

type Admitted = Response<unknown, { caller: Caller }>;

const orders = openOrders();
const { gate, service, lifecycle } = orders;
const app = express();
// Express answers 304 by itself wherever there is an entity tag; here If-None-Match is not looked at.
Object.defineProperty(app.request, 'fresh', { get: () => false });
app.enable('case sensitive routing');
app.enable('strict routing');
app.disable('x-powered-by');
// Entity tags are those that the service gives, and none of the bytes that happen to be sent.
app.disable('etag');

const admit =
  (scope: Scope, takesBody = false): RequestHandler =>
  (request, response, next) => {
    if (request.method === 'HEAD') throw elsewhere(request.path);
    const admission = gate.admit(request.headers, request.socket.remoteAddress ?? '', scope, takesBody, request.method);
    response.setHeader('RateLimit-Policy', admission.policy);
    response.setHeader('RateLimit', admission.limit);
    if (scope === 'orders:read') response.setHeader('Vary', VARY);
    if (admission.deprecation) setHeaders(response, admission.deprecation);
    if (admission.problem) throw admission.problem;
    if (!takesBody && !isReadable(request.originalUrl)) throw problem('malformed_request');
    response.locals.caller = admission.caller;
    next();
  };

function setHeaders(response: Response, headers: readonly string[]): void {
  for (let at = 0; at < headers.length; at += 2) response.setHeader(headers[at]!, headers[at + 1]!);
}

/** What can be told of a body before it is read. */
const hasType =
  (types: readonly string[]): RequestHandler =>
  (request, _response, next) => {
    const { headers } = request;
    if (Number(headers['content-length']) > BODY_BYTES) throw problem('request_too_large');
    if (!isOfType(headers['content-type'], types)) throw problem('unsupported_media_type');
    if ((headers['content-encoding'] ?? 'identity') !== 'identity') throw problem('unsupported_encoding');
    if (!isReadable(request.originalUrl)) throw problem('malformed_request');
    // Express takes nothing for an empty object, which it is not.
    if (headers['content-length'] === '0') throw problem('malformed_request');
    next();
  };

const strictly = (_request: unknown, _response: unknown, body: Buffer): void => checkJson(body);
const parseJson = express.json({
  limit: BODY_BYTES,
  strict: false,
  type: () => true,
  ...(orders.strict && { verify: strictly, reviver: exactly }),
});
const readBody = orders.strict ? readInTime(parseJson) : parseJson;

function validDraft(body: unknown): Draft {
  const parsed = DRAFT.safeParse(body);
  if (!parsed.success) throw faulty(faultsOf(parsed.error, body));
  return parsed.data;
}

async function create(request: Request, response: Admitted): Promise<void> {
  const { older } = response.locals.caller;
  const draft = older ? olderDraft(request.body) : validDraft(request.body);
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

app.post('/orders', admit('orders:write', true), hasType(JSON_TYPES), readBody, create);

app.get('/orders', admit('orders:read'), (request, response: Admitted) => {
  const { caller } = response.locals;
  const query = listQuery(caller.older ? currentQuery(request.query) : request.query, caller.sentBody);
  response.json(shownPage(service.list(caller, query), caller.older));
});

app.get('/orders/:id', admit('orders:read'), (request, response: Admitted) => {
  noParameters(request.query);
  const { caller } = response.locals;
  const { order, etag } = service.read(caller, request.params.id as string);
  response.setHeader('ETag', etag);
  response.json(shown(order, caller.older));
});

app.post('/orders/:id/place', admit('orders:write'), async (request, response: Admitted) => {
  noParameters(request.query);
  const { caller } = response.locals;
  response.json(shown(await service.place(caller, request.params.id as string), caller.older));
});

app.patch(
  '/orders/:id',
  admit('orders:write', true),
  hasType(PATCH_TYPES),
  readBody,
  async (request, response: Admitted) => {
    const { caller } = response.locals;
    const patch = caller.older ? olderPatch(request.body) : patchOf(request.body);
    noParameters(request.query);
    const { order, etag } = await lifecycle.change(caller, request.params.id as string, patch, request.get('if-match'));
    response.setHeader('ETag', etag);
    response.json(shown(order, caller.older));
  },
);

for (const name of Object.keys(MOVES) as MoveName[])
  app.post(
    `/orders/:id/${name}`,
    admit(name === 'cancel' ? 'orders:write' : 'orders:fulfil'),
    async (request, response: Admitted) => {
      const { caller } = response.locals;
      noParameters(request.query);
      response.json(shown(await lifecycle.move(caller, request.params.id as string, name), caller.older));
    },
  );

app.delete('/orders/:id', admit('orders:write'), async (request, response: Admitted) => {
  noParameters(request.query);
  await lifecycle.remove(response.locals.caller, request.params.id as string);
  response.status(204).end();
});

app.get('/summary', admit('orders:read'), (request, response: Admitted) => {
  noParameters(request.query);
  response.json(lifecycle.summary(response.locals.caller));
});

app.use((request) => {
  throw elsewhere(request.path);
});

const BODY_PROBLEMS: Readonly<Record<string, ProblemCode>> = {
  'entity.too.large': 'request_too_large',
  'entity.parse.failed': 'malformed_request',
  'entity.verify.failed': 'malformed_request',
  'request.aborted': 'malformed_request',
};

function problemOf(error: { type?: string } | Problem, request: Request): Problem {
  if (error instanceof Problem) return withParameters(error, request.query);
  // A path whose escapes are none is the path of nothing.
  if (error instanceof URIError) return problem('no_such_endpoint');
  return problem(BODY_PROBLEMS[error.type ?? ''] ?? 'failure');
}

const sendError: ErrorRequestHandler = (error: { type?: string } | Problem, request, response, _next) => {
  const found = problemOf(error, request);
  const known = response.locals.caller?.older ? olderProblem(found) : found;
  setHeaders(response, known.headers);
  response.status(known.status).type(PROBLEM_TYPE).send(known.body);
};
app.use(sendError);

const server = app.listen(0, '127.0.0.1', () => announce(server, orders));
server.keepAliveTimeout = KEEP_ALIVE;
