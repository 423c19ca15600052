import { createHash } from 'node:crypto';
import { uuidText } from '../../expression/values/uuid.ts';
import { beginsAs } from '../../plan/files.ts';
import type { Plan } from '../../plan/step.ts';
import { call, type Program, type Statement, type Store, StoreError } from '../../store/store.ts';
import type { BodyEnd, FilePart, Incoming, TakePiece } from '../http/message.ts';

/** The length of a stored chunk. A download holds one in memory, and an upload as many as are stored together. */
const CHUNK_BYTES = 128 * 1024;
const CHUNKS_AT_ONCE = 2;

/** The most chunks, and files without any, that one transaction removes. */
const CHUNKS_FORGOTTEN = 16;
const FILES_FORGOTTEN = 500;

/**
 * How much longer than a request may take the bytes are kept that only the request needs: the clocks of nodes differ,
 * and a commit that was sent in time may be answered later.
 */
const MARGIN_MS = 60_000;

/** Bytes that a request has sent. No row has them yet. */
export interface Upload {
  readonly id: string;
  readonly type: string;
  readonly size: number;
  readonly sha256: string;
  readonly chunks: number;
  /** Whether the last run of the steps has given the bytes to a row. */
  kept: boolean;
}

/** The bytes of a request, or why there are none. */
export type Received = Upload | 'too large' | 'too slow' | 'broken off' | 'other type';

interface Sending {
  readonly most: number;
  readonly deadline: number;
  readonly type: string;
  /** Whether the first bytes have to be those of the type. */
  readonly checked: boolean;
}

/**
 * The bytes of fields, in chunks. Bytes are stored before the transaction that gives them to a row; until then, and once
 * no row has them, they have an instant at which they are removed. No request that stores, gives or sends them lasts so
 * long: see `MARGIN_MS`.
 */
export class Files {
  private readonly store: Store;
  /** How long bytes are kept after the last row has let them go, in milliseconds: answers may still send them. */
  private readonly afterRelease: number;
  private readonly beginFile: Statement;
  private readonly keepChunk: Statement;
  private readonly keepFile: Statement;
  private readonly releaseFile: Statement;
  private readonly dropFile: Statement;
  private readonly someFile: Statement;
  private readonly dueFile: Statement;
  private readonly readChunk: Statement;
  private readonly forgetChunks: Statement;
  private readonly forgetFiles: Statement;
  private readonly endUploads: Statement;
  private readonly releaseUnused: Statement;
  /** The removal that is under way; null where there is none. */
  private removing: Promise<void> | null = null;
  private removesAgain = false;

  constructor(plan: Plan, store: Store) {
    this.store = store;
    const sending = plan.endpoints.filter(({ after }) => after?.body?.kind === 'file');
    this.afterRelease = Math.max(0, ...sending.map(({ timeout }) => timeout ?? 0)) + MARGIN_MS;
    const own = (name: Extract<Parameters<Store['prepare']>[0], { kind: 'system' }>['name']): Statement =>
      store.prepare({ kind: 'system', name });
    this.beginFile = own('begin file');
    this.keepChunk = own('keep chunk');
    this.keepFile = own('keep file');
    this.releaseFile = own('release file');
    this.dropFile = own('drop file');
    this.someFile = own('some file');
    this.dueFile = own('due file');
    this.readChunk = own('read chunk');
    this.forgetChunks = own('forget chunks');
    this.forgetFiles = own('forget files');
    this.endUploads = own('end uploads');
    const columns = plan.resources.flatMap(({ name, files = [] }) =>
      files.map(({ column }) => ({ resource: name, column })),
    );
    this.releaseUnused = store.prepare({ kind: 'release unused files', columns });
  }

  /**
   * Lets go of bytes that no row has, as after a migration without their field. `isAlone`: no other process stores
   * bytes, so that uploads of an earlier process have ended.
   */
  async reconcile(isAlone: boolean): Promise<void> {
    const now = this.store.now();
    const { someFile, releaseUnused, endUploads, afterRelease } = this;
    if ((await this.store.read(() => call(someFile, []))).length === 0) return;
    await this.store.write(function* () {
      yield* call(releaseUnused, [now + (isAlone ? 0 : afterRelease)]);
      if (isAlone) yield* call(endUploads, [now, now]);
    });
  }

