import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { inProportion } from '../../test/growth.ts';
import type { Finding } from '../syntax/diagnostic.ts';
import { type Compiled, compile } from './compile.ts';
import { renderFinding, renderFindings, renderSummary } from './render.ts';

/** A finding at the first `[…]` in a text, whose brackets are taken out. */
function at(marked: string, more: Partial<Finding> = {}): { compiled: Compiled; finding: Finding } {
  const from = marked.indexOf('[');
  const to = marked.indexOf(']') - 1;
  const compiled = compile('x.md', marked.replace('[', '').replace(']', ''));
  const finding: Finding = {
    code: 'limits/example',
    part: 'limits',
    asks: null,
    puts: 'nowhere',
    sure: false,
    related: [],
    legal: [],
    standing: 'wrong',
    effects: [],
    severity: 'error',
    span: { from, to },
    message: 'It is wrong.',
    why: 'It matters.',
    suggestion: null,
    found: null,
    owner: null,
    endpoints: null,
    params: {},
    ...more,
  };
  return { compiled, finding };
}

/** The two lines of a finding's frame. */
function frame(marked: string): string[] {
  const { compiled, finding } = at(marked);
  return renderFinding(compiled, finding, false).split('\n').slice(3, 5);
}

/** The text above the carets. */
function underCarets(line: string, carets: string): string {
  return line.slice(carets.indexOf('^'), carets.lastIndexOf('^') + 1);
}

test('a finding says where, what, in which line, why, and what could be written', () => {
  const { compiled, finding } = at('# T\n\n| Rate | [600] | x |\n', { suggestion: '600 requests per minute' });
  assert.deepEqual(renderFinding(compiled, finding, false).split('\n'), [
    'x.md:3:10 error limits/example',
    '  It is wrong.',
    '',
    '  3 │ | Rate | 600 | x |',
    '    │          ^^^',
    '',
    '  Why:   It matters.',
    '  Write: 600 requests per minute',
  ]);
});

test('a finding that no line says has no frame', () => {
  const { compiled, finding } = at('# [T]\n', { span: null, standing: 'wrong', severity: 'question' });
  assert.deepEqual(renderFinding(compiled, finding, false).split('\n'), [
    'x.md: question limits/example',
    '  It is wrong.',
    '',
    '  Why:   It matters.',
  ]);
});

test('each line of a suggestion stands under the first', () => {
  const { compiled, finding } = at('# [T]\n', { suggestion: '| A |\n| --- |' });
  assert.match(renderFinding(compiled, finding, false), /\n {2}Write: \| A \|\n {9}\| --- \|$/);
});

test('carets stand under the span: with tabs, wide characters, combining ones, and at blank places', () => {
  assert.deepEqual(frame('# T\n\n\ta\t[bc]\td\n'), ['  3 │   a  bc  d', '    │      ^^']);
  assert.deepEqual(frame('注文 [状態] x\n'), ['  1 │ 注文 状態 x', '    │      ^^^^']);
  assert.deepEqual(frame('サーバー・ﾈｺ（一） [b]\n'), ['  1 │ サーバー・ﾈｺ（一） b', '    │                    ^']);
  assert.deepEqual(frame('\u1112\u1161\u11AB [b]\n'), ['  1 │ \u1112\u1161\u11AB b', '    │    ^']);
  assert.deepEqual(frame('e\u0301 [b]\n'), ['  1 │ e\u0301 b', '    │   ^']);
  assert.deepEqual(frame('😀 [b]\n'), ['  1 │ 😀 b', '    │    ^']);
  assert.deepEqual(frame('| a | [] |\n'), ['  1 │ | a |  |', '    │       ^']);
  assert.deepEqual(frame('ab[]'), ['  1 │ ab', '    │   ^']);
});

test('a span of several lines is marked to the end of its first', () => {
  assert.deepEqual(frame('a [b\r\nc] d\r\n'), ['  1 │ a b', '    │   ^']);
});

