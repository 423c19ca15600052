import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { call } from '../store/store.ts';
import type { Engine } from './engine/engine.ts';
import { OperatorError } from './operator-error.ts';
import { OperatorWork } from './operator-work.ts';

/** How long a link waits to be opened, in milliseconds. It works once. */
export const LINK_MS = 10 * 60_000;

/** How long an entry about ended sessions is kept: longer than any session lasts. */
const KEPT_MS = 24 * 3_600_000;

/** The names of operators. */
const NAME = /^(?!.* (?: |$))[\p{L}\p{N}][\p{L}\p{N} ._@-]{0,59}$/u;

/** The form in which a link is stored: whoever reads the store learns no key. */
const linkIdOf = (key: string): string => createHash('sha256').update(key).digest('hex');

/** The address of an operator’s port for clients, from the host and port at which it listens. */
export function operatorsAddress(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

/** Links to the console of a running service, and the end of its sessions. They go through the store of the service. */
export class OperatorConsole {
  private readonly engine: Engine;
  private readonly work: OperatorWork;

  constructor(engine: Engine) {
    this.engine = engine;
    this.work = new OperatorWork(engine);
  }

  /** Makes a key that opens one session for an operator of this name, once, within ten minutes. */
  async key(name: string): Promise<string> {
    mustBeName(name);
    const key = randomBytes(32).toString('base64url');
    await this.enter(linkIdOf(key), 'link', name, LINK_MS);
    return key;
  }

  /** Ends all present sessions of an operator. */
  async end(name: string): Promise<void> {
    mustBeName(name);
    await this.enter(randomUUID(), 'end', name, 0);
  }

  /** Uses up a key. Returns the name of its operator; null where there is no such key, or it has been used or expired. */
  async take(key: string): Promise<string | null> {
    const { store } = this.engine;
    // Anybody may send keys: an unknown one costs a read, and no commit.
    const found = await store.read(() => call(this.work.system('find console link'), [linkIdOf(key), store.now()]));
    if (found.length === 0) return null;
    const taken = await store.write(() => call(this.work.system('take console link'), [linkIdOf(key), store.now()]));
    return taken[0] ? String(taken[0][0]) : null;
  }

  /** The commands that ended the sessions of an operator: the name of the operator, by the identity of the command. */
  async ends(): Promise<ReadonlyMap<string, string>> {
    const rows = await this.work.read('console ends');
    return new Map(rows.map(([id, name]) => [String(id), String(name)]));
  }

  private async enter(id: string, kind: 'link' | 'end', name: string, lasts: number): Promise<void> {
    const { store } = this.engine;
    const work = this.work;
    await store.write(function* program() {
      yield* call(work.system('forget console entries'), [store.now() - KEPT_MS]);
      yield* call(work.system('insert console entry'), [id, kind, name, store.now() + lasts]);
    });
  }
}

function mustBeName(name: string): void {
  if (!NAME.test(name))
    throw new OperatorError(
      'A name is 1 to 60 letters, digits, single spaces and `._@-`. It begins with a letter or a digit, and ends with no space.',
      true,
    );
}
