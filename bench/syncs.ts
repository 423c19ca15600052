import { closeSync, openSync, readSync, writeFileSync, writeSync } from 'node:fs';

/** Makes the file through which `sync.c` counts and delays: two 64-bit numbers. */
export function makeSyncFile(path: string): void {
  writeFileSync(path, Buffer.alloc(16));
}

/** How many syncs there have been. */
export function readSyncs(path: string): number {
  const bytes = Buffer.alloc(8);
  const file = openSync(path, 'r');
  try {
    readSync(file, bytes, 0, 8, 0);
  } finally {
    closeSync(file);
  }
  return Number(bytes.readBigUInt64LE());
}

/** Delays each sync from now on. */
export function delaySyncs(path: string, microseconds: number): void {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(microseconds));
  const file = openSync(path, 'r+');
  try {
    writeSync(file, bytes, 0, 8, 8);
  } finally {
    closeSync(file);
  }
}
