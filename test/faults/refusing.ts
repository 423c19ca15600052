// Loaded into a service by `--import`: one of the syncs that it makes itself is refused, of the file and at the time
// that NINEFOLD_REFUSE names. SQLite makes its syncs by itself, and strace refuses those.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { REFUSED } from './power.trace.ts';

const [end = '', nth = ''] = process.env.NINEFOLD_REFUSE?.split('@') ?? [];
let left = Number(nth);

/** What the system would say where it refuses to sync a file; null where this is not the time for it. */
function refusal(file: number, syscall: string): Error | null {
  const path = fs.readlinkSync(`/proc/self/fd/${file}`);
  if (!path.endsWith(end)) return null;
  left--;
  if (left !== 0) return null;
  // It stands in the trace like this.
  try {
    fs.openSync(`${REFUSED}${path}`, 'r');
  } catch {
    // There is no such file.
  }
  return Object.assign(new Error(`EIO: i/o error, ${syscall}`), { code: 'EIO', errno: -5, syscall });
}

const { fdatasync, fdatasyncSync, fsyncSync } = fs;
Object.assign(fs, {
  fdatasync: (file: number, done: (error: Error | null) => void): void => {
    const error = refusal(file, 'fdatasync');
    if (error) setTimeout(() => done(error), 5);
    else fdatasync(file, done);
  },
  fdatasyncSync: (file: number): void => {
    const error = refusal(file, 'fdatasync');
    if (error) throw error;
    fdatasyncSync(file);
  },
  fsyncSync: (file: number): void => {
    const error = refusal(file, 'fsync');
    if (error) throw error;
    fsyncSync(file);
  },
});
syncBuiltinESMExports();
