import type { SchemePlan } from '../plan/callers.ts';
import { call, type Program } from '../store/store.ts';
import { Issuers } from './authentication/issue.ts';
import { keyId } from './authentication/keys.ts';
import type { Engine } from './engine/engine.ts';
import { mustBeOneOf, OperatorError } from './operator-error.ts';
import { rowOf } from './operator-values.ts';
import { OperatorWork } from './operator-work.ts';

/** The longest lifetime of a token that the operator uses, in milliseconds. */
const TOKEN_MS = 60_000;

/** A credential of a caller for one request. */
interface CredentialOnce {
  readonly credential: string;
  /** Ends the credential as far as it can be ended; a token ends by itself. */
  readonly end: () => Promise<void>;
}

/**
 * Credentials with which the operator sends single requests as a caller. They are issued by the code of the steps, and
 * leave the process only in the request.
 */
export class OperatorCredentials {
  private readonly engine: Engine;
  private readonly work: OperatorWork;

  constructor(engine: Engine) {
    this.engine = engine;
    this.work = new OperatorWork(engine);
  }

  /** Whether the service itself can issue credentials of a scheme. */
  static canIssue({ issuedBy }: Pick<SchemePlan, 'issuedBy'>): boolean {
    return issuedBy.includes('operator') || issuedBy.includes('steps');
  }

  /** Issues a credential of a scheme for a row. */
  async issue(name: string, id: string, scopes: readonly string[]): Promise<CredentialOnce> {
    const { plan, resources, store, keys } = this.engine;
    const scheme = plan.schemes.find((one) => one.name === name);
    if (!scheme) throw new OperatorError(`The document has no scheme “${name}”.`, true);
    if (!OperatorCredentials.canIssue(scheme))
      throw new OperatorError(`The service issues no credentials of the scheme “${name}”.`);
    for (const scope of scopes) mustBeOneOf(scope, scheme.scopes, 'scope');
    const resource = resources.get(scheme.resource)!;
    const issue = new Issuers(plan, store, keys, TOKEN_MS).issuer(name);
    const credential = await this.work.change(function* (_, now): Program<string> {
      const row = yield* rowOf(resource, id);
      if (!row) throw new OperatorError(`There is no ${scheme.resource} “${id}”.`, false, { missing: true });
      return yield* issue(row, scopes, now);
    });
    return { credential, end: () => this.end(credential) };
  }

  /** Revokes a key. */
  private async end(credential: string): Promise<void> {
    const id = keyId(credential);
    if (id !== null) await this.work.change((_, now) => call(this.work.system('revoke key'), [now, id]));
  }
}
