import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import Fastify, { type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify';
import { announce, KEEP_ALIVE } from './orders/announce.ts';
import { isText, patchOf, pointerTo } from './orders/draft.ts';
import type { Admission, Caller } from './orders/gate.ts';
import { inTime } from './orders/in-time.ts';
import { MOVES, type MoveName, type OrderLifecycle } from './orders/lifecycle.ts';
import { isOfType, JSON_TYPES, PATCH_TYPES } from './orders/media-type.ts';
import { followed, openAnyOrders } from './orders/open.ts';
import { elsewhere } from './orders/paths.ts';
import { type Fault, faulty, PROBLEM_TYPE, Problem, problem } from './orders/problems.ts';
import { isReadable, noParameters, pageOf, type Query, withParameters } from './orders/query.ts';
import { checkJson, exactText } from './orders/strict-json.ts';
import {
  BODY_BYTES,
  type Draft,
  type FaultCode,
  NOTE_CHARACTERS,
  type ProblemCode,
  QUANTITY,
  type Scope,
  SKU,
  STATUSES,
  VARY,
} from './orders/terms.ts';
import { currentQuery, olderDraft, olderPatch, olderProblem, shown, shownPage } from './orders/versions.ts';
import { trimmed } from './orders/white-space.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
  }
  interface FastifyContextConfig {
    scope?: Scope;
    takesBody?: boolean;
  }
}

const ORDER = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    customer: { type: 'string' },
    sku: { type: 'string' },
    product: { type: 'string' },
    quantity: { type: 'integer' },
    note: { type: 'string' },
    status: { type: 'string' },
    created: { type: 'string' },
  },
} as const;

const PAGE = {
  type: 'object',
  properties: { items: { type: 'array', items: ORDER }, next: { type: 'string' } },
} as const;

const DRAFT = {
  type: 'object',
  required: ['sku', 'quantity'],
  additionalProperties: false,
  properties: {
    sku: { type: 'string', trim: true, pattern: SKU.source },
    quantity: { type: 'integer', minimum: QUANTITY.least, maximum: QUANTITY.most },
    note: { type: ['string', 'null'], trim: true, pattern: '^[^\\u0000\\ud800-\\udfff]*$', maxLength: NOTE_CHARACTERS },
  },
} as const;

const LIST_QUERY = {
  type: 'object',
  additionalProperties: false,
  properties: {
    status: { type: 'string', trim: true, pattern: `^(?:${STATUSES.join('|')})$` },
    sku: { type: 'string', trim: true, pattern: SKU.source },
    limit: {},
    cursor: {},
  },
} as const;

/** Fastify says the charset of whatever is JSON, and saying it here saves it the trouble. */
const JSON_TYPE = 'application/json; charset=utf-8';
const PROBLEM_TYPE_UTF8 = `${PROBLEM_TYPE}; charset=utf-8`;

/** A keyword that takes white space off text before what follows it is checked. */
const trimKeyword = {
  keyword: 'trim',
  type: 'string',
  modifying: true,
  before: 'maxLength',
  schemaType: 'boolean',
  compile:
    () =>
    (text: string, place: { parentData: Record<string, unknown>; parentDataProperty: string | number }): boolean => {
      place.parentData[place.parentDataProperty] = trimmed(text);
      return true;
    },
} as const;

const orders = await openAnyOrders();
const { gate, service, lifecycle } = orders;

const app = Fastify({
  bodyLimit: BODY_BYTES,
  keepAliveTimeout: KEEP_ALIVE,
  exposeHeadRoutes: false,
  onProtoPoisoning: 'ignore',
  onConstructorPoisoning: 'ignore',
  // A path whose escapes are none is the path of nothing.
  frameworkErrors: (_error, _request, reply) => void sendProblem(reply as never, problem('no_such_endpoint')),
  ajv: {
    customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false, allErrors: true, strict: false },
    plugins: [(ajv: { addKeyword(definition: unknown): unknown }) => void ajv.addKeyword(trimKeyword)] as never,
  },
});
app.removeContentTypeParser('text/plain');
app.decorateRequest('caller', null as never);
// A body that is not taken is refused by the service, whatever it says that it is.
app.addContentTypeParser('*', (_request, payload, done) => {
  payload.resume();
  done(null);
});
if (orders.strict) app.addHook('preParsing', strictly);
app.addContentTypeParser(
  'application/merge-patch+json',
  { parseAs: 'string' },
  app.getDefaultJsonParser('error', 'error'),
);
app.addHook('onRequest', admit);
app.addHook('preValidation', (request, _reply, done) => {
  if (request.caller?.older) translate(request);
  done();
});
app.setErrorHandler(answerError);
app.setNotFoundHandler((request, reply) => sendProblem(reply, elsewhere(request.url.split('?')[0]!)));

