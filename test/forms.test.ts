import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { after, before, test } from 'node:test';
import { edited, PATIENT, type Service, Workspace } from './harness.ts';
import { codeOf, Nodes } from './nodes.ts';
import { PostgresServer } from './postgres.ts';

/** Orders that may be opened by a form, also several of one product. */
const FORMS = edited(
  PATIENT,
  [
    '- Request: Order with sku, quantity, note\n',
    '- Payloads: JSON (RFC 8259), requests as JSON or form (URL Standard)\n- Request: Order with sku, quantity, note\n',
  ],
  ['`Idempotency-Key`, required,', '`Idempotency-Key`, optional,'],
  ['- Unique: customer and sku while `status == "draft"`, else order_already_open\n', ''],
  ['| order_already_open  | 409    | a rule says so           | This product is already on an open draft |\n', ''],
);

const FORM = 'application/x-www-form-urlencoded';
const ORDER = 'sku=ABC-0001&quantity=2';

let server: PostgresServer;

before(async () => {
  server = await PostgresServer.shared();
});
after(async () => {
  await server[Symbol.asyncDispose]();
});

/** Sends bytes to one of the nodes, in pieces where the length is not stated. */
type Send = (
  body: string | Buffer,
  headers?: Readonly<Record<string, string>>,
  pieces?: number,
) => Promise<{ status: number | undefined; text: string; body: { id?: string; note?: string; code?: string } }>;

function sending(services: readonly Service[], key: string): Send {
  let turn = 0;
  return async (body, headers = {}, pieces = 0) => {
    const { url } = services[turn++ % services.length]!;
    const bytes = Buffer.from(body);
    const length = pieces ? { 'transfer-encoding': 'chunked' } : { 'content-length': bytes.length };
    const all = { authorization: `Bearer ${key}`, 'content-type': FORM, ...length, ...headers };
    const sent = request(new URL('/orders', url), { method: 'POST', headers: all });
    const size = pieces ? Math.ceil(bytes.length / pieces) : bytes.length;
    for (let at = 0; at < bytes.length; at += size) sent.write(bytes.subarray(at, at + size));
    sent.end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    let text = '';
    for await (const part of answer.setEncoding('utf8')) text += part;
    return { status: answer.statusCode, text, body: JSON.parse(text) };
  };
}

async function attack(send: Send): Promise<void> {
  const note = async (text: string | Buffer): Promise<string | number | undefined> => {
    const start = Buffer.from(`${ORDER}&note=`);
    const answer = await send(Buffer.concat([start, Buffer.from(text)]));
    return answer.status === 201 ? answer.body.note : answer.status;
  };
  // Escapes and bytes, as the URL Standard reads them; what it would repair is malformed.
  assert.equal(await note('a+b%20c%2Bd%26e%3D'), 'a b c+d&e=');
  assert.equal(await note('%F0%9F%8D%8B=🍋;a'), '🍋=🍋;a');
  assert.equal(await note('a\r\nb\tc'), 'a\r\nb\tc');
  for (const text of ['%', '%a', '%zz', '%u00e9', '%ff', '%C3', '%C3%28', '%ED%A0%80', '%C0%AF', Buffer.from([0xc3])])
    assert.equal(await note(text), 400);
  // The pair of a surrogate, one half escaped and one as bytes, is no UTF-8 either.
  assert.equal(await note(Buffer.from([...Buffer.from('%f0%9f'), 0x8d, 0x8b])), 400);
  assert.equal(await note('%00'), 422);
  assert.equal((await send(`\ufeff${ORDER}`)).status, 400);
  assert.equal((await send('')).status, 422);
  assert.equal((await send(`&&${ORDER}&&`)).status, 201);
  assert.equal((await send(`s%6bu=ABC-0001&quantit%79=2`)).status, 201);
  // Names: repeated ones, ones of prototypes, and those in which other servers see objects and lists.
  for (const more of ['quantity=3', 'quantity=2', 'quantity', 'note=a&note=b', 'sku=', '%71uantity=2'])
    assert.equal((await send(`${ORDER}&${more}`)).status, 422, more);
  for (const more of [
    '__proto__=1',
    '__proto__[quantity]=1',
    'constructor=1',
    'quantity[]=2',
    'note.a=b',
    'Quantity=2',
  ])
    assert.equal((await send(`${ORDER}&${more}`)).status, 422, more);
  assert.equal((await send('__proto__=ABC-0001&quantity=2')).status, 422);
  // The content type decides, and not what the body looks like.
  assert.equal((await send('{"sku":"ABC-0001","quantity":2}')).status, 422);
  assert.equal((await send(ORDER, { 'content-type': 'application/json' })).status, 400);
  for (const type of ['text/plain', 'multipart/form-data; boundary=a', `${FORM}; charset=latin1`, `${FORM}, ${FORM}`])
    assert.equal((await send(ORDER, { 'content-type': type })).status, 415, type);
  for (const type of [FORM.toUpperCase(), `${FORM};charset="utf-8"`, `${FORM} ; Charset=UTF-8;`])
    assert.equal((await send(ORDER, { 'content-type': type })).status, 201, type);
  assert.equal((await send(ORDER, { 'content-encoding': 'gzip' })).status, 415);
  // Pieces cut anywhere, in an escape too; and the size, however many pairs it holds.
  assert.equal((await send(`${ORDER}&note=%F0%9F%8D%8B`, {}, 30)).body.note, '🍋');
  const most = 64 * 1024;
  assert.equal((await send(ORDER.padEnd(most, '&'))).status, 201);
  assert.equal((await send(ORDER.padEnd(most + 1, '&'))).status, 413);
  assert.equal((await send(ORDER.padEnd(most + 1, '&'), {}, 3)).status, 413);
  const many = `${ORDER}&${Array.from({ length: 9000 }, (_, i) => `a${i}`).join('&')}`;
  const refused = await send(many);
  assert.deepEqual([refused.status, refused.text.length < 20_000], [422, true]);
  assert.equal((await send(`${ORDER}${'&note=a'.repeat(9000)}`)).status, 422);
}

/** A key belongs to the values: their order, their escapes and their format make no other request. */
async function repeat(send: Send): Promise<void> {
  const key = { 'idempotency-key': 'k' };
  const first = await send(`${ORDER}&note=a+b`, key);
  assert.equal(first.status, 201);
  for (const again of ['note=a%20b&quantity=2&sku=ABC-0001', `sk%75=ABC-0001&&note=a+b&quantity=02`])
    assert.equal((await send(again, key)).text, first.text);
  const json = JSON.stringify({ note: 'a b', sku: 'ABC-0001', quantity: 2 });
  assert.equal((await send(json, { ...key, 'content-type': 'application/json' })).text, first.text);
  for (const other of [ORDER, `${ORDER}&note=`, `${ORDER}&note=a%2Bb`, 'sku=ABC-0001&quantity=3&note=a+b'])
    assert.equal(codeOf(await send(other, key)), 'idempotency_key_reused', other);
}

test('SQLite: forms that nobody here would send', async () => {
  await using space = new Workspace(FORMS);
  const service = await space.serve();
  const send = sending([service], await space.key(await space.customer()));
  await attack(send);
  await repeat(send);
});

test('PostgreSQL: forms that nobody here would send, to two nodes', async () => {
  await using nodes = await Nodes.on(server, FORMS);
  await nodes.serve();
  const send = sending(nodes.nodes, nodes.key);
  await attack(send);
  await repeat(send);
});
