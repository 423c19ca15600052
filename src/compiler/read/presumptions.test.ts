import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { changed, deletions, example, findings } from '../../../test/fixtures.ts';
import { share } from '../../../test/share.ts';
import { compile } from '../compile.ts';
import { renderMore } from '../render.ts';
import { LEFT_OPEN } from './open-facts.ts';
import { PRESUMED } from './presumed-facts.ts';

const PAGES = new URL('../../../docs/diagnostics/', import.meta.url);

test('the tables of open and presumed facts name findings of the catalogues', () => {
  const pages = readdirSync(PAGES).map((file) => readFileSync(new URL(file, PAGES), 'utf8'));
  const codes = new Set(pages.flatMap((page) => [...page.matchAll(/^## (\S+)$/gm)].map(([, code]) => code)));
  assert.deepEqual(
    [...Object.keys(LEFT_OPEN), ...Object.keys(PRESUMED)].filter((code) => !codes.has(code)),
    [],
  );
});

/** `orders.md` whose part Authentication says something else. */
function withAuthentication(text: string): string {
  const orders = example('orders');
  const from = orders.indexOf('## Authentication') + '## Authentication\n'.length;
  return `${orders.slice(0, from)}\n${text}\n\n${orders.slice(orders.indexOf('## Events'))}`;
}

test('an open scheme is asked for first, and access, rates and scopes are not judged as if it were none', () => {
  const open = findings(withAuthentication('Authentication scheme, credentials, headers, and scopes: not shown.'));
  assert.equal(open[0]?.split(' ')[1], 'authentication/scheme');
  assert.deepEqual(
    open.filter((one) => !/ (authentication|limits)\/(scheme|credentials|headers|scopes)$/.test(one)),
    [],
  );
  const none = findings(withAuthentication('- Scheme: none\n- Browser origins: none'));
  for (const code of ['endpoints/access-uncalled', 'expression/unknown-name', 'limits/caller-rate'])
    assert.ok(
      none.some((one) => one.endsWith(code)),
      code,
    );
});

test('a question that decides about an error keeps every endpoint from being served', () => {
  const open = withAuthentication('Authentication scheme, credentials, headers, and scopes: not shown.');
  const { endpoints, findings: found, plan } = compile('x.md', open);
  assert.equal(plan, null);
  assert.deepEqual(
    endpoints.filter(({ settled }) => settled),
    [],
  );
  assert.equal(found.find(({ code }) => code === 'authentication/scheme')?.endpoints, null);
});

test('a blank column keeps no other question from being asked', () => {
  const notes = changed(
    example('notes'),
    [', Unique no', ''],
    ['- Unknown parameters: refused\n', ''],
    ['- Scheme: none\n- Browser origins: none\n', ''],
  );
  const codes = compile('x.md', notes).findings.map(({ code }) => code);
  for (const code of ['resources/blank-cell', 'endpoints/setting', 'authentication/scheme'])
    assert.ok(codes.includes(code), `${code} is not among ${codes.join(', ')}`);
});

test('a document whose answers lead to more questions says so', () => {
  const orders = example('orders');
  const all = deletions(orders);
  const { cases } = share(
    all.flatMap((first, i) => all.slice(i + 1).map((second) => [first, second] as const)),
    8,
    400,
  );
  for (const [first, second] of cases) {
    // Both statements are gone, and then the first is answered.
    const both = deletions(first.text).find(({ what }) => what === second.what);
    if (!both) continue;
    const before = compile('x.md', both.text);
    const asked = new Set(before.findings.map(({ code, message }) => `${code} ${message}`));
    const after = compile('x.md', second.text).findings.filter(({ severity }) => severity === 'question');
    const more = after.filter(({ code, message }) => !asked.has(`${code} ${message}`) && !asksInOther(before, code));
    if (more.length)
      assert.notEqual(before.more, 'none', `without ${first.what} and ${second.what}: ${more[0]?.message}`);
  }
});

/** A question may name other endpoints or fields once one of them is answered. */
function asksInOther({ findings: found }: ReturnType<typeof compile>, code: string): boolean {
  return found.some((one) => one.code === code);
}

test('the rest of a document that cannot be read whole is announced', () => {
  const compiled = compile('x.md', '# X\n\n## Foo\n\n## Bar\n');
  assert.equal(compiled.more, 'unchecked');
  assert.equal(renderMore(compiled), 'Ninefold checks the rest of the document, and asks more, once this is mended.');
  const purpose = compile('x.md', changed(example('orders'), ['- Browser origins: none\n', '']));
  assert.equal(purpose.findings.length, 1);
  assert.equal(renderMore(purpose), null);
});

test('what stays open however an unreadable table is mended is asked at once, and nothing else', () => {
  const orders = example('orders')
    .replace('| Field | Type   |', '| Field | ype    |')
    .replace('- HEAD: not served\n', '')
    .replace('- Text: trimmed\n', '')
    .replace(/^- (?:Conditions|Payload): .*\n/gm, '')
    .replace('## Errors\n', '## Errors\n\nError payload shape: not shown.\n');
  const { findings, more } = compile('orders.md', orders);
  assert.equal(more, 'unchecked');
  const asked = findings.filter(({ severity }) => severity === 'question').map(({ code }) => code);
  for (const code of ['endpoints/setting', 'resources/part', 'errors/error-payload-shape'])
    assert.ok(asked.includes(code), `${code} in ${asked}`);
  assert.ok(!asked.some((code) => /no-identity|steps|given/.test(code)), `${asked}`);
});