function admit(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const { scope, takesBody } = request.routeOptions.config;
  if (scope === undefined) {
    done();
    return;
  }
  if ((request.params as { id?: string }).id === '') {
    sendProblem(reply, elsewhere(request.url.split('?')[0]!));
    return;
  }
  const { headers } = request.raw;
  const admission = gate.admit(headers, request.socket.remoteAddress ?? '', scope, takesBody, request.method);
  const admitted = followed(admission, (found) => {
    if (isAdmitted(request, reply, found)) done();
  });
  if (admitted instanceof Promise) admitted.catch(done);
}

/** Whether a request may go on; answers one that may not. */
function isAdmitted(request: FastifyRequest, reply: FastifyReply, admission: Admission): boolean {
  const { scope, takesBody } = request.routeOptions.config;
  reply.header('RateLimit-Policy', admission.policy).header('RateLimit', admission.limit);
  if (scope === 'orders:read') reply.header('Vary', VARY);
  if (admission.deprecation) setHeaders(reply, admission.deprecation);
  const refusal =
    admission.problem ??
    (takesBody ? headProblem(request) : null) ??
    (isReadable(request.url) ? null : problem('malformed_request'));
  if (refusal) sendProblem(reply, refusal);
  else request.caller = admission.caller;
  return refusal === null;
}

/** Reads a body before Fastify does, to refuse what `JSON.parse` takes. */
async function strictly(
  request: FastifyRequest,
  _reply: FastifyReply,
  payload: AsyncIterable<Buffer>,
): Promise<Readable> {
  const { takesBody } = request.routeOptions.config;
  const body = await inTime(buffer(payload));
  if (!takesBody || body.length > BODY_BYTES) return Readable.from(body.length ? [body] : []);
  mustBeJson(body);
  const text = Buffer.from(exactText(body.toString()));
  // Fastify holds a body to its announced length.
  request.headers['content-length'] = String(text.length);
  return Readable.from(text.length ? [text] : []);
}

function mustBeJson(body: Buffer): void {
  try {
    checkJson(body);
  } catch {
    throw problem('malformed_request');
  }
}

/** What can be told of a body before it is read, and Fastify does not tell so. */
function headProblem({ headers, method }: FastifyRequest): Problem | null {
  if (Number(headers['content-length']) > BODY_BYTES) return problem('request_too_large');
  if (!isOfType(headers['content-type'], method === 'PATCH' ? PATCH_TYPES : JSON_TYPES))
    return problem('unsupported_media_type');
  return (headers['content-encoding'] ?? 'identity') === 'identity' ? null : problem('unsupported_encoding');
}

/** What the deprecated version calls otherwise, by the names of the current one. */
function translate(request: FastifyRequest): void {
  const { method, url } = request.routeOptions;
  if (url === '/orders' && method === 'GET') request.query = currentQuery(request.query as Query);
  if (url === '/orders' && method === 'POST') request.body = olderDraft(request.body);
}

function setHeaders(reply: FastifyReply, headers: readonly string[]): void {
  for (let at = 0; at < headers.length; at += 2) reply.header(headers[at]!, headers[at + 1]);
}

function sendProblem(reply: FastifyReply, found: Problem): FastifyReply {
  const { status, headers, body } = reply.request.caller?.older ? olderProblem(found) : found;
  setHeaders(reply, headers);
  return reply.code(status).header('Content-Type', PROBLEM_TYPE_UTF8).send(body);
}

const FRAMEWORK_PROBLEMS: Readonly<Record<string, ProblemCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'request_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_JSON_BODY: 'malformed_request',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'malformed_request',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_request',
};

function answerError(error: FastifyError | Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const query = request.query as Query;
  // Fastify asks the body of a QUERY for its type before it knows that nothing takes the method.
  if (request.is404) return sendProblem(reply, elsewhere(request.url.split('?')[0]!));
  if (error instanceof Problem) return sendProblem(reply, withParameters(error, query));
  if (error.validation) return sendProblem(reply, withParameters(faulty(faultsOf(error, request)), query));
  return sendProblem(reply, problem(FRAMEWORK_PROBLEMS[error.code] ?? 'failure'));
}

type AjvError = NonNullable<FastifyError['validation']>[number];

const FIELD_FAULTS: Readonly<Record<string, FaultCode>> = {
  minimum: 'too_small',
  maximum: 'too_large',
  maxLength: 'too_long',
};

/** The faults that Ajv has found, each field's first, in the order of the fields; what is unknown comes last. */
function faultsOf(error: FastifyError, request: FastifyRequest): Fault[] {
  const inBody = error.validationContext === 'body';
  const known = Object.keys(inBody ? DRAFT.properties : LIST_QUERY.properties);
  const sent = (inBody ? request.body : request.query) as Record<string, unknown>;
  const faults = new Map<string, FaultCode>();
  for (const one of error.validation!) {
    const [name, code] = faultOf(one, sent, inBody);
    if (!faults.has(name)) faults.set(name, code);
  }
  const rank = (name: string): number => known.indexOf(name) >>> 0;
  return [...faults]
    .sort(([a], [b]) => rank(a) - rank(b))
    .map(([name, code]) =>
      inBody ? { pointer: code === 'not_an_object' ? '' : pointerTo(name), code } : { parameter: name, code },
    );
}

