import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import { Conversation } from './conversation.ts';

/** What every object of JavaScript answers to without having been given it, and plain names in the same order. */
const NAMES = new Map([
  ['constructor', 'conplain'],
  ['hasOwnProperty', 'hasPlain'],
  ['isPrototypeOf', 'isPlain'],
  ['propertyIsEnumerable', 'propPlain'],
  ['toLocaleString', 'toLPlain'],
  ['toString', 'toSPlain'],
  ['valueOf', 'valPlain'],
  ['Constructor', 'Conplain'],
  ['__proto__', '__plain__'],
]);

const renamed = (text: string, names: ReadonlyMap<string, string>): string =>
  text.replace(/\w+/g, (word) => names.get(word) ?? word);

const read = (name: string): string => readFileSync(join(import.meta.dirname, 'names', name), 'utf8');

/** What comes of the exchange, in the document that has these names. */
async function held(names: ReadonlyMap<string, string>): Promise<string> {
  const { plan, findings } = compile('names.md', renamed(read('document.md'), names));
  assert.deepEqual(findings, []);
  await using conversation = await Conversation.start(plan!);
  return await conversation.hold(renamed(read('exchange.txt'), names), []);
}

test('names that every JavaScript object has mean what the document says, and nothing else', async (t) => {
  const plain = await held(NAMES);
  const hostile = await held(new Map());
  const back = new Map([...NAMES].map(([name, other]) => [other, name]));
  assert.equal(hostile, renamed(plain, back));
  t.diagnostic(`${NAMES.size} names, ${hostile.match(/^< /gm)!.length} answers`);
});
