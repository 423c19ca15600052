import assert from 'node:assert/strict';
import fs, {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { entityTagOf, ReadError, readContent, rewritten, withLf, writeContent } from './text-file.ts';

const lines = fc.array(fc.tuple(fc.constantFrom('', 'a', 'b', '| c |'), fc.constantFrom('\n', '\r\n', '\r')));
const textOf = (all: ReadonlyArray<readonly [string, string]>): string => all.flat().join('');

test('a text that is replaced reads as the new one, and one that is not changed keeps every byte', () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const [raw, text] = [textOf(before), withLf(textOf(after))];
      assert.equal(withLf(rewritten(raw, text)), text);
      assert.equal(rewritten(raw, withLf(raw)), raw);
    }),
  );
});

test('a text keeps its kind of line ends, and the lines around a change keep theirs', () => {
  assert.equal(rewritten('a\r\nb\r\n', 'a\nc\nd\n'), 'a\r\nc\r\nd\r\n');
  assert.equal(rewritten('a\rb', 'a\nc\nb'), 'a\rc\rb');
  assert.equal(rewritten('', 'a\n'), 'a\n');
  assert.equal(rewritten('a\r\nb\nc\nd\r\n', 'a\nb\nX\nd\n'), 'a\r\nb\nX\nd\r\n');
});

test('a file keeps its owner and its mode', {
  skip: process.getuid?.() !== 0 && 'only the super-user gives files away',
}, () => {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-write-'));
  const path = join(folder, 'service.md');
  writeFileSync(path, 'a');
  chownSync(path, 4321, 1234);
  chmodSync(path, 0o640);
  writeContent(path, { raw: 'b', isMarked: false });
  const { uid, gid, mode } = statSync(path);
  assert.deepEqual([uid, gid, mode & 0o777], [4321, 1234, 0o640]);
  rmSync(folder, { recursive: true });
});

test('the owner and the mode are given to the written file, whatever somebody puts at its path meanwhile', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-write-'));
  const [path, other] = [join(folder, 'service.md'), join(folder, 'other')];
  for (const one of [path, other]) writeFileSync(one, 'a');
  chmodSync(path, 0o666);
  chmodSync(other, 0o600);
  const write = fs.writeFileSync;
  t.mock.method(fs, 'writeFileSync', (...args: Parameters<typeof write>) => {
    write(...args);
    for (const name of readdirSync(folder).filter((one) => one.endsWith('.part'))) {
      rmSync(join(folder, name));
      symlinkSync(other, join(folder, name));
    }
  });
  syncBuiltinESMExports();
  try {
    writeContent(path, { raw: 'b', isMarked: false });
  } finally {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  }
  assert.equal(statSync(other).mode & 0o777, 0o600);
  rmSync(folder, { recursive: true });
});

test('contents with other bytes have other tags', () => {
  const tags = [
    { raw: 'a\n', isMarked: false },
    { raw: 'a\n', isMarked: true },
    { raw: 'a\r\n', isMarked: false },
  ].map(entityTagOf);
  assert.equal(new Set(tags).size, 3);
  assert.match(tags[0]!, /^"[\w-]{43}"$/);
});

test('a file that is no text, no file, or not there is not read', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-text-'));
  try {
    writeFileSync(join(folder, 'bytes'), Buffer.from([0xff]));
    for (const path of [join(folder, 'bytes'), folder, join(folder, 'none'), '/dev/zero', '-'])
      assert.throws(() => readContent(path), ReadError, path);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the temporary file of a write is named before it is created, and is gone afterwards', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-write-'));
  const path = join(folder, 'service.md');
  const named: Array<readonly [part: string, isThere: boolean]> = [];
  writeContent(path, { raw: '# A\n', isMarked: false }, (part) => named.push([part, existsSync(part)]));
  assert.deepEqual(
    named.map(([part, isThere]) => [part.startsWith(`${path}.`) && part.endsWith('.part'), isThere]),
    [[true, false]],
  );
  assert.deepEqual(readdirSync(folder), ['service.md']);
  rmSync(folder, { recursive: true });
});
