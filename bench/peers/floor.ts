// The floor: what node:http does alone. A fixed answer, of the size of the answer to the same request elsewhere.
import { createServer } from 'node:http';
import { announce, KEEP_ALIVE } from './orders/announce.ts';

const ORDER = {
  id: '0195c2a0-0000-7000-8000-000000000001',
  customer: '0195c2a0-0000-7000-8000-000000000001',
  sku: 'ABC-1234',
  quantity: 10,
  status: 'draft',
  created: '2026-11-01T00:00:00.000Z',
};
const ONE = JSON.stringify(ORDER);
const NEXT = 'A'.repeat(107);
const PAGE = JSON.stringify({ items: Array.from({ length: 20 }, () => ORDER), next: NEXT });
const REFUSED = JSON.stringify({
  title: 'Some fields are not allowed as given',
  status: 422,
  code: 'invalid_request',
  errors: [{ pointer: '/quantity', code: 'too_small', detail: 'It is smaller than allowed' }],
});

const headers = (body: string): string[] => [
  'Content-Type',
  'application/json',
  'Content-Length',
  String(Buffer.byteLength(body)),
];
const HEADERS = { one: headers(ONE), page: headers(PAGE), refused: headers(REFUSED) };

const server = createServer({ keepAliveTimeout: KEEP_ALIVE }, (request, response) => {
  const { method, url } = request;
  if (method === 'GET') {
    const page = url!.charCodeAt(7) !== 0x2f;
    response.writeHead(200, page ? HEADERS.page : HEADERS.one).end(page ? PAGE : ONE);
    return;
  }
  if (url !== '/orders') {
    response.writeHead(200, HEADERS.one).end(ONE);
    return;
  }
  let body = '';
  request.setEncoding('latin1');
  request.on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => {
    const refused = body.includes('"quantity":0');
    response.writeHead(refused ? 422 : 201, refused ? HEADERS.refused : HEADERS.one).end(refused ? REFUSED : ONE);
  });
});
server.listen(0, '127.0.0.1', () => announce(server));
