import './whole-alone.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import { PART_HEADINGS } from '../src/plan/parts.ts';
import { readMarkdown } from '../src/syntax/markdown.ts';
import { documents, sections } from './fixtures.ts';
import { share } from './share.ts';

/** How many statements a run puts into every place. */
const MOST = 12;

/** Their values are any text, so that prose may begin with these keys. */
const FREE = ['Purpose', 'Domain', 'File'];

/** Each bullet of the documents by its key, and the document that it is from. */
const statements = documents().flatMap(({ name, text }) => {
  const bullets = sections(readMarkdown(text, [])).flatMap((section) => section.bullets);
  const texts = new Set(bullets.map(({ span }) => text.slice(span.from, span.to).replace(/\s+/g, ' ')));
  return [...texts]
    .filter((one) => !FREE.some((key) => one.startsWith(`${key}:`)))
    .map((line) => ({ name, text, line }));
});

/** A document with a line of prose before its first part, or right below the heading of a part. */
const withLine = (text: string, heading: string, line: string): string =>
  text.replace(heading, () => (heading.startsWith('# ') ? `${heading}\n\n${line}` : `${heading}\n\n${line}\n`));

const { cases, which } = share(statements, MOST, 8);
for (const { name, text, line } of cases)
  test(`prose that is a statement has a finding wherever it stands: ${name}: ${line} (${which})`, () => {
    const title = /^# .*$/m.exec(text)?.[0] ?? '';
    for (const heading of [title, ...Object.values(PART_HEADINGS).map((part) => `## ${part}`)]) {
      const codes = compile(name, withLine(text, heading, line)).findings.map(({ code }) => code);
      const told = codes.some((code) => /^language\/(?:misplaced|not-a-bullet|looks-like)$/.test(code));
      assert.ok(told, `under ${heading}: ${codes.join(', ')}`);
    }
  });

test('a statement that is only quoted, or that takes no such value, is prose', () => {
  for (const { name, text } of documents())
    for (const line of [
      'As in `Access: anyone`.',
      '> Access: anyone',
      'Access: see below.',
      'Order: the main resource.',
    ]) {
      const title = /^# .*$/m.exec(text)?.[0] ?? '';
      assert.deepEqual(compile(name, withLine(text, title, line)).findings, compile(name, text).findings, line);
    }
});
