// The orders service on node:http alone, as a careful engineer writes it who wants nothing between the two.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { parse } from 'node:querystring';
import { announce, KEEP_ALIVE } from './orders/announce.ts';
import { draftOf } from './orders/draft.ts';
import type { Admission } from './orders/gate.ts';
import { PROBLEM_TYPE, Problem, problem } from './orders/problems.ts';
import { listQuery, noParameters, type Query } from './orders/query.ts';
import { openOrders } from './orders/start.ts';
import { BODY_BYTES, type Scope, VARY } from './orders/terms.ts';

const JSON_TYPE = 'application/json';
const NO_QUERY: Query = {};
const { gate, service } = openOrders();

const server = createServer({ keepAliveTimeout: KEEP_ALIVE }, (request, response) => {
  const url = request.url!;
  const cut = url.indexOf('?');
  const path = cut < 0 ? url : url.slice(0, cut);
  const query = cut < 0 ? NO_QUERY : parse(url.slice(cut + 1));
  route(request, response, path, query);
});

function route(request: IncomingMessage, response: ServerResponse, path: string, query: Query): void {
  const { method } = request;
  if (path === '/orders') {
    if (method === 'GET') list(request, response, query);
    else if (method === 'POST') void create(request, response, query);
    else sendProblem(response, problem('method_not_allowed'), ['Allow', 'POST, GET']);
    return;
  }
  const [root, first, id, action, more] = path.split('/');
  const known = root === '' && first === 'orders' && id && more === undefined;
  if (known && action === undefined && method === 'GET') read(request, response, id, query);
  else if (known && action === 'place' && method === 'POST') void place(request, response, id, query);
  else sendProblem(response, problem('no_such_endpoint'), []);
}

const admit = (request: IncomingMessage, scope: Scope, takesBody = false): Admission =>
  gate.admit(request.headers, request.socket.remoteAddress ?? '', scope, takesBody);

const ratesOf = ({ policy, limit }: Admission): string[] => ['RateLimit-Policy', policy, 'RateLimit', limit];

function read(request: IncomingMessage, response: ServerResponse, id: string, query: Query): void {
  const admission = admit(request, 'orders:read');
  const headers = [...ratesOf(admission), 'Vary', VARY];
  try {
    if (admission.problem) throw admission.problem;
    noParameters(query);
    const { order, etag } = service.read(admission.caller, id);
    headers.push('ETag', etag);
    send(response, 200, JSON.stringify(order), JSON_TYPE, headers);
  } catch (error) {
    sendError(response, error, headers);
  }
}

function list(request: IncomingMessage, response: ServerResponse, query: Query): void {
  const admission = admit(request, 'orders:read');
  const headers = [...ratesOf(admission), 'Vary', VARY];
  try {
    if (admission.problem) throw admission.problem;
    const page = service.list(admission.caller, listQuery(query));
    send(response, 200, JSON.stringify(page), JSON_TYPE, headers);
  } catch (error) {
    sendError(response, error, headers);
  }
}

async function create(request: IncomingMessage, response: ServerResponse, query: Query): Promise<void> {
  const admission = admit(request, 'orders:write', true);
  const headers = ratesOf(admission);
  try {
    if (admission.problem) throw admission.problem;
    const draft = draftOf(await readJson(request));
    noParameters(query);
    const key = request.headers['idempotency-key'] as string | undefined;
    const { status, location, body } = await service.create(admission.caller, draft, key);
    if (location !== null) headers.push('Location', location);
    send(response, status, body, status < 400 ? JSON_TYPE : PROBLEM_TYPE, headers);
  } catch (error) {
    sendError(response, error, headers);
  }
}

async function place(request: IncomingMessage, response: ServerResponse, id: string, query: Query): Promise<void> {
  const admission = admit(request, 'orders:write');
  const headers = ratesOf(admission);
  try {
    if (admission.problem) throw admission.problem;
    noParameters(query);
    const order = await service.place(admission.caller, id);
    send(response, 200, JSON.stringify(order), JSON_TYPE, headers);
  } catch (error) {
    sendError(response, error, headers);
  }
}

function send(response: ServerResponse, status: number, body: string, type: string, headers: string[]): void {
  headers.push('Content-Type', type, 'Content-Length', String(Buffer.byteLength(body)));
  response.writeHead(status, headers).end(body);
}

function sendProblem(response: ServerResponse, refusal: Problem, headers: string[]): void {
  send(response, refusal.status, refusal.body, PROBLEM_TYPE, [...headers, ...refusal.headers]);
}

function sendError(response: ServerResponse, error: unknown, headers: string[]): void {
  sendProblem(response, error instanceof Problem ? error : problem('failure'), headers);
}

/** What can be told of a body before it is read; null where nothing is wrong so far. */
function headProblem(headers: IncomingHttpHeaders): Problem | null {
  if (Number(headers['content-length']) > BODY_BYTES) return problem('request_too_large');
  const type = headers['content-type'];
  const json = type === JSON_TYPE || /^application\/json *(?:; *charset=utf-8 *)?$/i.test(type ?? '');
  return json ? null : problem('unsupported_media_type');
}

/** Reads a body of JSON, of at most so many bytes. */
function readJson(request: IncomingMessage): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const { headers } = request;
    const refusal = headProblem(headers);
    if (refusal) {
      reject(refusal);
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > BODY_BYTES) reject(problem('request_too_large'));
      else chunks.push(chunk);
    });
    request.on('error', reject);
    request.on('end', () => {
      try {
        resolve(JSON.parse((chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString()));
      } catch {
        reject(problem('malformed_request'));
      }
    });
  });
}

server.listen(0, '127.0.0.1', () => announce(server));
