import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inProportion } from '../../test/growth.ts';
import { fc } from '../../test/seeded.ts';
import { parseJson } from './json.ts';

const parse = (text: string) => parseJson(Buffer.from(text));
const REPEATED = { ok: false, reason: 'an object in the body names a member twice' };

/** A JSON text's tree in which an object is a list of members, so that it can repeat one. */
type Tree = null | boolean | number | string | { list: Tree[] } | { members: Array<[string, Tree]> };

const PLAIN_NAMES = ['a', 'b', 'c', '', ':', 'é', '日', '__proto__', 'constructor', '0', '7', '1000000', '4294967295'];
const ESCAPED_NAMES = [...PLAIN_NAMES, '"', '\\', '\\"', '\\u', '\n', '\u0000', '\ud800', '😀'];

function treeOf(names: readonly string[]): fc.Arbitrary<Tree> {
  const scalars: Tree[] = [null, true, false, '', ':', '"', '\\', '\\":', '{"a":1,"a":2}', '\ufffd', '😀', -1.5e-7];
  return fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom(...scalars),
      fc.record({ list: fc.array(tie('tree'), { maxLength: 4 }) }),
      fc.record({ members: fc.array(fc.tuple(fc.constantFrom(...names), tie('tree')), { maxLength: 4 }) }),
    ),
  })).tree;
}

/** Writes a tree, with white space and, in values and perhaps in names, escapes where the random bits say so. */
function write(node: Tree, bit: () => boolean, escapeNames: boolean): string {
  const space = () => (bit() ? ' \n\t\r' : '');
  const unit = (one: string) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const text = (value: string) => (bit() ? `"${value.split('').map(unit).join('')}"` : JSON.stringify(value));
  const inner = (one: Tree) => write(one, bit, escapeNames) + space();
  if (typeof node === 'string') return text(node);
  if (typeof node !== 'object' || node === null) return JSON.stringify(node);
  if ('list' in node) return `[${space()}${node.list.map(inner).join(`,${space()}`)}]`;
  const name = (value: string) => (escapeNames ? text(value) : JSON.stringify(value)) + space();
  return `{${space()}${node.members.map(([key, one]) => `${name(key)}:${space()}${inner(one)}`).join(`,${space()}`)}}`;
}

function repeats(node: Tree): boolean {
  if (typeof node !== 'object' || node === null) return false;
  if ('list' in node) return node.list.some(repeats);
  const names = new Set(node.members.map(([name]) => name));
  return names.size < node.members.length || node.members.some(([, one]) => repeats(one));
}

function plain(node: Tree): unknown {
  if (typeof node !== 'object' || node === null) return node;
  if ('list' in node) return node.list.map(plain);
  return Object.fromEntries(node.members.map(([name, one]) => [name, plain(one)]));
}

describe('members named twice', () => {
  const texts = [
    ['{"a":1,"a":1}', '{"a":1,"\\u0061":2}', '{"\\u0061":1,"\\u0061":2}', '{"":1,"":2}', '{"/":1,"\\/":2}'],
    ['{"a":{"b":1,"b":2}}', '[{"a":1,"a":2}]', '[[[{"a":1 , "a" :2}]]]', '{"a":1,"b":{"c":1},"a":{"d":1}}'],
    ['{"a":{"b":1},"a":{"b":1}}', '{"a":{"b":1,"c":2},"a":1,"d":3}', '{"a":[],"a":[{"b":1,"c":2}]}'],
    ['{"__proto__":1,"__proto__":2}', '{"__proto__":{},"__proto__":{"a":1}}', '{"\\u005f_proto__":1,"__proto__":2}'],
    ['{"a":":","a":"\\":"}', '{"\\"":1,"\\u0022":2}', '{"é":1,"\\u00e9":2}', '{"😀":1,"\\ud83d\\ude00":2}'],
    ['{"\\ud800":1,"\\uD800":2}', '{"a\\u0000":1,"a\\u0000":2}', '{"1":1,"1":2}', '{"1":1,"\\u0031":2}'],
    ['{"9999999":1,"9999999":2}', '{"4294967295":1,"4294967295":2}', '{"b":1,"4000000000":1,"4000000000":2}'],
  ];
  for (const text of texts.flat()) test(text, () => assert.deepEqual(parse(text), REPEATED));

  for (const [names, escapeNames] of [
    [PLAIN_NAMES, false],
    [ESCAPED_NAMES, true],
  ] as const) {
    test(`are found in any tree, and in no other, ${escapeNames ? 'with' : 'without'} escapes in names`, () => {
      const seen = { repeated: 0, distinct: 0 };
      fc.assert(
        fc.property(treeOf(names), fc.infiniteStream(fc.boolean()), (node, bits) => {
          const text = write(node, () => bits.next().value, escapeNames);
          seen[repeats(node) ? 'repeated' : 'distinct'] += 1;
          assert.deepEqual(parse(text), repeats(node) ? REPEATED : { ok: true, value: plain(node) }, text);
        }),
        { numRuns: 2000 },
      );
      assert.ok(seen.repeated > 50 && seen.distinct > 50, JSON.stringify(seen));
    });
  }
});

describe('names with escapes', () => {
  test('are read right where JSON.parse takes them for others (nodejs/node#63785)', () => {
    for (const poison of ['{"h":[],"\\\\":0}', '{"\\\\":1}', '{"z":1,"gr\\\\u0":1}']) JSON.parse(poison);
    assert.deepEqual(parse('{"h":1,"\\"":2}'), { ok: true, value: { h: 1, '"': 2 } });
    assert.deepEqual(parse('{"\\u00e9":1}'), { ok: true, value: { é: 1 } });
    assert.deepEqual(parse('{"z":2,"gr\\u00f6\\u00dfe":2}'), { ok: true, value: { z: 2, größe: 2 } });
  });

  test('are read whatever stands around them', () => {
    const text =
      ' { "\\u0061" : [ 1 , -2.5e3 ,true,false,null,"\\"]}",[ ],{ } ] ,"b":{"\\n":{}},"__proto__":{"c":0 }}\n';
    const value = { a: [1, -2500, true, false, null, '"]}', [], {}], b: { '\n': {} }, ['__proto__']: { c: 0 } };
    assert.deepEqual(parse(text), { ok: true, value });
    assert.deepEqual(parse('[{"\\u0061":1},{"\\u0061":2},3]'), { ok: true, value: [{ a: 1 }, { a: 2 }, 3] });
  });

  test('leave prototypes alone', () => {
    const parsed = parse('{"\\u005f_proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}');
    assert.ok(parsed.ok);
    const value = parsed.value as Record<string, unknown>;
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    assert.deepEqual(Object.keys(value), ['__proto__', 'constructor']);
    assert.equal(value.admin, undefined);
    assert.equal(({} as Record<string, unknown>).admin, undefined);
  });

  const deep = (n: number): string => '{"\\u0061":'.repeat(n) + '['.repeat(n) + ']'.repeat(n) + '}'.repeat(n);
  const many = (n: number): string => `{${Array.from({ length: n }, (_, at) => `"\\n${at}":"\\n"`).join()}}`;
  const list = (n: number): string => `{"\\n":[${'"\\n",'.repeat(n)}1]}`;
  for (const [what, text, length] of [
    ['however deep', deep, 10_000],
    ['however many', many, 5000],
    ['however long the lists', list, 13_000],
  ] as const)
    test(`cost in proportion to their length, ${what}`, () =>
      inProportion((n) => assert.equal(parse(text(n)).ok, true), length));
});
