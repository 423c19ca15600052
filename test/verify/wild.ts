import type { Random } from '../../src/verify/requests/random.ts';
import type { Request } from '../../src/verify/target/exchange.ts';

const VISIBLE = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i)).join('');
const IN_TARGET = `${VISIBLE.replace('#', '').replace('?', '')}//%%%`;

/** Fields that a service reads, or might: with values that mean something, and with any. */
const FIELDS: ReadonlyArray<readonly [name: string, ...values: string[]]> = [
  ['Accept', '*/*', 'application/*', 'APPLICATION/JSON', 'application/json;q=0.1', 'text/html, */*;q=0.1', 'nonsense'],
  ['Accept', '*/*;q=0, application/json', 'text/html;q=1, application/json;q=0.001', 'application/json;charset=utf-8'],
  [
    'Content-Type',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json ; x=y',
    'application/json;',
  ],
  ['Content-Encoding', 'identity', 'gzip'],
  ['If-Match', '*', '"a", W/"b"', '""'],
  ['If-None-Match', '*', 'W/"a"'],
  ['If-Modified-Since', 'Fri, 20 Nov 2026 00:00:00 GMT'],
  ['If-Unmodified-Since', 'Sun, 06 Nov 1994 08:49:37 GMT'],
  ['Idempotency-Key', 'one', '"two"', '3'],
  ['Authorization', 'Basic YTpi', 'Bearer', 'bearer  x'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['X-Forwarded-For', '10.0.0.1'],
  ['Forwarded', 'for=1.2.3.4'],
  ['Cookie', 'session=1'],
  ['Range', 'bytes=0-1'],
  ['Prefer', 'return=minimal'],
  ['Accept-Encoding', 'gzip'],
  ['Accept-Language', 'de'],
  ['Origin', 'https://evil.example'],
  ['TE', 'trailers'],
  ['Max-Forwards', '0'],
  ['Expect', 'nothing-known'],
  ['Date', 'nonsense'],
  ['Content-Location', '/x'],
  ['__proto__', '1'],
  ['constructor', '1'],
  ['X-Empty', ''],
  ['X-Long', 'a'.repeat(3000)],
  ['X-Bytes', '\xff\xfe\x80'],
];

/** A sound HTTP request made of another, with parts by chance: whatever is answered, the document has to state it. */
export function wild({ method, target, headers, body }: Request, random: Random): Request {
  const text = (alphabet: string, most: number): string => random.text(alphabet, random.int(1, most));
  const [path = '/', query = ''] = target.split('?');
  const strayed = random.chance(0.3) ? path + text(IN_TARGET, 4) : path;
  const elsewhere = random.chance(0.1) ? `/${text(IN_TARGET, 30)}` : strayed;
  const asked = random.chance(0.3) ? `${query}${text(`${IN_TARGET}&&==`, 20)}` : query;
  const others = random.some(FIELDS, random.int(0, 2)).map(([name, ...values]): [string, string] => {
    const meant = random.among(values);
    return [name, meant !== undefined && random.chance(0.6) ? meant : text(`${VISIBLE}  `, 20).trim() || 'x'];
  });
  const kept = headers.filter(([name]) => random.chance(0.5) || !others.some(([other]) => other === name));
  const changed = body && Buffer.from(body);
  if (changed?.length)
    for (let i = random.int(0, 3); i > 0; i--) changed[random.int(0, changed.length - 1)] = random.int(0, 255);
  return { method, target: asked ? `${elsewhere}?${asked}` : elsewhere, headers: [...kept, ...others], body: changed };
}
