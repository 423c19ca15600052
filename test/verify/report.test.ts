import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { statementId } from '../../src/plan/lines.ts';
import { jsonReport } from '../../src/verify/report/json.ts';
import { junitReport } from '../../src/verify/report/junit.ts';
import type { Report } from '../../src/verify/report/report.ts';
import { textReport } from '../../src/verify/report/text.ts';
import { wfcReport } from '../../src/verify/report/wfc.ts';
import { HOSTILE, MADE, madeUpReport } from './made-up.ts';

/** `UPDATE=1` writes what the writers give into the goldens, to be read before it is committed. */
const UPDATE = process.env.UPDATE === '1';

const WRITERS: Readonly<Record<string, (report: Report) => string>> = {
  'report.txt': textReport,
  'report.json.txt': jsonReport,
  'report.junit.xml': junitReport,
  'report.wfc.json.txt': wfcReport,
};

for (const [name, write] of Object.entries(WRITERS))
  test(`a report with hostile text is written as ${name}`, () => {
    const text = write(madeUpReport());
    const golden = new URL(`goldens/${name}`, import.meta.url);
    if (UPDATE) writeFileSync(golden, text);
    assert.equal(text, readFileSync(golden, 'utf8'));
    assert.equal(write(madeUpReport()), text, 'the same report gives the same bytes');
    assert.ok(
      !/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]|\p{Cs}/u.test(text),
      'nothing in it acts on a terminal',
    );
  });

/** The same run another time: other identities, credentials, times and ports. */
const AGAIN = madeUpReport({
  id: '018f3c1e-ffff-7cc1-9c1d-0a1b2c3d4e60',
  key: 'nf_otherotherotherotherot',
  tag: '"another-tag-1"',
  port: 9999,
  at: '2026-11-24T20:21:22.999Z',
});

test('what differs from run to run stands apart in JSON', () => {
  const [first, again] = [jsonReport(madeUpReport()), jsonReport(AGAIN)].map((text) => JSON.parse(text));
  assert.notDeepEqual(first.run, again.run);
  delete first.run;
  delete again.run;
  assert.deepEqual(first, again);
  assert.ok(!JSON.stringify(first).includes(MADE.id));
});

test('what differs from run to run stands apart in text', () => {
  const [first, again] = [textReport(madeUpReport()), textReport(AGAIN)].map((text) => {
    const at = text.indexOf('Values of this run:');
    const end = text.indexOf('\n\n', at);
    return { rest: text.slice(0, at) + text.slice(end), values: text.slice(at, end) };
  });
  assert.equal(first?.rest, again?.rest);
  assert.notEqual(first?.values, again?.values);
});

test('credentials stand in what is of the run, and nowhere in JUnit and WFC', () => {
  const report = madeUpReport();
  assert.ok(textReport(report).includes(`\n  key=${MADE.key}\n`));
  assert.equal(textReport(report).split(MADE.key).length, 2);
  for (const text of [junitReport(report), wfcReport(report)]) assert.ok(!text.includes(MADE.key));
});

test('curl is told to ask a service of this machine whose certificate is not checked', () => {
  const at = (url: string): string => {
    const report = madeUpReport();
    return textReport({ ...report, run: { ...report.run, url } });
  };
  const told = '\n  curl() { command curl --insecure "$@"; }\n';
  for (const url of ['https://127.0.0.1:8443', 'https://localhost', 'https://[::1]:8443/api'])
    assert.ok(at(url).includes(told), url);
  for (const url of ['http://127.0.0.1:8080', 'https://example.com', 'https://localhost.example.com'])
    assert.ok(!at(url).includes(told), url);
});

test('the text begins with the breaks and ends with the verdict, with a line for each of the 31 items', () => {
  const lines = textReport(madeUpReport()).trimEnd().split('\n');
  assert.match(lines[0] ?? '', /^Break 1 of 2: PATCH \/orders\/\{id\}$/);
  assert.match(
    lines.at(-1) ?? '',
    /^29 statements: 21 kept, 2 broken, 6 untestable \(2 breaks, 1234 requests, seed 7\)\.$/,
  );
  const head = lines.findIndex((line) => line.startsWith('Part '));
  assert.equal(lines.indexOf('', head) - head - 2, 31);
});

/** What XML 1.0 and JUnit require, checked by a reader of a few lines: tags that close, no stray characters. */
test('the JUnit XML is well-formed, whatever texts hold', () => {
  const xml = junitReport(madeUpReport());
  assert.ok(!/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u.test(xml), 'every character may stand in XML');
  const open: string[] = [];
  const tag = /<(\/?)([a-z]+)((?: [a-z]+="[^"<]*")*)(\/?)>/y;
  let at = xml.indexOf('?>') + 2;
  while (at < xml.length) {
    const next = xml.indexOf('<', at);
    const text = xml.slice(at, next < 0 ? undefined : next);
    assert.ok(!/&(?!(?:amp|lt|gt|quot|#\d+);)/.test(text) && !text.includes(']]>'), text);
    if (next < 0) break;
    tag.lastIndex = next;
    const found = tag.exec(xml);
    assert.ok(found, `a tag at ${xml.slice(next, next + 60)}`);
    const [, closes, name = '', attributes = '', empty] = found;
    assert.ok(!/&(?!(?:amp|lt|gt|quot|#\d+);)/.test(attributes), attributes);
    if (closes) assert.equal(open.pop(), name);
    else if (!empty) open.push(name);
    at = tag.lastIndex;
  }
  assert.deepEqual(open, []);
});

test('JUnit counts what it holds, and a break of no known statement is there', () => {
  const report = madeUpReport();
  const lost = { ...report.breaks[0], statement: statementId.code('nothing known') } as Report['breaks'][number];
  const xml = junitReport({ ...report, breaks: [...report.breaks, lost] });
  const count = (pattern: RegExp): number => [...xml.matchAll(pattern)].length;
  const [, tests, failures, skipped] =
    /<testsuites .*?tests="(\d+)" failures="(\d+)" errors="0" skipped="(\d+)"/.exec(xml) ?? [];
  assert.deepEqual([tests, failures, skipped].map(Number), [
    count(/<testcase /g),
    count(/<failure /g),
    count(/<skipped /g),
  ]);
  assert.match(xml, /nothing known/);
});

test('the hostile text is in every report in a readable form', () => {
  for (const write of Object.values(WRITERS)) assert.match(write(madeUpReport()), /\u{1f41d}/u);
  assert.ok(HOSTILE.includes('\u{1f41d}'));
});
