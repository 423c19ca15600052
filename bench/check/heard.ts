import { Connection } from '../load/connection.ts';
import type { Sent, Step } from './script.ts';

/** An answer in the form in which answers are compared. */
export type Heard = readonly string[];

/** Asks a server everything, in order; gives each answer with what may differ between servers written alike. */
export async function hear(port: number, steps: readonly Step[], known: ReadonlySet<string>): Promise<Heard[]> {
  const bodies = new Map<string, string>();
  const out: Heard[] = [];
  for (const { title, request } of steps) {
    const failed = Promise.withResolvers<never>();
    const connection = await Connection.open(port, failed.reject);
    const { status, head, body } = await Promise.race([connection.ask(written(request(bodies))), failed.promise]);
    connection.close();
    const text = body.toString();
    bodies.set(title, text);
    out.push([String(status), ...headersOf(head), withoutChance(text, known)]);
  }
  return out;
}

/** A request as it goes over the wire; what it says of itself stands before what a step says. */
function written({ method, path, key, headers = {}, body }: Sent): string {
  const all: Record<string, string> = { Host: '127.0.0.1', Accept: 'application/json', 'User-Agent': 'bench' };
  if (key !== null) all.Authorization = `Bearer ${key}`;
  const bytes = Buffer.from(body ?? '');
  if (body !== undefined || method === 'POST') all['Content-Length'] = String(bytes.length);
  const lines = Object.entries({ ...all, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${bytes.toString('latin1')}`;
}

/** What HTTP says of itself, and no document. */
const HTTP_OWN = new Set(['date', 'connection', 'keep-alive']);

function headersOf(head: string): string[] {
  return head
    .split('\r\n')
    .slice(1)
    .map((line) => {
      const cut = line.indexOf(':');
      return [line.slice(0, cut).toLowerCase(), line.slice(cut + 1).trim()] as const;
    })
    .filter(([name]) => !HTTP_OWN.has(name))
    .map(([name, value]) => `${name}: ${headerValue(name, value)}`)
    .sort();
}

function headerValue(name: string, value: string): string {
  if (name === 'ratelimit') return value.replace(/;t=\d+/g, ';t=‹seconds›');
  // JSON is UTF-8 whether or not that is said (RFC 8259, section 11), and some frameworks always say it.
  if (name === 'content-type') return value.replace(/; ?charset=utf-8$/i, '');
  return name === 'location' ? value.replace(ID, '‹id›') : value;
}

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;
const ROW = new RegExp(`"id":"(${ID.source})"([^{}]*)"created":"[^"]{24}"`, 'g');

/** Identities and times of rows that the check itself has made differ between servers, and so do cursors. */
function withoutChance(body: string, known: ReadonlySet<string>): string {
  return body
    .replace(ROW, (row, id: string, rest: string) => (known.has(id) ? row : `"id":"‹id›"${rest}"created":"‹time›"`))
    .replace(/"next":"([^"]*)"/, (_, next: string) => `"next":"‹cursor of ${next.length} characters›"`);
}
