import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../export/json.ts';
import { Draws } from '../oracle/draws.ts';
import type { Expected } from '../oracle/errors.ts';
import { compare, compareValues } from './compare.ts';
import { isTextTooDeep } from './depth.ts';

const patterns = new Draws();

const EXPECTED: Expected = {
  status: 422,
  headers: [],
  body: { errors: [{ pointer: '/sku' }] },
  code: 'invalid_request',
  statements: [],
};

/** The differences that are reported of an answer with a body. */
function actual(body: string | Buffer): Array<string | null> {
  const answer = { status: 422, headers: [], body: Buffer.from(body) };
  return compare(EXPECTED, answer, { rates: 'exact', isHead: false, patterns }).differences.map((one) => one.actual);
}

test('a body that is no JSON is told with the reason', () => {
  assert.deepEqual(actual(''), ['(the body is empty)']);
  assert.deepEqual(actual('{"a":1'), ['{"a":1 (the body is not valid JSON)']);
  assert.deepEqual(actual('{"a":1,"a":1}'), ['{"a":1,"a":1} (an object in the body names a member twice)']);
  assert.deepEqual(actual(Buffer.from([0x22, 0xff, 0x22])), ['"\ufffd" (the body is not valid UTF-8)']);
});

test('a body that is nested 100,000 deep is a difference, and no failure', () => {
  const [open, close] = ['['.repeat(100_000), ']'.repeat(100_000)];
  assert.match(actual(`{"errors":[${open}${close}]}`)[0] ?? '', / \(the body is nested too deeply\)$/);
  const deep = JSON.parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`) as Json;
  assert.deepEqual(
    compareValues({ a: 1 }, deep, patterns).differences.map((one) => one.actual),
    ['the body is nested too deeply'],
  );
});

test('a text is told to be nested too deeply before it is read, whatever its strings hold', () => {
  const deep = (json: string): boolean => isTextTooDeep(Buffer.from(json));
  assert.equal(deep(`{"a":"${'['.repeat(100_000)}","b\\\\":"\\"${'{'.repeat(1000)}"}`), false);
  assert.equal(deep(`[${'[]'.repeat(1000)}]`), false);
  assert.equal(deep(`{"a\\"":${'['.repeat(1000)}`), true);
  assert.equal(deep('"never ends'), false);
});

test('problem details with the type about:blank are those without a type', () => {
  const headers: Expected['headers'] = [['Content-Type', 'application/problem+json']];
  const differences = (type: string): number => {
    const body = Buffer.from(JSON.stringify({ type, errors: [{ pointer: '/sku' }] }));
    const answer = { status: 422, headers, body };
    return compare({ ...EXPECTED, headers }, answer, { rates: 'exact', isHead: false, patterns }).differences.length;
  };
  assert.equal(differences('about:blank'), 0);
  assert.equal(differences('https://errors.example/a'), 1);
});

test('a body in a coding that was not asked for is told by its header, and is not decoded', () => {
  const answer = { status: 422, headers: [['Content-Encoding', 'gzip']] as const, body: Buffer.from([31, 139, 8]) };
  assert.deepEqual(compare(EXPECTED, answer, { rates: 'exact', isHead: false, patterns }).differences, [
    { at: 'header Content-Encoding', expected: null, actual: 'gzip, which was not asked for' },
  ]);
});

test('links are the same in any order, and may name the size that a page has without', () => {
  const links = (expected: string, theirs: string, pageSize?: readonly [string, string]): number => {
    const known = { ...EXPECTED, status: 200, code: null, body: [], headers: [['Link', expected] as const] };
    const answer = { status: 200, headers: [['Link', theirs] as const], body: Buffer.from('[]') };
    const page = pageSize ? { ...known, pageSize } : known;
    return compare(page, answer, { rates: 'exact', isHead: false, patterns }).differences.length;
  };
  const expected = '<?q=a%20b&page=2>; rel="next", <?q=a%20b&page=4>; rel="last"';
  const size = ['size', '10'] as const;
  assert.equal(links(expected, '<?page=4&q=a+b>;rel=last, <?page=2&q=a+b>;rel=next'), 0);
  assert.equal(links(expected, expected.replaceAll('page', 'size=10&page'), size), 0);
  assert.equal(links(expected, expected.replaceAll('page', 'size=20&page'), size), 1);
  assert.equal(links(expected, expected.replaceAll('page', 'size=10&page')), 1);
  assert.equal(links(expected, expected.replace('page=4', 'page=5')), 1);
  assert.equal(links(expected, expected.replaceAll('?q=a%20b&', '?')), 1);
  assert.equal(links(expected, expected.split(', ')[0]!), 1);
  const mark = '\u{E000}cursor:1\u{E001}';
  assert.equal(links(`<?after=${mark}>; rel="next"`, '<?size=10&after=x%3D>; rel="next"', size), 0);
});

test('HEAD may leave the length out or name one, but it does not say that GET has no body', () => {
  const type = ['Content-Type', 'application/json'] as const;
  const expected: Expected = { status: 200, headers: [type], body: undefined, code: null, statements: [] };
  const differing = (length: string | null, stated = expected): string[] => {
    const headers = [type, ...(length === null ? [] : [['Content-Length', length] as const])];
    const answer = { status: 200, headers, body: Buffer.alloc(0) };
    return compare(stated, answer, { rates: 'exact', isHead: true, patterns }).differences.map(({ at }) => at);
  };
  assert.deepEqual([differing(null), differing('17')], [[], []]);
  assert.deepEqual(differing('0'), ['header Content-Length']);
  assert.deepEqual(differing('0', { ...expected, status: 204 }), ['status']);
});
