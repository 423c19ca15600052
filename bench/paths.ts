import { join } from 'node:path';

/** Where things are, from the root of the clone. Data and builds are made by the bench, and no part of the repository. */
export const ROOT = join(import.meta.dirname, '..');
export const DOCUMENT = join(ROOT, 'examples', 'orders.md');
export const PEERS = join(import.meta.dirname, 'dist', 'peers');
export const NINEFOLD = join(import.meta.dirname, 'dist', 'ninefold');
/** Ninefold as it was at an earlier commit, for `--before`. */
export const BEFORE = join(import.meta.dirname, 'dist', 'before');
export const SYNC_LIBRARY = join(import.meta.dirname, 'dist', process.platform === 'darwin' ? 'sync.dylib' : 'sync.so');