  /** Receives the bytes of a request, and stores them while they arrive. Rejects with StoreError. */
  async receive(incoming: Incoming, { most, deadline, type, checked }: Sending): Promise<Received> {
    const writer = this.begin({ type, checked, deadline });
    const outcome = await this.received(incoming, most, deadline, (piece) => writer.take(piece)).catch(
      async (error: unknown) => {
        await writer.drop();
        throw error;
      },
    );
    if (outcome === 'whole') return (await writer.end()) ?? 'other type';
    await writer.drop();
    return outcome === 'refused' ? 'other type' : outcome;
  }

  /** Gives the body of a request to `take`, piece by piece. Rejects where `take` does. */
  async received(incoming: Incoming, most: number, deadline: number, take: TakePiece): Promise<BodyEnd> {
    if (incoming.receive) return incoming.receive(most, deadline, take);
    const read = await incoming.body(most, deadline);
    if (!Buffer.isBuffer(read)) return read;
    return (await take(read)) === false ? 'refused' : 'whole';
  }

  /** Begins to store bytes that arrive in pieces. */
  begin(sending: Omit<Sending, 'most'>): FileWriter {
    const bytes = this.store.random(16);
    // The version and the variant of RFC 9562.
    bytes[6] = (bytes[6]! & 0x0f) | 0x40;
    bytes[8] = (bytes[8]! & 0x3f) | 0x80;
    return new FileWriter(this, uuidText(bytes.toString('hex')), sending);
  }

  /**
   * Stores chunks of bytes that no row has; the first ones begin the file, which is kept for some milliseconds by the
   * clock of the store, since that of deadlines may be another.
   */
  async keepChunks(id: string, from: number, chunks: readonly Buffer[], keptMs: number): Promise<void> {
    const { beginFile, keepChunk } = this;
    const until = this.store.now() + keptMs;
    await this.store.write(function* () {
      if (from === 0) yield* call(beginFile, [id, until]);
      for (const [i, part] of chunks.entries()) yield* call(keepChunk, [id, from + i, part]);
    });
  }

  /** Gives the bytes of a request to a row, in its transaction. */
  *keep(upload: Upload, now: number): Program<void> {
    const { id, chunks } = upload;
    const kept = yield* call(this.keepFile, [id, now, id, chunks]);
    // A failover may have lost chunks that the service has seen stored.
    if (kept.length === 0) throw new StoreError('busy', 'The bytes of the request are not there any more.');
    upload.kept = true;
  }

  /**
   * Lets go of the bytes that a row has had, in the transaction of its change or removal. A download may have begun up to
   * this moment: the `now()` of the steps is that of the beginning of an upload, or of the due instant of a timer.
   */
  *release(id: string): Program<void> {
    yield* call(this.releaseFile, [this.store.now() + this.afterRelease, id]);
  }

  /** Removes the bytes of a request that no row has, and those of earlier requests. Never rejects. */
  async drop(id: string): Promise<void> {
    const now = this.store.now();
    const { dropFile } = this;
    try {
      await this.store.write(() => call(dropFile, [now, id]));
    } catch {
      // The bytes are removed once their time has passed.
      return;
    }
    this.removeSoon();
  }

  /** Removes what is due now, one transaction after the other; resolves once nothing is left. Rejects with StoreError. */
  async remove(isStopped: () => boolean = () => false): Promise<void> {
    while (!isStopped() && (await this.forget(this.store.now())));
  }

  private removeSoon(): void {
    if (this.removing) {
      this.removesAgain = true;
      return;
    }
    this.removing = this.remove()
      .catch(() => {})
      .then(() => {
        this.removing = null;
        if (!this.removesAgain) return;
        this.removesAgain = false;
        this.removeSoon();
      });
  }

  /** Removes some of the bytes that are due; resolves to whether there may be more. */
  async forget(now: number): Promise<boolean> {
    const { dueFile, forgetChunks, forgetFiles } = this;
    if ((await this.store.read(() => call(dueFile, [now]))).length === 0) return false;
    return this.store.write(function* () {
      const chunks = yield* call(forgetChunks, [now, CHUNKS_FORGOTTEN]);
      if (chunks.length === CHUNKS_FORGOTTEN) return true;
      return (yield* call(forgetFiles, [now, FILES_FORGOTTEN])).length === FILES_FORGOTTEN;
    });
  }

