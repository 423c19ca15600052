import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from './clock.ts';
import { exceeded, Problem, problem } from './problems.ts';
import { Rate, type Taken } from './rates.ts';
import type { OrderStore } from './store.ts';
import { BODY_BYTES, RATE_SECONDS, type Scope, VERSION } from './terms.ts';
import { DEPRECATION, versionOf } from './versions.ts';

/** Who asks, and what the answer says of the rates, also where the request is refused. */
export interface Admission {
  readonly caller: Caller;
  readonly policy: string;
  readonly limit: string;
  /** What a deprecated version says of itself, as name, value, name, value …; null in the current one. */
  readonly deprecation: readonly string[] | null;
  readonly problem: Problem | null;
}

export interface Caller {
  readonly customer: string;
  readonly seesAll: boolean;
  /** Whether the request speaks the deprecated version. */
  readonly older: boolean;
  /** Whether the request has a body where none is taken. */
  readonly sentBody: boolean;
}

const NOBODY: Caller = { customer: '', seesAll: false, older: false, sentBody: false };

/** How many requests each address and each caller may send in a window. */
export interface Rates {
  readonly address: number;
  readonly caller: number;
}

/** Who has a key. */
export interface KeyHolder {
  readonly customer: string;
  readonly scopes: string;
}

/** What is known of a request before its key has been looked up. */
interface Asked {
  readonly now: number;
  /** What the answer says of the rate of the address. */
  readonly limit: string;
  readonly keyHash: Buffer;
}

/** What comes before any endpoint, but for the look at the key: rates, scopes, the version, what is accepted. */
export class Admissions {
  private readonly clock: Clock;
  private readonly addresses: Rate;
  private readonly callers: Rate;
  private readonly addressPolicy: string;
  private readonly bothPolicies: string;

  constructor(clock: Clock, rates: Rates) {
    this.clock = clock;
    this.addresses = new Rate(rates.address);
    this.callers = new Rate(rates.caller);
    this.addressPolicy = `"address";q=${rates.address};w=${RATE_SECONDS}`;
    this.bothPolicies = `${this.addressPolicy}, "caller";q=${rates.caller};w=${RATE_SECONDS}`;
  }

  /** Forgets how often anybody has asked. */
  forget(): void {
    this.addresses.forget();
    this.callers.forget();
  }

  /** Counts a request, and reads its key; refuses it where there is none that may be looked up. */
  protected ask(headers: IncomingHttpHeaders, address: string): Asked | Admission {
    const now = this.clock.now();
    const byAddress = this.addresses.take(address, now);
    const limit = remaining('address', byAddress);
    if (!byAddress.allowed) return this.refused(limit, exceeded(byAddress.seconds));
    const key = credential(headers.authorization);
    if (key === '') return this.refused(limit, problem('key_missing'));
    if (key === null) return this.refused(limit, problem('key_unknown'));
    return { now, limit, keyHash: hash('sha256', key, 'buffer') };
  }

  private refused(limit: string, problem: Problem): Admission {
    return { caller: NOBODY, policy: this.addressPolicy, limit, deprecation: null, problem };
  }

  /** Admits or refuses a request once it is known who has its key. */
  protected decide(
    { now, limit }: Asked,
    holder: KeyHolder | undefined,
    { headers, scope, takesBody, method }: Form,
  ): Admission {
    if (!holder) return this.refused(limit, problem('key_unknown'));
    const byCaller = this.callers.take(holder.customer, now);
    const version = headers['orders-version'];
    const older = version === undefined || version === VERSION ? false : versionOf(String(version), now);
    const refusal = !byCaller.allowed
      ? exceeded(byCaller.seconds)
      : !holder.scopes.includes(scope)
        ? problem('scope_missing')
        : older instanceof Problem
          ? older
          : formRefusal(headers, takesBody, method);
    const speaksOlder = older === true && byCaller.allowed && holder.scopes.includes(scope);
    return {
      caller: {
        customer: holder.customer,
        seesAll: holder.scopes.includes('orders:fulfil'),
        older: speaksOlder,
        sentBody: !takesBody && hasBody(headers),
      },
      policy: this.bothPolicies,
      limit: `${limit}, ${remaining('caller', byCaller)}`,
      deprecation: speaksOlder ? DEPRECATION : null,
      problem: refusal,
    };
  }
}

/** The form of a request. */
interface Form {
  readonly headers: IncomingHttpHeaders;
  readonly scope: Scope;
  readonly takesBody: boolean;
  readonly method: string;
}

/** The gate of a store that answers at once. */
export class Gate extends Admissions {
  private readonly store: OrderStore;

  constructor(store: OrderStore, clock: Clock, rates: Rates) {
    super(clock, rates);
    this.store = store;
  }

  admit(headers: IncomingHttpHeaders, address: string, scope: Scope, takesBody = false, method = ''): Admission {
    const asked = this.ask(headers, address);
    if ('policy' in asked) return asked;
    return this.decide(asked, this.store.keyHolder(asked.keyHash), { headers, scope, takesBody, method });
  }
}

const remaining = (name: string, taken: Taken): string => `"${name}";r=${taken.remaining};t=${taken.seconds}`;

/** The key in `Authorization: Bearer …`; nothing where none was sent, null where something else was. */
function credential(header: string | undefined): string | null {
  if (header === undefined) return '';
  if (header.slice(0, 6).toLowerCase() !== 'bearer') return null;
  if (header.length === 6) return '';
  return header[6] === ' ' ? header.slice(7).trimStart() : null;
}

/** Whether there is a body where none is taken: it is refused once the parameters are known to be allowed. */
const hasBody = (headers: IncomingHttpHeaders): boolean =>
  Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;

function formRefusal(headers: IncomingHttpHeaders, takesBody: boolean, method: string): Problem | null {
  // A removal answers nothing that could be accepted or not.
  if (method !== 'DELETE' && !accepts(headers.accept)) return problem('not_acceptable');
  if (takesBody)
    return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined
      ? problem('length_missing')
      : null;
  const length = Number(headers['content-length'] ?? 0);
  if (length > BODY_BYTES) return problem('request_too_large');
  return null;
}

function accepts(header: string | undefined): boolean {
  if (header === undefined || header === '*/*' || header === 'application/json') return true;
  const ranges = header.split(',').flatMap((one) => {
    const found =
      /^\s*([\w*.+-]+\/[\w*.+-]+(?:\s*;\s*(?!q=|charset=utf-8\s*(?:;|$))[\w-]+=[^;]*)*)\s*(?:;\s*charset=utf-8)?\s*(?:;\s*q=([\d.]+)\s*)?$/i.exec(
        one,
      );
    return found?.[1] ? [{ type: found[1].toLowerCase(), weight: Number(found[2] ?? 1) }] : [];
  });
  // The most specific range counts (RFC 9110, section 12.5.1); a header that says nothing refuses nothing.
  const best = ['application/json', 'application/*', '*/*'].map((type) => ranges.find((one) => one.type === type));
  return ranges.length === 0 || (best.find((one) => one !== undefined)?.weight ?? 0) > 0;
}
