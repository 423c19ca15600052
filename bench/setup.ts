import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { build, buildSyncLibrary } from './build.ts';
import { benchedDocument, earlierDocument } from './document.ts';
import { hearInterrupts } from './interrupted.ts';
import { describeMachine, type Machine } from './machine.ts';
import { canPin, type Where } from './process.ts';
import { machineText } from './report/text.ts';
import type { StoreName } from './servers.ts';
import { makeSyncFile } from './syncs.ts';

/** Builds what is measured and makes ready where it runs; prints what machine this is. */
export function setUp(
  data: string,
  before: string | null,
  say: (line: string) => void,
  store: StoreName = 'sqlite',
): { where: Where; machine: Machine } {
  const interrupted = hearInterrupts(say);
  build(before, say);
  const isAlone = store === 'sqlite';
  const syncsCounted = isAlone && buildSyncLibrary();
  const where: Where = {
    data,
    document: join(data, 'orders.md'),
    syncs: syncsCounted ? join(data, 'syncs') : null,
    // A database works on processors of its own, or on theirs where there are few.
    pinned: isAlone && canPin(),
    profiles: null,
    interrupted,
  };
  mkdirSync(data, { recursive: true });
  if (where.syncs !== null) makeSyncFile(where.syncs);
  writeFileSync(where.document, benchedDocument());
  if (before !== null) writeFileSync(earlierDocument(where.document), benchedDocument(before));
  const sqlite = new Database(':memory:').prepare('SELECT sqlite_version()').pluck().get() as string;
  const machine = describeMachine(data, sqlite, where.pinned, syncsCounted);
  process.stdout.write(`${machineText(machine)}\n\n`);
  return { where, machine };
}

/** Where the dataset is written for the load generator. */
export const datasetFile = (data: string): string => join(data, 'dataset.json');