  /** The pieces of a part of a file, in their order. Rejects where one of them is not there any more. */
  async *pieces({ id, start, end }: FilePart): AsyncGenerator<Buffer> {
    const { readChunk } = this;
    for (let at = start; at < end; ) {
      const place = Math.floor(at / CHUNK_BYTES);
      const [[bytes] = []] = await this.store.read(() => call(readChunk, [id, place]));
      if (!Buffer.isBuffer(bytes)) throw new StoreError('failed', 'The bytes of a file are not there any more.');
      const from = at - place * CHUNK_BYTES;
      const piece = bytes.subarray(from, Math.min(bytes.length, from + end - at));
      if (piece.length === 0) throw new StoreError('failed', 'The bytes of a file are not whole.');
      yield piece;
      at += piece.length;
    }
  }
}

/** Stores the bytes of a request while they arrive, in chunks. */
export class FileWriter {
  private readonly files: Files;
  private readonly id: string;
  private readonly sending: Omit<Sending, 'most'>;
  private readonly hash = createHash('sha256');
  private size = 0;
  private chunks = 0;
  private waiting: Buffer[] = [];
  private length = 0;
  private storing: Promise<unknown> = Promise.resolve();
  /** Whether something was stored, or may have been. */
  private isBegun = false;

  constructor(files: Files, id: string, sending: Omit<Sending, 'most'>) {
    this.files = files;
    this.id = id;
    this.sending = sending;
  }

  /** Takes a piece. Resolves to false where the first bytes are those of another type; rejects with StoreError. */
  take(piece: Buffer): Promise<boolean> | null {
    this.waiting.push(piece);
    this.length += piece.length;
    if (this.length < CHUNK_BYTES * CHUNKS_AT_ONCE) return null;
    const whole = Buffer.concat(this.waiting);
    // Chunks are whole but for the last, so that the place of a byte tells its chunk.
    const cut = whole.length - (whole.length % CHUNK_BYTES);
    this.waiting = cut < whole.length ? [whole.subarray(cut)] : [];
    this.length = whole.length - cut;
    const done = this.stored(whole.subarray(0, cut));
    this.storing = done;
    return done;
  }

  /**
   * Stores what is left. Resolves to null where the first bytes are those of another type, and to `too slow` after the
   * deadline. Rejects with StoreError. Unless it resolves to the bytes, nothing of them is kept.
   */
  async end(): Promise<Upload | 'too slow' | null> {
    const { id, length, waiting, hash } = this;
    const { type, deadline } = this.sending;
    try {
      const rest = length > 0 || this.size === 0 ? this.stored(Buffer.concat(waiting)) : Promise.resolve(true);
      this.storing = rest;
      if (!(await rest)) return null;
    } catch (error) {
      await this.drop();
      throw error;
    }
    // The request has been answered meanwhile, and nothing else lets go of its bytes.
    if (Date.now() > deadline) {
      await this.drop();
      return 'too slow';
    }
    return { id, type, size: this.size, sha256: hash.digest('hex'), chunks: this.chunks, kept: false };
  }

  /** Lets go of the bytes that have arrived, once what is being stored is stored. */
  async drop(): Promise<void> {
    await this.storing.catch(() => {});
    if (this.isBegun) await this.files.drop(this.id);
  }

  private async stored(all: Buffer): Promise<boolean> {
    const { type, checked, deadline } = this.sending;
    if (this.size === 0 && checked && !beginsAs(type, all)) return false;
    const parts: Buffer[] = [];
    for (let at = 0; at < all.length; at += CHUNK_BYTES) parts.push(all.subarray(at, at + CHUNK_BYTES));
    this.isBegun = true;
    await this.files.keepChunks(this.id, this.chunks, parts, deadline - Date.now() + MARGIN_MS);
    this.hash.update(all);
    this.size += all.length;
    this.chunks += parts.length;
    return true;
  }
}
