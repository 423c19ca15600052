import { readFileSync } from 'node:fs';

/** What a service did to its files, and what it told its clients, in the order of the trace. */
export type Did =
  | { readonly did: 'create'; readonly path: string }
  | { readonly did: 'remove'; readonly path: string }
  | { readonly did: 'write'; readonly path: string; readonly at: number; readonly data: Buffer }
  | { readonly did: 'truncate'; readonly path: string; readonly size: number }
  /** What was done before `from` is on the disk from here on; of a directory, its entries. */
  | { readonly did: 'sync'; readonly path: string; readonly from: number }
  /** The disk has refused to sync what was done before `from`. */
  | { readonly did: 'refuse'; readonly path: string; readonly from: number }
  | { readonly did: 'tell'; readonly text: string };

/** What strace has to print: every byte that is written, and which file it goes to. */
export const TRACED = [
  '--seccomp-bpf',
  '-y',
  '-xx',
  '-s',
  '200000',
  '-e',
  'trace=openat,pwrite64,ftruncate,fsync,fdatasync,unlink,unlinkat,write,writev',
];

/** A call that another thread's line has broken in two: its beginning, and what was done before it. */
interface Begun {
  readonly text: string;
  readonly from: number;
}

/** Reads a trace of what was done to the files in a directory. */
export function readTrace(file: string, directory: string): Did[] {
  const out: Did[] = [];
  const begun = new Map<string, Begun>();
  const known = new Set<string>();
  for (const line of readFileSync(file, 'latin1').split('\n')) {
    const [, thread, rest] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (thread === undefined || rest === undefined) continue;
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest);
    if (resumed) {
      const before = begun.get(thread);
      begun.delete(thread);
      if (before) take(out, before.text.trimEnd() + resumed[1]!.trimStart(), before.from, directory, known);
    } else if (rest.endsWith('<unfinished ...>')) {
      const text = rest.slice(0, -'<unfinished ...>'.length);
      // Bytes may reach a client as soon as their call has begun.
      if (/^writev?\(/.test(text)) tell(out, text);
      else begun.set(thread, { text, from: out.length });
    } else take(out, rest, out.length, directory, known);
  }
  return out;
}

/** What is opened to say in a trace that a sync was refused of the file whose path follows. */
export const REFUSED = '/refused';

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll('\\x', ''), 'hex');

/** Takes a whole call that went well. */
function take(out: Did[], text: string, from: number, directory: string, known: Set<string>): void {
  const name = text.slice(0, text.indexOf('('));
  if (name === 'write' || name === 'writev') tell(out, text);
  const path = pathOf(name, text);
  const refused = path?.startsWith(`${REFUSED}/`) ? path.slice(REFUSED.length) : / = -1 EIO /.test(text) ? path : null;
  if (refused !== null && (refused !== path || name === 'fsync' || name === 'fdatasync'))
    out.push({ did: 'refuse', path: refused, from });
  if (!/ = \d+(?:<[^>]*>)?(?: \(.*\))?$/.test(text)) return;
  if (path === null || !(path === directory || path.startsWith(`${directory}/`))) return;
  if (name === 'openat') {
    if (text.includes('O_CREAT') && !known.has(path)) out.push({ did: 'create', path });
    known.add(path);
  } else if (name === 'unlink' || name === 'unlinkat') {
    known.delete(path);
    out.push({ did: 'remove', path });
  } else if (name === 'pwrite64') {
    const [, hex, size, at] = /"((?:\\x[0-9a-f]{2})*)", (\d+), (\d+)\)/.exec(text) ?? [];
    const data = bytes(hex ?? '');
    if (at === undefined || data.length !== Number(size)) throw new Error(`A write can’t be read: ${text.slice(-60)}`);
    out.push({ did: 'write', path, at: Number(at), data });
  } else if (name === 'ftruncate') {
    out.push({ did: 'truncate', path, size: Number(/, (\d+)\)/.exec(text)?.[1]) });
  } else out.push({ did: 'sync', path, from });
}

/** The file that a call is about: the one that is opened or removed by its name, or the one behind a number. */
function pathOf(name: string, text: string): string | null {
  const found =
    name === 'openat' || name.startsWith('unlink') ? /"((?:\\x..)*)"/.exec(text) : /<((?:\\x..)+)>/.exec(text);
  return found ? bytes(found[1]!).toString() : null;
}

/** The beginning of an answer, as strace prints it. */
const ANSWER = [...'HTTP/1.1 2'].map((letter) => `\\x${letter.charCodeAt(0).toString(16)}`).join('');

function tell(out: Did[], text: string): void {
  if (!text.includes(ANSWER)) return;
  const whole = [...text.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex]) => bytes(hex!).toString()).join('');
  out.push({ did: 'tell', text: whole });
}
