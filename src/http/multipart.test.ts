import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inProportion } from '../../test/growth.ts';
import { fc } from '../../test/seeded.ts';
import { BOUNDARY, boundaryIn, MultipartReader, parseParts, showParts } from './multipart.ts';

const text = (value: unknown): string => String(value);

/** Reads a form in pieces of some length, as a list of heads and bytes; null where it is malformed or not whole. */
function readIn(bytes: Buffer, boundary: string, length: number): unknown[] | null {
  const reader = new MultipartReader(boundary);
  const out: Array<{ head: unknown; bytes: string; isWhole: boolean }> = [];
  for (let at = 0; at < bytes.length; at += length)
    for (const event of reader.push(bytes.subarray(at, at + length))) {
      if (event.kind === 'malformed') return null;
      if (event.kind === 'head') out.push({ head: event.head, bytes: '', isWhole: false });
      else if (event.kind === 'bytes') out.at(-1)!.bytes += event.bytes.toString('latin1');
      else out.at(-1)!.isWhole = true;
    }
  return reader.isWhole && out.every((one) => one.isWhole) ? out : null;
}

const form = (...lines: string[]): Buffer => Buffer.from(lines.join('\r\n'));
const part = (head: string, body = 'x'): Buffer => form('--b', head, '', body, '--b--', '');

