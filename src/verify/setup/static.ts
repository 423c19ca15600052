import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../export/json.ts';
import type { Plan } from '../../plan/step.ts';
import { isObject } from '../../text/own-members.ts';
import { nearest } from '../../text/suggest.ts';
import { credentialsIn, DistinctCredentials, mustBeSecret } from './credentials.ts';
import { kindOf, messageOf, NotListed, SetupError } from './failures.ts';
import { type Claims, type Fields, missingField, type RegisteredReceiver, type Setup } from './setup.ts';

interface SeededRow {
  readonly resource: string;
  readonly fields: Fields;
}

interface SeededCaller {
  readonly scheme: string;
  readonly identity: string;
  readonly scopes: readonly string[];
  readonly claims: Claims;
  readonly credentials: string;
}

/**
 * A setup from a file that lists existing rows and credentials of a service. Each requested row is the next listed one,
 * regardless of its fields; credentials are those listed for a row with the same scopes. Throws SetupError.
 */
export function staticSetup(bytes: Buffer, name: string, plan: Plan): Setup {
  const seeds = new Seeds(read(bytes, name), name, plan);
  const { rows, callers, receivers } = seeds;
  const left = [...rows];
  return {
    row: rows.length ? async (resource) => next(left, resource, name) : undefined,
    caller: callers.length ? async (...asked) => credentialsOf(callers, name, ...asked) : undefined,
    claims: (scheme) => callers.flatMap((one) => (one.scheme === scheme ? [one.claims] : [])),
    receivers: receivers.length ? receivers : undefined,
  };
}

/** Takes the next row of a resource that was not returned yet. */
function next(left: SeededRow[], resource: string, name: string): Fields {
  const at = left.findIndex((row) => row.resource === resource);
  const [found] = at < 0 ? [] : left.splice(at, 1);
  if (!found) throw new NotListed(`${name} lists no further row of ${resource}.`);
  return found.fields;
}

function credentialsOf(
  callers: readonly SeededCaller[],
  name: string,
  scheme: string,
  identity: string,
  scopes: readonly string[],
  claims: Claims = {},
): string {
  const wanted = [...scopes].sort().join(' ');
  const found = callers.find(
    (one) =>
      one.scheme === scheme &&
      one.identity === identity &&
      [...one.scopes].sort().join(' ') === wanted &&
      isDeepStrictEqual(one.claims, claims),
  );
  if (found) return found.credentials;
  const which = scopes.length ? `the scopes ${scopes.join(', ')}` : 'no scope';
  throw new NotListed(`${name} lists no credentials of “${scheme}” for “${identity}” with ${which}.`);
}

function read(bytes: Buffer, name: string): Readonly<Record<string, unknown>> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new SetupError(`${name} is not JSON in UTF-8: ${messageOf(error)}.`);
  }
  if (!isObject(parsed)) throw new SetupError(`${name} holds ${kindOf(parsed)}, not an object with rows and callers.`);
  return parsed;
}

const versionNames = ({ versions }: Plan): readonly string[] =>
  versions ? [versions.current, ...versions.older.map((one) => one.name)] : [];

const MEMBERS = ['rows', 'callers', 'receivers'];

/** The members of a file, each checked against the contract. */
class Seeds {
  readonly rows: readonly SeededRow[];
  readonly callers: readonly SeededCaller[];
  readonly receivers: readonly RegisteredReceiver[];
  private readonly name: string;
  private readonly plan: Plan;
  private readonly distinct = new DistinctCredentials();

  constructor(file: Readonly<Record<string, unknown>>, name: string, plan: Plan) {
    this.name = name;
    this.plan = plan;
    this.mustHaveOnly('', file, MEMBERS);
    this.rows = this.listOf(file, 'rows').map((one, i) => this.row(one, `rows[${i}]`));
    this.callers = this.listOf(file, 'callers').map((one, i) => this.caller(one, `callers[${i}]`));
    this.receivers = this.listOf(file, 'receivers').map((one, i) => this.receiver(one, `receivers[${i}]`));
  }

  private row(value: unknown, at: string): SeededRow {
    const { resource, fields } = this.objectOf(value, at, ['resource', 'fields']);
    const { resources } = this.plan;
    const named = this.oneOf(
      resource,
      resources.map((one) => one.name),
      `${at}.resource`,
      'resource',
    );
    const known = resources.find((one) => one.name === named);
    if (!isObject(fields)) throw this.wrong(`${at}.fields`, `is ${kindOf(fields)}, not an object`);
    const names = (known?.columns ?? []).map((one) => one.name);
    for (const field of Object.keys(fields)) this.oneOf(field, names, `${at}.fields`, `field of ${named}`);
    const missing = missingField(this.plan, named, fields);
    if (missing !== null) throw this.wrong(`${at}.fields`, `lacks ${missing}, which every ${named} has`);
    return { resource: named, fields: fields as Readonly<Record<string, Json>> };
  }

