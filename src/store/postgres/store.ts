import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemRandom } from '../../expression/values/random.ts';
import type { Plan } from '../../plan/step.ts';
import type { RateUse } from '../counters.ts';
import { type PoolFigures, StoreFigures } from '../figures.ts';
import type { Rate } from '../rate-quota.ts';
import { StatementCompiler } from '../sql/compiler.ts';
import {
  type Call,
  Change,
  type News,
  type Program,
  type Snapshot,
  type Statement,
  type StatementSpec,
  type Store,
  StoreError,
} from '../store.ts';
import type { SystemStatement } from '../system.ts';
import { searchedFields } from '../tables.ts';
import { type Address, readAddress } from './address.ts';
import { Attempts, PATIENCE } from './attempts.ts';
import { DatabaseClock } from './clock.ts';
import { type Link, TRY_COMMIT } from './connections.ts';
import { provideFunctions } from './create.ts';
import { postgresDialect } from './dialect.ts';
import { functionName, hasFunction } from './functions.ts';
import { Links } from './links.ts';
import { Node, type NodeQueries } from './node.ts';
import { boundSession, connect, holdShape, workingAt } from './open.ts';
import { enter } from './pooler.ts';
import { RowLocks } from './row-locks.ts';
import { ROOM_FOR_WORDS, searches } from './search.ts';
import { Snapshots } from './snapshot.ts';
import { openTables } from './tables.ts';
import {
  Alone,
  beginning,
  type ChangeKind,
  type Prepared,
  READING,
  REHEARSING,
  ReadOnly,
  rowsOf,
  sentOf,
  Transaction,
  toldOf,
  UNREPLICATED,
  Unfurnished,
} from './transaction.ts';

/**
 * After so many milliseconds, a change that reads any number of rows locks the tables of its earlier runs when it is run
 * again.
 */
const LONG_MS = 500;

/** How long a stopping node may take to give back its shares and claims, in milliseconds. */
const LEAVING_MS = 2000;

/** The service’s own statements that either add one row or fail. */
const ADDING: ReadonlySet<SystemStatement> = new Set<SystemStatement>([
  'keep answer',
  'insert event at',
  'insert streamed',
  'insert delivery',
  'ensure receiver',
]);

/** A change that fails where it changes no row, so that the statements after it need not wait for its result. */
const changingOne = (sql: string): string => `WITH changed AS (${sql} RETURNING 1) SELECT 1 / count(*) FROM changed`;

/**
 * A store in PostgreSQL, which any number of processes share. A read of one statement is one round trip; longer reads
 * share one snapshot. A change is a serializable transaction, or one that locks the rows that it reads where that gives the
 * same. It is run again from the start after a conflict.
 */
export class PostgresStore implements Store {
  private readonly address: Address;
  private readonly links: Links;
  private readonly attempts: Attempts;
  private readonly snapshots = new Snapshots();
  private readonly compiler: StatementCompiler;
  private readonly texts = new Map<string, string>();
  /** Functions that statements call and that have not been created yet. */
  private readonly wanted = new Set<string>();
  private readonly provided = new Set<string>();
  private providing: Promise<void> | null = null;
  /** The keys that requests of this node have claimed. Transactions claim them among all nodes. */
  private readonly claims = new Set<string>();
  /** This process as one of the nodes that share the database. */
  private readonly node: Node;
  /**
   * The hash of the rows’ shape when the store was opened: after a migration to another shape, this process may have to
   * stop.
   */
  private readonly shape: string;

  /** Whether rows are searched for words. */
  private readonly searches: boolean;
  /** Null where changes are serializable transactions. */
  private readonly rowLocks: RowLocks | null;
  private readonly clock: DatabaseClock;
  readonly random = systemRandom;
  readonly travels = true;
  readonly figures = new StoreFigures();

  private constructor(address: Address, plan: Plan, shape: string, clock: DatabaseClock) {
    this.clock = clock;
    this.address = address;
    this.shape = shape;
    this.searches = plan.resources.some((resource) => searchedFields(resource).length > 0);
    this.rowLocks = RowLocks.of(plan);
    const working = (processes: readonly string[]) => workingAt(address, processes);
    const isCurrent = ({ timeline }: Link): boolean => timeline === 0 || timeline >= address.timeline;
    this.links = new Links({ open: () => this.open(), isCurrent, working }, address.connections);
    this.attempts = new Attempts(this.links, this.figures, () => (this.wanted.size ? this.furnish() : null));
    const dialect = postgresDialect(plan.resources, (id) => this.want(id));
    this.compiler = new StatementCompiler(plan.resources, dialect);
    this.node = new Node(randomUUID(), this.nodeQueries(), clock);
  }