describe('a form of several parts', () => {
  test('is the same in pieces of any length, and as Node’s own fetch reads it', async () => {
    const bytes = fc.uint8Array({ maxLength: 300 }).map((one) => Buffer.from(one).toString('latin1'));
    const near = fc
      .array(fc.constantFrom('\r\n', '--', `--${BOUNDARY}`, `\r\n--${BOUNDARY.slice(0, -1)}`, '\r', '\n', '-', 'x'))
      .map((all) => all.join(''));
    const file = fc.oneof(bytes, near).filter((one) => !`\r\n${one}`.includes(`\r\n--${BOUNDARY}`));
    const value = fc.string({ unit: 'grapheme', maxLength: 20 });
    const members = fc.record({ a: value, b: fc.array(value, { minLength: 2, maxLength: 3 }), f: file, g: file });
    await fc.assert(
      fc.asyncProperty(members, fc.integer({ min: 1, max: 90 }), async ({ a, b, f, g }, length) => {
        const content = {
          a,
          b,
          f: { type: 'image/png', latin1: f },
          g: { type: 'text/plain', latin1: g },
        };
        const written = showParts(content, text);
        assert.deepEqual(parseParts(written, BOUNDARY), content);
        assert.deepEqual(readIn(written, BOUNDARY, length), readIn(written, BOUNDARY, written.length));
        // Node's fetch takes a boundary in the middle of a line for one.
        if ([f, g].some((one) => one.includes(`--${BOUNDARY}`))) return;
        const headers = { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` };
        const read = await new Response(new Uint8Array(written), { headers }).formData();
        assert.deepEqual(
          [read.get('a'), read.getAll('b')],
          [a.replace(/^\ufeff/, ''), b.map((one) => one.replace(/^\ufeff/, ''))],
        );
        for (const [name, latin1] of [
          ['f', f],
          ['g', g],
        ] as const)
          assert.equal(Buffer.from(await (read.get(name) as File).arrayBuffer()).toString('latin1'), latin1);
      }),
      { numRuns: 100 },
    );
  });

  test('that fetch has written is read', async () => {
    const written = new FormData();
    written.append('na"me\r\n', 'one');
    written.append('file', new Blob(['two'], { type: 'image/png' }), 'a "b" ü.png');
    const request = new Request('http://x', { method: 'POST', body: written });
    const boundary = boundaryIn(request.headers.get('content-type')!)!;
    const bytes = Buffer.from(await request.arrayBuffer());
    assert.deepEqual(readIn(bytes, boundary, 7), [
      {
        head: { name: 'na"me\r\n', filename: null, type: 'text/plain', isIdentity: true },
        bytes: 'one',
        isWhole: true,
      },
      {
        head: { name: 'file', filename: 'a "b" ü.png', type: 'image/png', isIdentity: true },
        bytes: 'two',
        isWhole: true,
      },
    ]);
  });

  const DISPOSITION = 'Content-Disposition: form-data; name="a"';
  const fine: ReadonlyArray<readonly [string, Buffer]> = [
    ['a token as a name', part('Content-Disposition: form-data; name=a')],
    ['a name in any case', part('CONTENT-DISPOSITION:Form-Data ;NAME="a"')],
    ['something before the first boundary', Buffer.concat([Buffer.from('before --b\r\n'), part(DISPOSITION)])],
    ['something after the last boundary', Buffer.concat([part(DISPOSITION), Buffer.from('--b\r\nafter')])],
    ['spaces after a boundary', form('--b \t', DISPOSITION, '', 'x', '--b--')],
    ['no line end at its end', form('--b', DISPOSITION, '', 'x', '--b--')],
    ['a part without bytes and without the line end before its boundary', form('--b', DISPOSITION, '', '--b--')],
    ['other header fields', part(`X: 1\r\nX: 2\r\n${DISPOSITION}\r\nContent-Length: 9`)],
    ['no parts', form('--b--')],
  ];
  for (const [what, bytes] of fine)
    test(`may have ${what}`, () => {
      for (const length of [1, 2, 5, bytes.length]) assert.ok(readIn(bytes, 'b', length), `${length}`);
    });

  const bad: ReadonlyArray<readonly [string, Buffer]> = [
    ['without an end', form('--b', DISPOSITION, '', 'x')],
    ['without an end, after a boundary', form('--b', DISPOSITION, '', 'x', '--b')],
    ['with a boundary that goes on', form('--b', DISPOSITION, '', 'x', '--bc', DISPOSITION, '', 'x', '--b--')],
    ['with a boundary that goes on before the first part', Buffer.concat([Buffer.from('--bx\r\n'), part(DISPOSITION)])],
    ['with line feeds alone', Buffer.from(part(DISPOSITION).toString().replaceAll('\r\n', '\n'))],
    ['with a part without a head', form('--b', '', 'x', '--b--')],
    ['with a part without a name', part('Content-Disposition: form-data')],
    ['with another disposition', part('Content-Disposition: attachment; name="a"')],
    ['without a disposition', part('Content-Type: text/plain')],
    ['with two dispositions', part(`${DISPOSITION}\r\n${DISPOSITION}`)],
    ['with two types', part(`${DISPOSITION}\r\nContent-Type: text/plain\r\ncontent-type: text/plain`)],
    ['with a name twice', part(`${DISPOSITION}; name="b"`)],
    ['with a name in the encoding of RFC 8187', part(`${DISPOSITION}; filename*=UTF-8''x`)],
    ['with a backslash before a quote', part('Content-Disposition: form-data; name="a\\"b"')],
    ['with a quote that is open', part('Content-Disposition: form-data; name="a')],
    ['with something after a name', part(`${DISPOSITION} x`)],
    ['with a semicolon at the end', part(`${DISPOSITION};`)],
    ['with a folded line', part('Content-Disposition: form-data;\r\n name="a"')],
    ['with a line that is no field', part(`${DISPOSITION}\r\nnonsense`)],
    ['with a space before the colon', part(`${DISPOSITION}\r\nX : 1`)],
    ['with a NUL', part('Content-Disposition: form-data; name="a\0"')],
    [
      'with a name that is no UTF-8',
      Buffer.from(part('Content-Disposition: form-data; name="\u00ff"').toString(), 'latin1'),
    ],
    ['with a head of 9,000 bytes', part(`${DISPOSITION}\r\nX: ${'x'.repeat(9000)}`)],
    ['with 1,000 header fields', part(`${DISPOSITION}${'\r\nX: 123456'.repeat(1000)}`)],
    ['with 65 spaces after a boundary', form(`--b${' '.repeat(65)}`, DISPOSITION, '', 'x', '--b--')],
    ['of no bytes', Buffer.alloc(0)],
  ];
  for (const [what, bytes] of bad)
    test(`${what} is malformed`, () => {
      for (const length of [1, 3, Math.max(1, bytes.length)])
        assert.equal(readIn(bytes, 'b', length), null, `${length}`);
    });

  test('holds no more than a head or a boundary, and takes a time in proportion to its length', () => {
    const reader = new MultipartReader('b');
    reader.push(form('--b', DISPOSITION, '', ''));
    for (let i = 0; i < 100; i++) {
      const events = reader.push(Buffer.alloc(65_536, '\r\n--'));
      assert.ok(events.length <= 1);
    }
    inProportion((n) => parseParts(part(DISPOSITION, '\r\n--a'.repeat(n)), 'b'), 1e5);
    inProportion(
      (n) => parseParts(form(...Array.from({ length: n }, () => `--b\r\n${DISPOSITION}\r\n\r\nx`), '--b--'), 'b'),
      3000,
    );
    inProportion((n) => boundaryIn(`multipart/form-data; boundary="${'a'.repeat(n)}"`), 1e5);
    const spaces = part(`${DISPOSITION}\r\nX:${' '.repeat(8000)}x`);
    assert.ok(readIn(spaces, 'b', spaces.length));
  });

  test('names one boundary', () => {
    const named: ReadonlyArray<readonly [string, string | null]> = [
      ['multipart/form-data; boundary=abc', 'abc'],
      ['multipart/form-data; Boundary="a b\'()+_,-./:=?"', "a b'()+_,-./:=?"],
      ['multipart/form-data; charset=utf-8; boundary=abc', 'abc'],
      ['multipart/form-data', null],
      ['multipart/form-data; boundary=""', null],
      ['multipart/form-data; boundary="a "', null],
      ['multipart/form-data; boundary="a\u00e4"', null],
      ['multipart/form-data; boundary=a; boundary=b', null],
      ['multipart/form-data; boundary=a, multipart/form-data; boundary=b', null],
      [`multipart/form-data; boundary=${'a'.repeat(71)}`, null],
    ];
    for (const [header, boundary] of named) assert.equal(boundaryIn(header), boundary, header);
  });
});