  private caller(value: unknown, at: string): SeededCaller {
    const members = ['scheme', 'identity', 'scopes', 'claims', 'credentials'];
    const { scheme, identity, scopes, claims = {}, credentials } = this.objectOf(value, at, members);
    const { schemes } = this.plan;
    const name = this.oneOf(
      scheme,
      schemes.map((one) => one.name),
      `${at}.scheme`,
      'scheme',
    );
    const known = schemes.find((one) => one.name === name);
    if (known?.basic)
      throw this.wrong(
        `${at}.scheme`,
        `is “${name}”, which is HTTP Basic: give the user name and the password as fields of a row of ${known.resource}`,
      );
    if (typeof identity !== 'string' && typeof identity !== 'number')
      throw this.wrong(`${at}.identity`, `is ${kindOf(identity)}, not the identity of a ${known?.resource ?? 'row'}`);
    const names = known?.scopes ?? [];
    const given = this.listOf({ scopes }, 'scopes', `${at}.`).map((one, i) =>
      this.oneOf(one, names, `${at}.scopes[${i}]`, 'scope'),
    );
    if (!isObject(claims)) throw this.wrong(`${at}.claims`, `is ${kindOf(claims)}, not an object`);
    const stated = (known?.tokens?.claims ?? []).map((one) => one.name);
    for (const claim of Object.keys(claims)) this.oneOf(claim, stated, `${at}.claims`, `claim of ${name}`);
    const begun = `${this.name}: ${at}.credentials`;
    const text = credentialsIn(credentials, known, begun);
    this.distinct.take(text, name, String(identity), given, begun);
    return { scheme: name, identity: String(identity), scopes: given, claims: claims as Claims, credentials: text };
  }

  private receiver(value: unknown, at: string): RegisteredReceiver {
    const { url, events, version, secret } = this.objectOf(value, at, ['url', 'events', 'version', 'secret']);
    const parsed = typeof url === 'string' ? URL.parse(url) : null;
    if (parsed?.protocol !== 'http:' || parsed.port === '')
      throw this.wrong(`${at}.url`, 'has to be an http URL with a port of this machine: the test listens there');
    const { resources, emitted = [] } = this.plan;
    const told = [...resources.flatMap((one) => one.events), ...emitted].map((event) => event.name);
    const names = this.listOf({ events }, 'events', `${at}.`).map((one, i) =>
      this.oneOf(one, [...new Set(told)], `${at}.events[${i}]`, 'event'),
    );
    const versions = versionNames(this.plan);
    const of =
      version === null || version === undefined ? null : this.oneOf(version, versions, `${at}.version`, 'version');
    if (typeof secret !== 'string') throw this.wrong(`${at}.secret`, `is ${kindOf(secret)}, not a text`);
    mustBeSecret(secret, `${this.name}: ${at} has`);
    return { url: parsed.href, events: names, version: of, secret };
  }

  private objectOf(value: unknown, at: string, members: readonly string[]): Readonly<Record<string, unknown>> {
    if (!isObject(value)) throw this.wrong(at, `is ${kindOf(value)}, not an object with ${members.join(', ')}`);
    this.mustHaveOnly(`${at}.`, value, members);
    return value;
  }

  private listOf(of: Readonly<Record<string, unknown>>, member: string, before = ''): readonly unknown[] {
    const value = of[member];
    if (value === undefined) return [];
    if (!Array.isArray(value)) throw this.wrong(`${before}${member}`, `is ${kindOf(value)}, not a list`);
    return value;
  }

  private oneOf(value: unknown, known: readonly string[], at: string, kind: string): string {
    if (typeof value === 'string' && known.includes(value)) return value;
    if (typeof value !== 'string') throw this.wrong(at, `is ${kindOf(value)}, not the name of a ${kind}`);
    const near = nearest(value, known);
    const rest = near ? `: did you mean “${near}”?` : known.length ? `. Use one of: ${known.join(', ')}.` : '.';
    throw new SetupError(`${this.name}: ${at} is wrong. The document has no ${kind} “${value}”${rest}`);
  }

  private mustHaveOnly(at: string, value: Readonly<Record<string, unknown>>, known: readonly string[]): void {
    for (const member of Object.keys(value))
      if (!known.includes(member)) throw this.wrong(`${at}${member}`, `is not known. Known are ${known.join(', ')}`);
  }

  private wrong(at: string, what: string): SetupError {
    return new SetupError(`${this.name}: ${at} ${what}.`);
  }
}