  /**
   * Opens the database at an address, with a table for each resource of the plan. Rejects with StoreError where the
   * database cannot be used, is not durable, or holds tables of another shape.
   */
  static async open(url: string, plan: Plan): Promise<PostgresStore> {
    const address = readAddress(url);
    const clock = new DatabaseClock();
    const link = await enter(address, clock);
    try {
      return new PostgresStore(address, plan, await openTables(link, plan), clock);
    } catch (error) {
      throw error instanceof StoreError
        ? error
        : new StoreError('failed', `${address.where}: ${(error as Error).message}`);
    } finally {
      await link.close();
    }
  }

  /** Opens a connection that locks the rows’ shape, with limits unless the connection is for long work. */
  private async open(bounded = true): Promise<Link> {
    const link = await connect(this.address, this.clock);
    try {
      const room = this.searches ? link.send({ text: ROOM_FOR_WORDS }) : null;
      await Promise.all([holdShape(link, this.shape), bounded ? boundSession(link) : null, room]);
      return link;
    } catch (error) {
      await link.close();
      throw error;
    }
  }

  private want(id: string): void {
    if (!hasFunction(id))
      throw new StoreError(
        'failed',
        `PostgreSQL has no function ${functionName(id)}. Store the rows in SQLite, with --data.`,
      );
    if (!this.provided.has(id)) this.wanted.add(id);
  }

  prepare(spec: StatementSpec): Statement {
    const { sql, parameters, uuids, widen } = this.compiler.compile(spec);
    const { kind } = spec;
    const adds = kind === 'insert' || kind === 'insert key' || (kind === 'system' && ADDING.has(spec.name));
    const need = this.rowLocks?.needOf(spec) ?? 'nothing';
    const prepared: Prepared = {
      spec,
      parameters,
      ...this.named(sql),
      uuids,
      widen,
      adds,
      sure: kind === 'update' || kind === 'delete' ? this.named(changingOne(sql)) : null,
      changesOne: adds || kind === 'update' || kind === 'delete',
      need,
      locking: typeof need === 'object' ? this.named(`${sql}${need.lock}`) : null,
      leads: false,
    };
    return prepared;
  }

  /** A text with its name: many steps have the same statement, which each connection prepares once. Others have none. */
  private named(text: string): Pick<Prepared, 'name' | 'text'> {
    if (searches(text)) return { name: '', text };
    const name = this.texts.get(text) ?? `ninefold_${this.texts.size}`;
    this.texts.set(text, name);
    return { name, text };
  }

  async furnish(): Promise<void> {
    while (this.wanted.size) {
      this.providing ??= this.provideNow();
      await this.providing;
    }
  }

  /**
   * A program may prepare a statement while it runs. The program is then run again, once the functions that the
   * statement calls have been created.
   */
  private readonly furnished = (): void => {
    if (this.wanted.size) throw new Unfurnished();
  };

  now(): number {
    return this.clock.now();
  }

  async read<T>(program: () => Program<T>): Promise<T> {
    this.figures.reads++;
    return this.attempts.run('read', null, (link) => this.readOn(link, program));
  }

  /** Most reads are one statement, which needs no transaction for its snapshot. */
  private async readOn<T>(link: Link, make: () => Program<T>): Promise<T> {
    const program = make();
    const first = program.next();
    if (first.done) return first.value;
    this.furnished();
    const [statement, args] = first.value;
    const prepared = statement as Prepared;
    if (!prepared.leads) {
      let given: Awaited<ReturnType<Link['send']>>;
      try {
        given = await link.send(sentOf(prepared, args));
      } catch (error) {
        throw toldOf(error);
      }
      const second = program.next(rowsOf(prepared, given));
      if (second.done) return second.value;
      prepared.leads = true;
    }
    program.return(undefined as never);
    return this.transact(new Transaction(link, READING, false, new Change(), this.furnished), make, () => {});
  }

  snapshot<T>(program: () => Program<T>, callOf: (value: T) => Call, milliseconds: number): Promise<Snapshot<T>> {
    this.figures.reads++;
    const connected = () => this.attempts.connected(performance.now() + PATIENCE, 'read', null, () => this.open());
    return this.snapshots.take(connected, () => this.furnish(), { program, callOf, milliseconds });
  }

  async write<T>(program: () => Program<T>, change = new Change(), again = false): Promise<T> {
    let streamed = false;
    this.figures.changes++;
    const began = performance.now();
    let tables: ReadonlySet<string> = new Set();
    let kind: ChangeKind = this.rowLocks ? 'locking' : 'serializable';
    const value = await this.attempts.run('change', change, async (link, careful, held) => {
      const transaction = new Transaction(link, beginning(kind, again), careful, change, this.furnished);
      // A long transaction would meet conflicts in each run, unless others wait for it.
      if (tables.size && performance.now() - began > LONG_MS) transaction.lock(tables);
      for (const table of tables) transaction.tables.add(table);
      tables = transaction.tables;
      try {
        const given = await this.transact(transaction, program, held);
        streamed = transaction.streamed;
        return given;
      } catch (error) {
        if (error instanceof Alone) kind = 'alone';
        throw error;
      }
    });
    if (!again) this.figures.commits.since(began);
    // Events get their place in the stream before the answer: a client that reads the stream after it must not get them
    // again.
    if (streamed) await change.wait(this.node.place()).catch(() => {});
    return value;
  }