function faultOf(one: AjvError, sent: Record<string, unknown>, inBody: boolean): [string, FaultCode] {
  const name = one.instancePath.slice(1);
  // A parameter that is given twice is a list.
  if (!inBody && typeof sent[name] === 'object') return [name, 'repeated'];
  const { params } = one as { params: Record<string, unknown> };
  switch (one.keyword) {
    case 'required':
      return [String(params.missingProperty), 'missing'];
    case 'additionalProperties':
      return [String(params.additionalProperty), inBody ? 'unknown_field' : 'unknown_parameter'];
    case 'type':
      if (name === '') return [name, 'not_an_object'];
      if (sent[name] === null) return [name, 'null_refused'];
      return [name, params.type === 'integer' ? 'not_integer' : 'not_text'];
    case 'pattern':
      if (name === 'note' || !isText(String(sent[name]))) return [name, 'not_text'];
      return [name, name === 'status' ? 'not_one_of' : 'not_matching'];
    default:
      return [name, FIELD_FAULTS[one.keyword] ?? 'not_matching'];
  }
}

app.post<{ Body: Draft; Querystring: Query }>(
  '/orders',
  { schema: { body: DRAFT }, config: { scope: 'orders:write', takesBody: true } },
  async (request, reply) => {
    noParameters(request.query);
    const key = request.headers['idempotency-key'];
    const { status, location, body } = await service.create(request.caller, request.body, key as string | undefined);
    if (location !== null) reply.header('Location', location);
    reply.code(status).header('Content-Type', status < 400 ? JSON_TYPE : PROBLEM_TYPE_UTF8);
    return reply.send(body);
  },
);

app.get<{ Querystring: Query }>(
  '/orders',
  { schema: { querystring: LIST_QUERY, response: { 200: PAGE } }, config: { scope: 'orders:read' } },
  ({ query, caller }) => {
    if (caller.sentBody) throw problem('body_not_expected');
    const page = service.list(caller, { ...query, ...pageOf(query) });
    return followed(page, (found) => shownPage(found, caller.older));
  },
);

app.get<{ Params: { id: string }; Querystring: Query }>(
  '/orders/:id',
  { schema: { response: { 200: ORDER } }, config: { scope: 'orders:read' } },
  (request, reply) => {
    noParameters(request.query);
    const { caller } = request;
    return followed(service.read(caller, request.params.id), ({ order, etag }) => {
      reply.header('ETag', etag);
      return shown(order, caller.older);
    });
  },
);

app.post<{ Params: { id: string }; Querystring: Query }>(
  '/orders/:id/place',
  { schema: { response: { 200: ORDER } }, config: { scope: 'orders:write' } },
  async (request, reply) => {
    noParameters(request.query);
    const order = await service.place(request.caller, request.params.id);
    return reply.send(shown(order, request.caller.older));
  },
);

if (lifecycle) serveLifecycle(lifecycle);

await app.listen({ host: '127.0.0.1', port: 0 });
announce(app.server, orders);

/** The endpoints that the bench does not measure. */
function serveLifecycle(lifecycle: OrderLifecycle): void {
  app.patch<{ Params: { id: string }; Querystring: Query }>(
    '/orders/:id',
    { schema: { response: { 200: ORDER } }, config: { scope: 'orders:write', takesBody: true } },
    async (request, reply) => {
      const { caller, body, params } = request;
      const patch = caller.older ? olderPatch(body) : patchOf(body);
      noParameters(request.query);
      const { order, etag } = await lifecycle.change(caller, params.id, patch, request.headers['if-match']);
      return reply.header('ETag', etag).send(shown(order, caller.older));
    },
  );

  for (const name of Object.keys(MOVES) as MoveName[])
    app.post<{ Params: { id: string }; Querystring: Query }>(
      `/orders/:id/${name}`,
      { schema: { response: { 200: ORDER } }, config: { scope: name === 'cancel' ? 'orders:write' : 'orders:fulfil' } },
      async (request, reply) => {
        noParameters(request.query);
        const order = await lifecycle.move(request.caller, request.params.id, name);
        return reply.send(shown(order, request.caller.older));
      },
    );

  app.delete<{ Params: { id: string }; Querystring: Query }>(
    '/orders/:id',
    { config: { scope: 'orders:write' } },
    async (request, reply) => {
      noParameters(request.query);
      await lifecycle.remove(request.caller, request.params.id);
      return reply.code(204).send();
    },
  );

  app.get<{ Querystring: Query }>('/summary', { config: { scope: 'orders:read' } }, (request, reply) => {
    noParameters(request.query);
    reply.send(lifecycle.summary(request.caller));
  });
}
