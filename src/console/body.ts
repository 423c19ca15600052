import type { AdminRequest } from '../runtime/admin/admin.ts';
import { isObject, ownMember } from '../text/own-members.ts';
import { ConsoleError } from './problem.ts';

/** How long a body usually may be, in bytes. */
const MOST_BYTES = 1_000_000;
/** The header that only the page’s own script can send: a form can’t, and another origin would have to ask first. */
const OWN_HEADER = 'x-ninefold-console';

/**
 * The body of a request that changes something, of at most so many bytes. Rejects with ConsoleError where it isn’t what
 * only the page sends.
 */
export async function readBody(request: AdminRequest, most = MOST_BYTES): Promise<RequestBody> {
  const { headers } = request;
  if (headers[OWN_HEADER] !== '1')
    throw new ConsoleError('forbidden', 'A request that changes something needs the header X-Ninefold-Console: 1.');
  if (!/^application\/json\s*(?:;\s*charset=utf-8\s*)?$/i.test(headers['content-type'] ?? ''))
    throw new ConsoleError('wrong use', 'The body has to be JSON, with Content-Type: application/json.', {
      status: 415,
    });
  if (Number(headers['content-length'] ?? 0) > most) throw tooLong(most);
  const chunks: Buffer[] = [];
  let length = 0;
  // The connection stays for the answer to a body that is too long.
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      length += chunk.length;
      if (length > most) throw tooLong(most);
      chunks.push(chunk);
    }
  } catch (error) {
    // The client has broken off. Nobody reads the answer.
    throw error instanceof ConsoleError ? error : new ConsoleError('wrong use', 'The body has ended too early.');
  }
  return RequestBody.of(Buffer.concat(chunks));
}

const tooLong = (most: number): ConsoleError =>
  new ConsoleError('wrong use', `The body is longer than ${most / 1_000_000} MB.`, { status: 413 });

/** A request body: a JSON object, with methods that check and return its members. */
export class RequestBody {
  private readonly members: Readonly<Record<string, unknown>>;

  private constructor(members: Readonly<Record<string, unknown>>) {
    this.members = members;
  }

  /** Throws ConsoleError where the bytes are no JSON object. */
  static of(bytes: Uint8Array): RequestBody {
    let value: unknown;
    try {
      value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    } catch {
      throw new ConsoleError('wrong use', 'The body is not JSON in UTF-8.');
    }
    if (!isObject(value)) throw new ConsoleError('wrong use', 'The body has to be a JSON object.');
    return new RequestBody(value);
  }

  /** Text that has to be there. */
  text(name: string): string {
    const value = this.member(name);
    if (typeof value !== 'string') throw wrong(name, 'text');
    return value;
  }

  /** Text, or null where it is absent. */
  optionalText(name: string): string | null {
    const value = this.member(name) ?? null;
    if (value !== null && typeof value !== 'string') throw wrong(name, 'text or null');
    return value;
  }

  /** A number from 0. */
  count(name: string): number {
    const value = this.member(name);
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw wrong(name, 'a number from 0');
    return value;
  }

  /** True or false; false where it is absent. */
  flag(name: string): boolean {
    const value = this.member(name) ?? false;
    if (typeof value !== 'boolean') throw wrong(name, 'true or false');
    return value;
  }

  /** A list of texts. */
  texts(name: string): readonly string[] {
    const value = this.member(name);
    if (!isTexts(value)) throw wrong(name, 'a list of texts');
    return value;
  }

  /** A list of texts, or null where it is absent. */
  optionalTexts(name: string): readonly string[] | null {
    return (this.member(name) ?? null) === null ? null : this.texts(name);
  }

  /** Names with a text or null each. */
  fields(name: string): ReadonlyMap<string, string | null> {
    const value = this.member(name);
    if (!isObject(value)) throw wrong(name, 'an object');
    return new Map(
      Object.entries(value).map(([field, text]: [string, unknown]) => {
        if (text !== null && typeof text !== 'string') throw wrong(`${name}.${field}`, 'text or null');
        return [field, text];
      }),
    );
  }

  /** Pairs of a name and a text, in order. */
  pairs(name: string): ReadonlyArray<readonly [string, string]> {
    const value = this.member(name);
    if (!Array.isArray(value)) throw wrong(name, 'a list of pairs of texts');
    return value.map((pair: unknown): readonly [string, string] => {
      if (!isTexts(pair) || pair.length !== 2) throw wrong(name, 'a list of pairs of texts');
      const [first = '', second = ''] = pair;
      return [first, second];
    });
  }

  /** A list of objects, or null where it is absent. */
  optionalObjects(name: string): readonly RequestBody[] | null {
    const value = this.member(name) ?? null;
    if (value === null) return null;
    if (!Array.isArray(value) || !value.every(isObject)) throw wrong(name, 'a list of objects or null');
    return value.map((one) => new RequestBody(one));
  }

  /** An object, or null where it is absent. */
  optionalObject(name: string): RequestBody | null {
    const value = this.member(name) ?? null;
    if (value === null) return null;
    if (!isObject(value)) throw wrong(name, 'an object or null');
    return new RequestBody(value);
  }

  private member(name: string): unknown {
    return ownMember(this.members, name);
  }
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

const wrong = (name: string, what: string): ConsoleError =>
  new ConsoleError('wrong use', `“${name}” of the body has to be ${what}.`);
