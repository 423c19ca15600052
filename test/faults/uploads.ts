import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { compile } from '../../src/compiler/compile.ts';
import type { Plan } from '../../src/plan/step.ts';
import { withForms } from '../file-forms.ts';
import { edited, type Service, Workspace } from '../harness.ts';
import type { Select } from '../ledger.ts';
import { STRACE } from '../strace.ts';
import { complaints, type Figure, type Gate } from './gate.ts';
import { withoutPower } from './power.points.ts';
import { readTrace, TRACED } from './power.trace.ts';
import { openedOn } from './rebuilt.ts';
import { lacksStrace } from './start.ts';

const NAME = 'files.md';
const FILES = edited(
  withForms(readFileSync(new URL('../../docs/documents/files.md', import.meta.url), 'utf8')),
  ['| 600 requests per minute ', '| 900000 requests per second '],
  ['| 6000 requests per minute ', '| 900000 requests per second '],
);

const CLIENTS = 3;
const LIVES = 4;
/** Bytes of more than 256 KiB are stored by several transactions, before the one that gives them to a row. */
const MOST_BYTES = 600_000;

interface Series {
  readonly name: string;
  readonly inject: readonly string[];
  readonly pageSize: number;
  readonly points: number;
}

/** The power fails while files are uploaded, replaced and removed. */
export const uploads: Gate = {
  name: 'uploads',
  about: 'power loss under uploads: no row without its bytes, no bytes that are kept without a row',
  lacks: lacksStrace,
  async *run({ long, say }) {
    const slow = ['-e', 'inject=fdatasync:delay_enter=10000'];
    const all: Series[] = [
      { name: 'while the log is copied', inject: [], pageSize: 4096, points: 40 },
      { name: 'on a slow disk', inject: slow, pageSize: 4096, points: 40 },
      { name: 'in small pages', inject: [], pageSize: 512, points: 25 },
    ];
    const { plan } = compile(NAME, FILES);
    for (const series of all) yield await lost(series, plan!, long, say);
  },
};

/** What the clients of a run have asked for. */
class Asked {
  readonly removed = new Set<string>();
  /** The digest of the bytes that were sent to replace others. */
  readonly replacing = new Map<string, string>();
  answered = 0;
}

async function lost(series: Series, plan: Plan, long: boolean, say: (line: string) => void): Promise<Figure> {
  await using space = new Workspace(FILES, NAME);
  const key = await begun(space, series.pageSize);
  const from = mkdtempSync(join(tmpdir(), 'ninefold-start-'));
  try {
    cpSync(space.data, from, { recursive: true });
    const trace = join(space.dir, 'trace');
    const service = await space.serve({ prefix: [...STRACE, '-o', trace, ...TRACED, ...series.inject] });
    const asked = new Asked();
    await Promise.all(Array.from({ length: CLIENTS }, () => live(service, key, asked)));
    await service.stop();
    const did = readTrace(trace, space.data);
    const promised = new Map<string, string>();
    const { at, rebuilt, answers, wrong } = await withoutPower(
      { did, directory: space.data, from },
      long ? did.length : series.points,
      {
        say: (count) => say(`${series.name}: ${did.length} steps, ${count} points`),
        tell: (text) => promise(text, promised),
        complaint: (files) => openedOn(files, plan, (select) => mustHold(select, promised, asked)),
      },
    );
    const figure = `${rebuilt} disks at ${at} of ${did.length} points, ${promised.size} files acknowledged, ${asked.replacing.size} replaced, ${asked.removed.size} removed`;
    const whole = answers >= asked.answered;
    const told = wrong.length > 0 ? `; ${wrong.length} wrong: ${complaints(wrong).slice(0, 600)}` : '';
    return {
      what: series.name,
      figure: `${figure}${told}${whole ? '' : `; the trace shows ${answers} of ${asked.answered} answers`}`,
      held: wrong.length === 0 && whole && rebuilt > 0,
    };
  } finally {
    rmSync(from, { recursive: true, force: true });
  }
}