  /**
   * A rehearsal fails on a full disk, too, where the table has to grow for it. It serves a read, and takes a connection for
   * reads, because all connections for changes may wait for a standby.
   */
  rehearse<T>(program: () => Program<T>): Promise<T> {
    const change = new Change();
    return this.attempts.run('read', change, (link, careful, held) =>
      this.transact(new Transaction(link, REHEARSING, careful, change, this.furnished), program, held),
    );
  }

  /**
   * Runs a program in a transaction. If its change is given up, the connection is `held` until the transaction has
   * ended.
   */
  private async transact<T>(
    transaction: Transaction,
    program: () => Program<T>,
    held: (until: Promise<unknown>) => void,
  ): Promise<T> {
    const { link, change } = transaction;
    const running = transaction.run(program());
    try {
      return await change.wait(running);
    } catch (error) {
      const undo = async (): Promise<void> => {
        if (change.stage === 'open' && !link.broken) await link.send({ text: 'ROLLBACK' }).catch(() => {});
      };
      if (change.givenUp) held(running.then(undo, undo));
      else {
        const undone = undo();
        // The next transaction of the same request claims the key on another connection.
        if (transaction.claims) await change.wait(undone);
      }
      if (change.stage !== 'committing' || change.givenUp || error === UNREPLICATED) throw error;
      throw new StoreError(
        'failed',
        'The connection to the database ended during a commit: the change may be committed or not.',
      );
    }
  }

  /** Creates the functions that statements call, before the first statement is sent. */
  private async provideNow(): Promise<void> {
    const ids = [...this.wanted];
    try {
      // Another node may be doing this work at the same time, and comparing zones takes seconds.
      const open = () => this.open(false);
      const link = await this.attempts.connected(performance.now() + PATIENCE, 'read', null, open);
      try {
        await provideFunctions(link, ids);
      } catch (error) {
        throw new StoreError('failed', `${this.address.where} does not accept functions: ${(error as Error).message}`);
      } finally {
        await link.close();
      }
      for (const id of ids) {
        this.wanted.delete(id);
        this.provided.add(id);
      }
    } finally {
      this.providing = null;
    }
  }

  take(policy: number, key: string, rate: Rate): RateUse | Promise<RateUse> {
    return this.node.shares.take(policy, key, rate);
  }

  claim(key: string): boolean {
    if (this.claims.has(key)) return false;
    this.claims.add(key);
    return true;
  }

  unclaim(key: string): void {
    this.claims.delete(key);
  }

  /** Counts and claims are in the database; the earlier store gives back its own when it is closed. */
  follow(before: Store): void {
    this.figures.follow(before.figures);
  }

  /** Commits an empty transaction, which waits for the disk and for standbys like any other. */
  async commits(): Promise<void> {
    try {
      await this.attempts.run('read', null, (link) => link.send({ text: TRY_COMMIT }));
    } catch (error) {
      const told = toldOf(error);
      // Other databases with this protocol may not know the statement, and a full one refuses it while it answers
      // reads.
      if (told instanceof StoreError && (told.kind === 'failed' || told.kind === 'full')) return;
      throw told instanceof ReadOnly ? told.failure : told;
    }
  }

  pool(): PoolFigures {
    return this.links.figures;
  }

  /** The size of the whole database, which others may share. */
  sizes(): Promise<ReadonlyMap<string, number>> {
    const program = async (link: Link): Promise<ReadonlyMap<string, number>> => {
      const { rows } = await link.send({ text: 'SELECT pg_database_size(current_database())::float8' });
      return new Map([['database', rows[0]![0] as number]]);
    };
    return this.attempts.run('read', null, program);
  }

  tell(news: News): void {
    this.node.tell(news);
  }

  hear(heard: (news: News) => void): void {
    this.node.join(heard);
  }

  async close(): Promise<void> {
    const left = new AbortController();
    const late = sleep(LEAVING_MS, undefined, { signal: left.signal }).catch(() => {});
    this.snapshots.close();
    await Promise.race([this.node.close(), late]);
    left.abort();
    await this.links.close();
  }

  /** Queries that the node makes for itself, beside those of programs. */
  private nodeQueries(): NodeQueries {
    const on = async <T>(work: (link: Link) => Promise<T>): Promise<T> => {
      const link = await this.attempts.connected(performance.now() + PATIENCE);
      try {
        return await work(link);
      } catch (error) {
        if (toldOf(error) instanceof ReadOnly) {
          link.drop();
          this.links.forget();
        }
        throw error instanceof StoreError ? error : new StoreError('busy', 'The database did not answer.');
      } finally {
        this.links.give(link);
      }
    };
    return {
      send: (sent) => on((link) => link.send(sent)),
      sendAll: (all) => on(async (link) => void (await Promise.all(all.map((text) => link.send({ text }))))),
      open: () => this.open(),
    };
  }
}
