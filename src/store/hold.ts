import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { StoreError } from './store.ts';

/** The file of a data directory by which a service holds it. */
export const LOCK = 'serving.lock';

/** A data directory that one service holds. */
export interface Held {
  release(): void;
}

/**
 * Holds a data directory for one service: rates and idempotency claims are counted in its process, so that a second
 * one would let through twice as many. The lock is the system's own, and ends with the process, however it ends.
 * Throws StoreError where another service holds it.
 */
export function holdDirectory(data: string): Held {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const lock = new Database(join(data, LOCK), { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch {
    lock.close();
    throw new StoreError('failed', 'Another service is running on it. Stop that one, or give this one another --data.');
  }
  return { release: () => lock.close() };
}