test('a long line is clipped around its span and stays within 100 columns', () => {
  const filler = 'word '.repeat(100);
  for (const marked of [
    `${filler}[here] ${filler}`,
    `[here] ${filler}`,
    `${filler}[here]`,
    `${filler.slice(0, 60)}[here] ${filler}`,
    `${'注'.repeat(300)}[here]${'注'.repeat(300)}`,
  ]) {
    const lines = frame(marked);
    const columns = lines[0]!.replace(/注/g, '--');
    assert.ok(columns.length <= 106, columns);
    assert.match(columns, /…/);
    assert.equal(underCarets(columns, lines[1]!), 'here');
  }
});

test('a span longer than the frame shows its start, and some of what stands before it', () => {
  const lines = frame(`${'a'.repeat(300)}[${'b'.repeat(300)}]${'c'.repeat(300)}`);
  assert.match(lines[0]!, /^ {2}1 │ …a{19}b{79}…$/);
  assert.match(lines[1]!, /^ {4}│ {21}\^{80}$/);
});

test('a document cannot act on the terminal', () => {
  const { compiled, finding } = at('a \x1b[31m\u202e[b]\n', {
    span: { from: 0, to: 1 },
    message: 'Not \x1b]0;title\x07\nunderstood.',
    suggestion: '\x1b[2J',
  });
  const text = renderFinding({ ...compiled, name: 'x\x1b.md' }, finding, false);
  assert.doesNotMatch(text, /[\x00-\x09\x0B-\x1F\x7F-\x9F\u202A-\u202E]/);
  assert.match(text, /␛/);
});

test('a message that quotes the whole document is shortened', () => {
  const { compiled, finding } = at('# [T]\n', { message: `“${'x'.repeat(100_000)}” is not understood.` });
  const message = renderFinding(compiled, finding, false).split('\n')[1]!;
  assert.ok(message.length < 2100);
  assert.match(message, /^ {2}“x+ … x+” is not understood\.$/);
});

test('a reason and a long list of what is allowed are said once', () => {
  const list = `“${Array.from({ length: 40 }, (_, i) => `word ${i}`).join('”, “')}”.`;
  const { compiled, finding } = at('# [T]\n', { message: `“T” is not allowed here. Allowed: ${list}` });
  const [first = '', second = ''] = renderFindings(compiled, [finding, finding], false);
  assert.ok(first.includes(list));
  assert.match(first, /Why: {3}It matters\./);
  assert.match(second, /Allowed: as for line 1\./);
  assert.doesNotMatch(second, /Why:/);
  assert.match(second, /\^$/, 'no blank line is left');
});

test('what a finding in an endless line costs doesn’t grow with the line', () => {
  const ends = new Map<number, ReturnType<typeof at>>();
  // As many findings as the line has letters, or nearly: what grew with the line would grow with the square of them.
  inProportion((n) => {
    const { compiled, finding } = ends.get(n) ?? at(`# T\n\n${'x '.repeat(n * 250)}[y]\n`);
    ends.set(n, { compiled, finding });
    for (let i = 0; i < n; i++) renderFinding(compiled, finding, false);
  }, 2000);
});

test('colours add nothing but colours', () => {
  const { compiled, finding } = at('# [T]\n', { suggestion: 'a\nb' });
  const colored = renderFinding(compiled, finding, true);
  assert.notEqual(colored, renderFinding(compiled, finding, false));
  assert.equal(stripVTControlCharacters(colored), renderFinding(compiled, finding, false));
  assert.equal(stripVTControlCharacters(renderSummary(compiled, true)), renderSummary(compiled, false));
});

test('the summary counts items, endpoints and findings, in the singular too', () => {
  const { compiled, finding } = at('# [T]\n\n## Endpoints\n\n### `GET /a`\n');
  assert.equal(
    renderSummary({ ...compiled, findings: [finding] }, false),
    '31 items: 2 stated, 0 none, 29 not shown; 1 endpoint, 0 settled; 1 error, 0 questions.',
  );
  assert.equal(
    renderSummary({ ...compiled, findings: [] }, false),
    'No findings. 31 items: 2 stated, 0 none, 29 not shown; 1 endpoint, 0 settled.',
  );
});
