import type { Row } from '../../expression/value.ts';
import type { CredentialsPlan, Plan } from '../../plan/step.ts';
import type { Exchange } from '../../serve/exchange.ts';
import { credential, schemeOnly } from '../../serve/wire/bearer.ts';
import { header } from '../../serve/wire/headers.ts';
import { call, type Program, type Statement, type Store } from '../../store/store.ts';
import type { Errors, Refusal } from '../errors/enforce.ts';
import { rowKey, type Work } from '../resources/enforce.ts';
import { keyId, keyMatches } from './keys.ts';

/** Finds out who asks. A credential that is not accepted never falls back to “nobody”. */
export class Callers {
  private readonly plan: CredentialsPlan;
  private readonly store: Store;
  private readonly errors: Errors;
  private readonly find: Statement;
  private readonly identity: number;
  private readonly lowerHeader: string;
  private readonly missing: Refusal;
  private readonly refused: Refusal;

  constructor(plan: Plan, store: Store, errors: Errors) {
    this.plan = plan.credentials!;
    this.store = store;
    this.errors = errors;
    this.find = store.prepare({ kind: 'credential', resource: this.plan.resource });
    const resource = plan.resources.find((one) => one.name === this.plan.resource)!;
    this.identity = resource.columns.findIndex((column) => column.name === resource.identity);
    this.lowerHeader = this.plan.header.toLowerCase();
    // RFC 9110, section 11.6.1: a 401 names its challenge; RFC 6750, section 3.1: and the error, where there was a token.
    const { scheme } = this.plan;
    const error = scheme.toLowerCase() === 'bearer' ? ' error="invalid_token"' : '';
    this.missing = errors.condition('credentials missing', [], ['WWW-Authenticate', scheme]);
    this.refused = errors.condition('credentials not accepted', [], ['WWW-Authenticate', `${scheme}${error}`]);
  }

  /** Settles the caller and its scopes. Where credentials are optional, only a request without any is nobody's. */
  authenticate(x: Exchange, optional: boolean): Refusal | null | Promise<Refusal | null> {
    const sent = header(x.incoming.rawHeaders, this.lowerHeader);
    if (sent === undefined) return optional ? null : this.missing;
    const key = credential(sent, this.plan);
    if (key === null) return schemeOnly(sent, this.plan) && !optional ? this.missing : this.refused;
    return this.accept(x, key);
  }

  private async accept(x: Exchange, key: string): Promise<Refusal | null> {
    const id = keyId(key);
    if (id === null) return this.refused;
    const found = await this.store.read(() => this.program(id));
    if (!found) return this.refused;
    const [kept, scopes, ...caller] = found;
    if (!keyMatches(key, kept as unknown as Buffer)) return this.refused;
    x.frame.caller = caller;
    x.frame.scopes = JSON.parse(scopes as string) as string[];
    x.holder = caller[this.identity]!;
    x.keyId = id;
    return null;
  }

  /** The caller as the transaction sees it: its key may have been revoked, and its row changed, since it was let in. */
  *again(x: Exchange, work: Work): Program<void> {
    if (x.keyId === null) return;
    const found = yield* this.program(x.keyId);
    if (!found) throw this.refused;
    const [, scopes, ...caller] = found;
    x.frame.scopes = JSON.parse(scopes as string) as string[];
    x.frame.caller = caller;
    work.rows.set(rowKey(this.plan.resource, x.holder), caller);
  }

  requireScope(x: Exchange, scope: string): Refusal | null {
    return x.frame.scopes.includes(scope) ? null : this.errors.condition('scope missing');
  }

  private *program(id: string): Program<Row | undefined> {
    return (yield* call(this.find, [id]))[0];
  }
}
