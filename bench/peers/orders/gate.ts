import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { exceeded, type Problem, problem } from './problems.ts';
import { Rate, type Taken } from './rates.ts';
import type { OrderStore } from './store.ts';
import { RATE, RATE_SECONDS, RETIRED_VERSION, type Scope, VERSION } from './terms.ts';

/** Who asks, and what the answer says of the rates, also where the request is refused. */
export interface Admission {
  readonly caller: Caller;
  readonly policy: string;
  readonly limit: string;
  readonly problem: Problem | null;
}

export interface Caller {
  readonly customer: string;
  readonly seesAll: boolean;
}

const NOBODY: Caller = { customer: '', seesAll: false };
const ADDRESS_POLICY = `"address";q=${RATE};w=${RATE_SECONDS}`;
const BOTH_POLICIES = `${ADDRESS_POLICY}, "caller";q=${RATE};w=${RATE_SECONDS}`;

/** What comes before any endpoint: rates, the API key, scopes, the version, what is accepted. */
export class Gate {
  private readonly store: OrderStore;
  private readonly addresses = new Rate();
  private readonly callers = new Rate();

  constructor(store: OrderStore) {
    this.store = store;
  }

  admit(headers: IncomingHttpHeaders, address: string, scope: Scope, takesBody = false): Admission {
    const now = Date.now();
    const byAddress = this.addresses.take(address, now);
    const limit = remaining('address', byAddress);
    const before = (problem: Problem): Admission => ({ caller: NOBODY, policy: ADDRESS_POLICY, limit, problem });
    if (!byAddress.allowed) return before(exceeded(byAddress.seconds));
    const key = credential(headers.authorization);
    if (key === '') return before(problem('key_missing'));
    if (key === null) return before(problem('key_unknown'));
    const holder = this.store.keyHolder(hash('sha256', key, 'buffer'));
    if (!holder) return before(problem('key_unknown'));
    const byCaller = this.callers.take(holder.customer, now);
    const caller = { customer: holder.customer, seesAll: holder.scopes.includes('orders:fulfil') };
    const refusal = !byCaller.allowed
      ? exceeded(byCaller.seconds)
      : !holder.scopes.includes(scope)
        ? problem('scope_missing')
        : formRefusal(headers, takesBody);
    return { caller, policy: BOTH_POLICIES, limit: `${limit}, ${remaining('caller', byCaller)}`, problem: refusal };
  }
}

const remaining = (name: string, taken: Taken): string => `"${name}";r=${taken.remaining};t=${taken.seconds}`;

/** The key in `Authorization: Bearer …`; nothing where none was sent, null where something else was. */
function credential(header: string | undefined): string | null {
  if (header === undefined) return '';
  if (header.slice(0, 6).toLowerCase() !== 'bearer') return null;
  if (header.length === 6) return '';
  return header[6] === ' ' ? header.slice(7) : null;
}

function formRefusal(headers: IncomingHttpHeaders, takesBody: boolean): Problem | null {
  const version = headers['orders-version'];
  if (version !== undefined && version !== VERSION)
    return problem(version === RETIRED_VERSION ? 'version_retired' : 'version_unknown');
  if (!accepts(headers.accept)) return problem('not_acceptable');
  if (takesBody) return null;
  const sent = Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;
  return sent ? problem('body_not_expected') : null;
}

function accepts(header: string | undefined): boolean {
  if (header === undefined || header === '*/*' || header === 'application/json') return true;
  return header
    .split(',')
    .map((one) => one.split(';')[0]!.trim().toLowerCase())
    .some((one) => one === '*/*' || one === 'application/*' || one === 'application/json');
}
