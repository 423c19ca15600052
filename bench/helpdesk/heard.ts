import { request as sendRequest } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** A request of the check. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  /** What stands in Authorization; nothing where it is null. */
  readonly by: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface Answered {
  readonly status: number;
  readonly headers: ReadonlyArray<readonly [string, string]>;
  readonly body: Buffer;
}

/** Sends one request over a connection of its own. */
export async function ask(port: number, { method, path, by, headers = {}, body }: Sent): Promise<Answered> {
  const length = body === undefined && method === 'GET' ? {} : { 'Content-Length': Buffer.byteLength(body ?? '') };
  const all = { Accept: 'application/json', ...(by !== null && { Authorization: by }), ...length, ...headers };
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  const request = sendRequest({ port, host: '127.0.0.1', method, path, headers: all, agent: false }, (response) => {
    const raw = response.rawHeaders;
    const pairs = raw.flatMap((name, i) => (i % 2 ? [] : [[name.toLowerCase(), raw[i + 1] ?? ''] as const]));
    const { statusCode: status = 0 } = response;
    buffer(response).then((whole) => resolve({ status, headers: pairs, body: whole }), reject);
  });
  request.on('error', reject);
  request.end(body);
  return promise;
}

/** What HTTP says of itself, and no document. */
const HTTP_OWN = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding']);
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/** Brings answers of one server into a form in which those of two servers can be compared. */
export class Masks {
  private readonly known: ReadonlySet<string>;
  private readonly ids = new Map<string, string>();
  private readonly secrets: Readonly<Record<string, string>>;

  /**
   * @param known the identities that both servers have.
   * @param secrets texts that differ between servers by necessity, and their names.
   */
  constructor(known: ReadonlySet<string>, secrets: Readonly<Record<string, string>>) {
    this.known = known;
    this.secrets = secrets;
  }

  /** An answer as lines: its status, its headers but for chance, its body. */
  linesOf({ status, headers, body }: Answered): string[] {
    const isJson = headers.some(([name, value]) => name === 'content-type' && value.includes('json'));
    const shown = headers
      .filter(([name]) => !HTTP_OWN.has(name) && !(isJson && name === 'content-length'))
      .map(([name, value]) => `${name}: ${headerValue(name, value)}`);
    const text = body.toString();
    return [String(status), ...shown.sort(), isJson ? this.json(text) : this.text(text)];
  }

  /** JSON with identities by their first appearance, times by their kind, and secrets and cursors by their names. */
  json(text: string): string {
    return this.text(JSON.stringify(masked(JSON.parse(text))));
  }

  private text(text: string): string {
    const open = Object.entries(this.secrets).reduce((all, [secret, name]) => all.replaceAll(secret, name), text);
    return open.replace(UUID, (id) => this.idOf(id)).replace(TIME, '‹time›');
  }

  /** A number for an identity: both servers name the same rows in the same order. */
  private idOf(id: string): string {
    if (this.known.has(id)) return id;
    if (!this.ids.has(id)) this.ids.set(id, `‹id ${this.ids.size + 1}›`);
    return this.ids.get(id)!;
  }
}

function headerValue(name: string, value: string): string {
  if (name === 'ratelimit') return value.replace(/;t=\d+/g, ';t=‹seconds›');
  if (name === 'allow') return value.split(', ').sort().join(', ');
  if (name === 'retry-after') return '‹seconds›';
  // JSON is UTF-8 whether or not that is said (RFC 8259, section 11), and some frameworks always say it.
  return name === 'content-type' && value.includes('json') ? value.replace(/; ?charset=utf-8$/i, '') : value;
}

const CHANCE = new Set(['token', 'secret', 'next', 'key']);

/** What is due is shown by its distance from the creation. */
function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => {
      if (CHANCE.has(name) && typeof member === 'string') return [name, `‹${name}›`];
      if (name !== 'due' || typeof member !== 'string') return [name, masked(member)];
      return [name, `created + ${(Date.parse(member) - Date.parse(String(members.created))) / 1000} s`];
    }),
  );
}