/** Makes a member, and a key of hers, in a database of pages of this size. */
async function begun(space: Workspace, pageSize: number): Promise<string> {
  const id = randomUUID();
  const added = await space.cliHere('rows', 'add', 'Member', `id=${id}`, 'name=Ada');
  assert.equal(added.code, 0, added.err);
  const issued = await space.cliHere('keys', 'issue', 'Member', id);
  assert.equal(issued.code, 0, issued.err);
  const db = new Database(join(space.data, 'ninefold.sqlite'));
  db.pragma('journal_mode = DELETE');
  db.pragma(`page_size = ${pageSize}`);
  db.exec('VACUUM');
  db.pragma('journal_mode = WAL');
  db.close();
  return issued.out.trim();
}

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** One client: uploads files as bytes alone and in forms, and replaces or removes some of them. */
async function live(service: Service, key: string, asked: Asked): Promise<void> {
  const send = async (method: string, path: string, body: Buffer | FormData | null): Promise<Response> => {
    const type = Buffer.isBuffer(body) ? { 'Content-Type': 'application/octet-stream' } : {};
    const headers = { Authorization: `Bearer ${key}`, ...type };
    const answer = await fetch(service.url + path, { method, headers, ...(body && { body: body as FormData }) });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    if (answer.status !== 204) asked.answered++;
    return answer;
  };
  for (let life = 0; life < LIVES; life++) {
    const bytes = randomBytes(1 + Math.floor(((life + 1) / LIVES) * MOST_BYTES * Math.random()));
    const form = new FormData();
    form.append('content', new Blob([bytes], { type: 'application/octet-stream' }));
    form.append('name', 'x');
    const made = await (life % 2 ? send('POST', '/forms', form) : send('POST', '/attachments?name=x', bytes));
    const { id } = (await made.json()) as { id: string };
    if (life % 3 === 0) {
      const other = randomBytes(1 + Math.floor(Math.random() * MOST_BYTES));
      asked.replacing.set(id, digestOf(other));
      await (await send('PUT', `/attachments/${id}/content`, other)).text();
    } else if (life % 3 === 1) {
      asked.removed.add(id);
      await send('DELETE', `/attachments/${id}`, null);
    }
  }
}

interface Told {
  readonly id: string;
  readonly content: { readonly sha256: string };
}

/** Notes the bytes that an answer has told of; gives how many such answers there were. */
function promise(text: string, promised: Map<string, string>): number {
  const bodies = text
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((answer) => /^HTTP\/1\.1 20[01]/.test(answer))
    .map((answer) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as Told);
  for (const { id, content } of bodies) promised.set(id, content.sha256);
  return bodies.length;
}

function mustHold(select: Select, promised: ReadonlyMap<string, string>, asked: Asked): void {
  assert.deepEqual(select('PRAGMA integrity_check'), [{ integrity_check: 'ok' }]);
  const rows = select<{ id: string; file: Buffer; size: number; sha256: string }>(
    'SELECT lower(hex(id)) AS id, "ninefold_bytes_content" AS file, "content.size" AS size, "content.sha256" AS sha256 FROM attachment',
  );
  const digests = new Map<string, string>();
  for (const { id, file, size, sha256 } of rows) {
    const kept = select('SELECT 1 FROM ninefold_file WHERE id = ? AND until IS NULL', file);
    assert.equal(kept.length, 1, 'a row has bytes that are to be removed');
    const chunks = select<{ bytes: Buffer }>('SELECT bytes FROM ninefold_chunk WHERE file = ? ORDER BY place', file);
    const bytes = Buffer.concat(chunks.map((one) => one.bytes));
    assert.deepEqual([bytes.length, digestOf(bytes)], [size, sha256], 'a row has other bytes than it says');
    digests.set(id, sha256);
  }
  const strays = select(
    'SELECT 1 FROM ninefold_file WHERE until IS NULL AND id NOT IN (SELECT "ninefold_bytes_content" FROM attachment)',
  );
  assert.equal(strays.length, 0, 'bytes without a row are kept');
  const lone = select('SELECT 1 FROM ninefold_chunk WHERE file NOT IN (SELECT id FROM ninefold_file)');
  assert.equal(lone.length, 0, 'a part of a file is kept without it');
  for (const [id, sha256] of promised) {
    const found = digests.get(id.replaceAll('-', ''));
    const may = found === undefined ? asked.removed.has(id) : [sha256, asked.replacing.get(id)].includes(found);
    assert.ok(may, 'a file that was told of is gone, or has other bytes');
  }
}
