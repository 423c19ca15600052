import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Did } from './power.trace.ts';

/** Disks write a sector whole or not at all. */
const SECTOR = 512;

type Change = Extract<Did, { did: 'write' | 'truncate' }>;

/**
 * What becomes of what a disk refuses to sync: Linux takes it for written, so that no later sync writes it. This says of
 * each write whether it has reached the disk nevertheless.
 */
export interface Loss {
  readonly name: string;
  readonly reached: () => boolean;
}

/** The losses that are tried; `random` gives numbers from 0 to 1. */
export function losses(random: () => number): Loss[] {
  return [
    { name: 'all of it lost', reached: () => false },
    { name: 'half of it lost', reached: () => random() < 0.5 },
    { name: 'a little of it lost', reached: () => random() < 0.9 },
  ];
}

const NONE: Loss = { name: 'nothing is lost', reached: () => true };

/** A file's bytes, with room to grow. */
class Content {
  private room: Buffer;
  private size: number;

  constructor(bytes: Buffer) {
    this.room = bytes;
    this.size = bytes.length;
  }

  get bytes(): Buffer {
    return this.room.subarray(0, this.size);
  }

  copy(): Content {
    return new Content(Buffer.from(this.bytes));
  }

  /** Makes it at least so long, with zeros where there was nothing. */
  grow(size: number): void {
    if (size <= this.size) return;
    if (size > this.room.length) {
      const room = Buffer.alloc(Math.max(size, this.room.length * 2));
      this.bytes.copy(room);
      this.room = room;
    } else this.room.fill(0, this.size, size);
    this.size = size;
  }

  /** Makes a change; `sector` says of each sector whether it is written. */
  take(change: Change, sector: (() => boolean) | null): void {
    if (change.did === 'truncate') {
      this.grow(change.size);
      this.size = change.size;
      return;
    }
    const end = change.at + change.data.length;
    this.grow(end);
    for (let at = change.at; at < end; ) {
      const next = sector ? Math.min(end, (Math.floor(at / SECTOR) + 1) * SECTOR) : end;
      if (!sector || sector()) change.data.copy(this.room, at, at - change.at, next - change.at);
      at = next;
    }
  }
}

interface File {
  /** What is surely on the disk. */
  readonly durable: Content;
  /** What was done since, with its place in the trace. */
  pending: Array<{ readonly place: number; readonly change: Change }>;
}

/** A name in the directory: what is surely there, and what has been done to it since. */
interface Entry {
  durable: File | null;
  now: File | null;
  changed: number;
}

/** Which part of what was not synced has reached the disk when the power fails. */
export interface Selection {
  readonly name: string;
  /** Whether a change of the directory has. */
  readonly entry: () => boolean;
  /** Which pieces of a write have: all, none or some of its sectors, and whether the file has grown by it. */
  readonly sector: (() => boolean) | null;
  readonly whole: () => boolean;
  readonly grows: boolean;
}

/** The selections that are tried at each point; `random` gives numbers from 0 to 1. */
export function selections(random: () => number): Selection[] {
  const half = (): boolean => random() < 0.5;
  const never = (): boolean => false;
  const always = (): boolean => true;
  const some = { entry: half, grows: true };
  return [
    { name: 'nothing', entry: never, sector: null, whole: never, grows: false },
    { name: 'everything', entry: always, sector: null, whole: always, grows: true },
    { name: 'names and sizes alone', entry: always, sector: null, whole: never, grows: true },
    { name: 'all but the names', entry: never, sector: null, whole: always, grows: true },
    { ...some, name: 'some writes', sector: null, whole: half },
    { ...some, name: 'most writes', sector: null, whole: () => random() < 0.9 },
    { ...some, name: 'torn at sectors', sector: half, whole: always },
    { ...some, name: 'a few sectors lost', sector: () => random() < 0.95, whole: always },
  ];
}

/** The files of a directory as a disk holds them that keeps only what was synced. */
export class Disk {
  private readonly entries = new Map<string, Entry>();
  private readonly directory: string;
  private readonly loss: Loss;
  private place = 0;

  /** Begins with what is in `from`, as if all of it had been synced. */
  constructor(directory: string, from: string, loss: Loss = NONE) {
    this.directory = directory;
    this.loss = loss;
    for (const name of readdirSync(from)) {
      const file: File = { durable: new Content(readFileSync(join(from, name))), pending: [] };
      this.entries.set(join(directory, name), { durable: file, now: file, changed: -1 });
    }
  }

  /** Takes the next thing that was done. */
  take(did: Did): void {
    const place = this.place++;
    if (did.did === 'tell') return;
    const entry = this.entries.get(did.path);
    if (did.did === 'create') {
      if (entry?.now) return;
      const file: File = { durable: new Content(Buffer.alloc(0)), pending: [] };
      this.entries.set(did.path, { durable: entry?.durable ?? null, now: file, changed: place });
    } else if (did.did === 'sync') {
      if (did.path === this.directory) this.syncNames(did.from);
      else if (entry?.now) syncFile(entry.now, did.from, () => true);
    } else if (did.did === 'refuse') {
      if (entry?.now) syncFile(entry.now, did.from, this.loss.reached);
    } else if (entry?.now) {
      if (did.did === 'remove') Object.assign(entry, { now: null, changed: place });
      else entry.now.pending.push({ place, change: did });
    }
  }

  private syncNames(from: number): void {
    for (const entry of this.entries.values()) if (entry.changed < from) entry.durable = entry.now;
  }

  /** The files as they may be after a power failure at this point, by their paths. */
  after(selection: Selection): Map<string, Buffer> {
    const out = new Map<string, Buffer>();
    for (const [path, { durable, now }] of this.entries) {
      const file = durable === now || selection.entry() ? now : durable;
      if (file) out.set(path, rebuilt(file, selection));
    }
    return out;
  }
}

/** Nothing that was done before `from` is still to be written; of each change, `reached` says whether it has been. */
function syncFile(file: File, from: number, reached: () => boolean): void {
  for (const { place, change } of file.pending) if (place < from && reached()) file.durable.take(change, null);
  file.pending = file.pending.filter(({ place }) => place >= from);
}

function rebuilt(file: File, { whole, sector, grows }: Selection): Buffer {
  if (file.pending.length === 0) return file.durable.bytes;
  const content = file.durable.copy();
  for (const { change } of file.pending) {
    if (whole()) content.take(change, sector);
    else if (grows && change.did === 'write') content.grow(change.at + change.data.length);
  }
  return content.bytes;
}
