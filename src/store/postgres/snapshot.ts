import type { Row } from '../../expression/values/value.ts';
import { type Call, PAUSE, type Program, type Snapshot, StoreError } from '../store.ts';
import type { Link } from './connections.ts';
import { Lost, type Prepared, READ, ReadOnly, rowsOf, sentOf, toldOf, Unfurnished } from './transaction.ts';

interface Asked<T> {
  readonly program: () => Program<T>;
  readonly callOf: (value: T) => Call;
  /** The longest time for which the reader of the rows may keep the transaction waiting. */
  readonly milliseconds: number;
}

/** How much longer than its reader the database waits, in milliseconds. */
const GRACE_MS = 5000;

/**
 * A transaction on a connection of its own, outside the pool, that reads one state of the database through a cursor for
 * as long as a client receives its rows.
 */
class PostgresSnapshot<T> implements Snapshot<T> {
  readonly value: T;
  private readonly link: Link;
  private readonly prepared: Prepared;
  private readonly closed: () => void;
  private open = true;
  private over = false;

  constructor(link: Link, value: T, prepared: Prepared, closed: () => void) {
    this.link = link;
    this.value = value;
    this.prepared = prepared;
    this.closed = closed;
  }

  async next(most: number): Promise<Row[]> {
    if (!this.open) throw ENDED;
    if (this.over) return [];
    try {
      const given = await this.link.send({ text: `FETCH ${most} FROM sent` });
      this.over = given.rows.length < most;
      return rowsOf(this.prepared, given);
    } catch (error) {
      throw this.open ? failureOf(error) : ENDED;
    }
  }

  close(): void {
    if (!this.open) return;
    this.open = false;
    this.closed();
    // A statement in progress is not waited for: the database notices that its client has gone.
    this.link.drop();
  }
}

/** The open snapshots of a store. */
export class Snapshots {
  private readonly open = new Set<PostgresSnapshot<unknown>>();

  /** Runs a program in a transaction on a new connection, and opens the cursor of its call. */
  async take<T>(connected: () => Promise<Link>, furnish: () => Promise<void>, asked: Asked<T>): Promise<Snapshot<T>> {
    const link = await connected();
    try {
      const { value, prepared } = await begun(link, furnish, asked);
      const made: PostgresSnapshot<T> = new PostgresSnapshot(link, value, prepared, () => this.open.delete(made));
      this.open.add(made);
      return made;
    } catch (error) {
      link.drop();
      throw failureOf(error);
    }
  }

  close(): void {
    for (const one of this.open) one.close();
  }
}

async function begun<T>(
  link: Link,
  furnish: () => Promise<void>,
  { program: make, callOf, milliseconds }: Asked<T>,
): Promise<{ readonly value: T; readonly prepared: Prepared }> {
  void link.send({ text: READ });
  const most = Math.ceil(milliseconds) + GRACE_MS;
  void link.send({ text: `SET LOCAL idle_in_transaction_session_timeout = ${most}` });
  const program = make();
  let step = program.next();
  while (!step.done) {
    await furnish();
    const [statement, args] = step.value;
    const prepared = statement as Prepared;
    step = program.next(step.value === PAUSE ? [] : rowsOf(prepared, await link.send(sentOf(prepared, args))));
  }
  const [statement, args] = callOf(step.value);
  const prepared = statement as Prepared;
  await furnish();
  const { text, values = [] } = sentOf(prepared, args);
  await link.send({ text: `DECLARE sent NO SCROLL CURSOR FOR ${text}`, values });
  return { value: step.value, prepared };
}

/** Converts an error of the driver to the failure of the store. A refusal of the program stays as it is. */
function failureOf(error: unknown): unknown {
  if (error instanceof StoreError) return error;
  const told = toldOf(error);
  if (told instanceof Lost || told instanceof ReadOnly) return told.failure;
  return told instanceof Unfurnished ? new StoreError('failed', told.message) : told;
}

const ENDED = new StoreError('busy', 'The snapshot was closed before all its rows had been read.');
