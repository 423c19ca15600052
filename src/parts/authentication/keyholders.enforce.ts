import type { Row } from '../../expression/value.ts';
import type { SchemePlan } from '../../plan/callers.ts';
import { call, type Program, type Statement, type Store } from '../../store/store.ts';
import type { Acceptor, Known, NotKnown } from './enforce.ts';
import { keyId, keyMatches } from './keys.ts';

/** Finds callers by their API keys. */
export class KeyHolders implements Acceptor {
  private readonly store: Store;
  private readonly find: Statement;

  constructor(plan: SchemePlan, store: Store) {
    this.store = store;
    this.find = store.prepare({ kind: 'credential', resource: plan.resource, mark: plan.mark });
  }

  accept(key: string): Known | NotKnown | Promise<Known | NotKnown> {
    const id = keyId(key);
    if (id === null) return 'credentials not accepted';
    const found = this.store.read(() => this.program(id));
    return found instanceof Promise ? found.then((late) => this.known(key, id, late)) : this.known(key, id, found);
  }

  private known(key: string, id: string, found: Row | undefined): Known | NotKnown {
    if (!found) return 'credentials not accepted';
    const [kept, scopes, ...row] = found;
    if (!keyMatches(key, kept as unknown as Buffer)) return 'credentials not accepted';
    return { row, scopes: JSON.parse(scopes as string) as string[], keyId: id, again: () => this.again(id) };
  }

  private *again(id: string): Program<Pick<Known, 'row' | 'scopes'> | null> {
    const found = yield* this.program(id);
    if (!found) return null;
    const [, scopes, ...row] = found;
    return { row, scopes: JSON.parse(scopes as string) as string[] };
  }

  private *program(id: string): Program<Row | undefined> {
    return (yield* call(this.find, [id]))[0];
  }
}
