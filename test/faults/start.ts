import { cpSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { LOG_PAGES } from '../../src/store/sqlite/log-copy.ts';
import { RAISED, type Service, until, Workspace } from '../harness.ts';
import { Ledger, type Select } from '../ledger.ts';
import { skip } from '../strace.ts';

/** A log of so many bytes is about to be copied: each page has a header there. Whoever opens it copies it first. */
const LONG_LOG = (LOG_PAGES - 100) * (4096 + 24);

/** Where runs begin: a data directory with a customer, her key and a receiver, as a service has left it. */
export class Start {
  readonly dir = mkdtempSync(join(tmpdir(), 'ninefold-start-'));
  readonly key: string;
  readonly document: string;

  private constructor(key: string, document: string) {
    this.key = key;
    this.document = document;
  }

  /** One where nothing was ordered yet, and no log is left. */
  static async fresh(receiver: string | null, document = RAISED): Promise<Start> {
    await using space = new Workspace(document);
    const start = new Start(await space.key(await space.customer()), document);
    if (receiver !== null) await space.receiver(receiver);
    start.takeFrom(space);
    return start;
  }

  /** One whose log has grown so long that a few more writes have it copied. */
  static async withLongLog(before: Start): Promise<Start> {
    await using space = before.space();
    const service = await space.serve();
    const ledger = new Ledger(before.key);
    const log = (): number => statSync(join(space.data, 'ninefold.sqlite-wal')).size;
    while (log() < LONG_LOG) await Promise.all(Array.from({ length: 32 }, () => ledger.live(service, 4)));
    await service.kill();
    const start = new Start(before.key, before.document);
    start.takeFrom(space);
    return start;
  }

  /** One of which a few hundred orders make a log so long that it is copied while the service runs: its pages are small. */
  static withSmallPages(before: Start): Start {
    const start = new Start(before.key, before.document);
    cpSync(before.dir, start.dir, { recursive: true });
    const db = new Database(join(start.dir, 'ninefold.sqlite'));
    db.pragma('journal_mode = DELETE');
    db.pragma('page_size = 512');
    db.exec('VACUUM');
    db.pragma('journal_mode = WAL');
    db.close();
    return start;
  }

  private takeFrom(space: Workspace): void {
    cpSync(space.data, this.dir, { recursive: true });
  }

  /** A workspace that begins here. */
  space(): Workspace {
    const space = new Workspace(this.document);
    cpSync(this.dir, space.data, { recursive: true });
    return space;
  }

  [Symbol.dispose](): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** Asks the tables of the database in a directory, after what is in its log has been taken up. */
export function asking<T>(data: string, ask: (select: Select) => T): T {
  const db = new Database(join(data, 'ninefold.sqlite'));
  try {
    return ask((sql, ...values) => db.prepare(sql).all(...values) as never);
  } finally {
    db.close();
  }
}

/** The files that hold what is stored, as strace is told to look at them alone. */
export function storedPaths(data: string): string[] {
  return ['', '-wal', '-journal'].flatMap((end) => ['-P', join(data, `ninefold.sqlite${end}`)]);
}

/** What gates say that need strace. */
export const lacksStrace = (): string | null =>
  skip === false ? null : `${skip} (Debian: apt install strace; in a container: --cap-add SYS_PTRACE)`;

/** Waits until the service has opened an order after a fault; gives the milliseconds that it took. */
export async function recovered(service: Service, key: string, sku: string, seconds = 30): Promise<number> {
  const began = performance.now();
  await until(async () => (await service.open(key, { sku, quantity: 1 })).status === 201, 'a write', seconds);
  return performance.now() - began;
}
