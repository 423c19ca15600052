import { createHash, randomUUIDv7 } from 'node:crypto';
import { createReadStream, mkdirSync, type ReadStream, readdirSync, rmSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from './database.ts';
import { problem } from './problems.ts';

/** What the first bytes of each type are. */
const FIRST_BYTES: Readonly<Record<string, Buffer>> = {
  'image/png': Buffer.from('89504e470d0a1a0a', 'hex'),
  'image/jpeg': Buffer.from('ffd8ff', 'hex'),
  'application/pdf': Buffer.from('%PDF-'),
};
export const FILE_TYPES: readonly string[] = Object.keys(FIRST_BYTES);
export const FILE_BYTES = 20 * 1024 * 1024;

/** A file that has arrived, and that no row names yet. */
export interface Arrived {
  readonly id: string;
  readonly type: string;
  readonly size: number;
  readonly sha256: string;
}

/** The bytes of attachments, each in a file named as its row. */
export class FileStore {
  private readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
    mkdirSync(directory, { recursive: true });
  }

  /** Removes files without a row: what an upload left that was interrupted. */
  sweep(db: Db): void {
    const isNamed = db.prepare<[string], number>('SELECT 1 FROM attachment WHERE id = ?').pluck();
    for (const name of readdirSync(this.directory)) if (!isNamed.get(name)) this.remove(name);
  }

  /** Writes a file as it arrives. Throws where it is too long, or does not begin as its type does. */
  async receive(type: string, bytes: AsyncIterable<Buffer>): Promise<Arrived> {
    const id = randomUUIDv7();
    const part = join(this.directory, `${id}.part`);
    const file = await open(part, 'wx');
    try {
      const sum = createHash('sha256');
      const expected = FIRST_BYTES[type]!;
      let first = Buffer.alloc(0);
      let size = 0;
      for await (const chunk of bytes) {
        size += chunk.length;
        if (size > FILE_BYTES) throw problem('request_too_large');
        if (first.length < expected.length) {
          first = Buffer.concat([first, chunk]);
          if (!first.subarray(0, expected.length).equals(expected.subarray(0, first.length)))
            throw problem('unsupported_media_type');
        }
        sum.update(chunk);
        await file.writev([chunk]);
      }
      if (first.length < expected.length) throw problem('unsupported_media_type');
      await file.sync();
      await file.close();
      await rename(part, this.pathOf(id));
      await this.syncDirectory();
      return { id, type, size, sha256: sum.digest('hex') };
    } catch (error) {
      await file.close().catch(() => {});
      await rm(part, { force: true });
      throw error;
    }
  }

  /** Reads a file, from one byte to another. */
  read(id: string, start: number, end: number): ReadStream {
    return createReadStream(this.pathOf(id), { start, end });
  }

  remove(id: string): void {
    rmSync(this.pathOf(id), { force: true });
  }

  /** Makes the name of a file durable. */
  private async syncDirectory(): Promise<void> {
    const directory = await open(this.directory, 'r');
    await directory.sync();
    await directory.close();
  }

  private pathOf(id: string): string {
    return join(this.directory, id);
  }
}

/** The part of a file that `Range` asks for: null for all of it (RFC 9110, section 14). Throws where there is none. */
export function rangeOf(headers: { readonly range?: string | undefined; readonly 'if-range'?: string }, size: number) {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(headers.range?.trim() ?? '') ?? [];
  // Files have no tag, so that no If-Range holds.
  if (from === undefined || (from === '' && to === '') || headers['if-range'] !== undefined) return null;
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size - 1 : Math.min(size - 1, Number(to));
  if (from !== '' && to !== '' && Number(to) < Number(from)) return null;
  if (start >= size || (from === '' && Number(to) === 0))
    throw problem('out_of_range', { 'Content-Range': `bytes */${size}` });
  return { start, end };
}

const encode = (name: string): string =>
  encodeURIComponent(name).replace(/['()*!]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

/** The name under which a browser saves a file (RFC 6266, RFC 8187). */
export function dispositionOf(name: string): string {
  const safe = name.replace(/\p{Cc}/gu, '').replace(/[\\/:*?"<>|]/g, '_');
  const ascii = safe.replace(/[^ -~]/gu, '_');
  const plain = `attachment; filename="${ascii}"`;
  return ascii === safe ? plain : `${plain}; filename*=UTF-8''${encode(safe)}`;
}
