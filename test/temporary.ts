import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where systems keep files in memory. */
const MEMORY = '/dev/shm';

/** What the temporary files of a run take at most, with some to spare, in bytes. */
const ROOM = 4 * 2 ** 30;

/**
 * Where a usual run has its temporary files until this process ends: in memory, where the system has a place for that and
 * enough room. Making hundreds of databases on a disk costs several times what the tests do with them.
 */
export function inMemory(): string {
  let dir: string;
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < ROOM) return tmpdir();
    dir = mkdtempSync(join(MEMORY, 'ninefold-tests-'));
  } catch {
    return tmpdir();
  }
  // PostgreSQL may run as another user (`postgres.ts`), who has to come through.
  chmodSync(dir, 0o711);
  process.on('exit', () => rmSync(dir, { recursive: true, force: true }));
  return dir;
}
