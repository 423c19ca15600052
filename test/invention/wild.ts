import type { Random } from './random.ts';
import type { Sent } from './sent.ts';
import { type Customer, fullKey } from './world.ts';

const VISIBLE = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i)).join('');
const TARGET = `${VISIBLE.replace('#', '').replace('?', '')}//%%%`;
const HEADERS = [
  'Accept',
  'Content-Type',
  'Content-Encoding',
  'If-Match',
  'Idempotency-Key',
  'Orders-Version',
  'Authorization',
  'X-Any',
];
const METHODS = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'OPTIONS'];
const KNOWN = [
  ['POST', '/orders'],
  ['GET', '/orders'],
  ['GET', '/summary'],
  ['PATCH', '/orders/0195c2a0-0000-7000-8000-000000000001'],
  ['POST', '/orders/x/cancel'],
] as const;
const PATHS = [
  '/orders',
  '/orders/0195c2a0-0000-7000-8000-000000000001',
  '/orders/x/place',
  '/summary',
  '/orders/x/cancel',
];
const BODY = '{"sku":"ABC-1234","quantity":1,"note":"n"}';

/** A sound HTTP request of which some parts are random: whatever is answered, the document has to state it. */
export function wild(random: Random, customers: readonly Customer[]): Sent {
  const text = (alphabet: string, most: number): string => random.text(alphabet, random.int(1, most));
  const known = random.chance(0.7) ? random.pick(KNOWN) : null;
  const stray = random.chance(0.5) ? `/${text(TARGET, 30)}` : random.pick(PATHS) + text(TARGET, 4);
  const query = random.chance(0.5)
    ? ''
    : `?${random.pick(['', 'limit=', 'status=', 'cursor=', 'sku='])}${text(`${TARGET}&&==`, 30)}`;
  const headers: Array<[string, string]> = [['Host', 'orders.example']];
  if (random.chance(0.9)) headers.push(['Authorization', `Bearer ${fullKey(random.pick(customers))}`]);
  if (random.chance(0.7)) headers.push(['Content-Type', 'application/json']);
  if (random.chance(0.7)) headers.push(['Idempotency-Key', `wild-${random.int(0, 20)}`]);
  for (const name of random.some(HEADERS, random.int(0, 3))) headers.push([name, text(`${VISIBLE}  `, 20).trim()]);
  const body = Buffer.from(BODY);
  for (let i = random.int(0, 3); i > 0; i--) body[random.int(0, body.length - 1)] = random.int(0, 255);
  const framing = random.pick(['none', 'length', 'length', 'chunked'] as const);
  return {
    method: known ? known[0] : random.pick(METHODS),
    target: (known ? known[1] : stray) + query,
    headers,
    body,
    framing,
    broken: null,
  };
}
