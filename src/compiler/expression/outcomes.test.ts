import assert from 'node:assert/strict';
import { test } from 'node:test';
import { times } from '../../../test/share.ts';
import { layoutOf, toJavaScript } from '../../expression/javascript.ts';
import { type Expr, type Fn, mapParts, show } from '../../expression/tree/expression.ts';
import { BOOLEAN, INTEGER, nullable, STRING, type Type } from '../../expression/tree/types.ts';
import { emptyFrame } from '../../expression/values/value.ts';
import { Random } from '../../verify/requests/random.ts';
import { type Domain, Outcomes } from './outcomes.ts';

/** A member of the request, the values that it may have, and what a document says of them. */
interface Member {
  readonly read: Expr;
  readonly values: ReadonlyArray<string | number | boolean | null>;
  readonly domain: Domain | null;
}

const request: Expr = { op: 'name', name: 'request', type: { kind: 'object', members: {}, nullable: false } };
const member = (name: string, type: Type, domain: Member['domain'], values: Member['values']): Member => ({
  read: { op: 'get', of: request, member: name, type },
  domain,
  values,
});

const MEMBERS: readonly Member[] = [
  member('count', INTEGER, { kind: 'numbers', least: 1, most: 4 }, [1, 2, 3, 4]),
  member('rank', nullable(INTEGER, true), { kind: 'numbers', least: 2, most: 3 }, [null, 2, 3]),
  member('state', STRING, { kind: 'values', values: ['a', 'b'] }, ['a', 'b']),
  member('note', nullable(STRING, true), { kind: 'texts', takes: (text) => text !== '' }, [
    null,
    'a',
    'b',
    'c',
    'other',
  ]),
  member('done', BOOLEAN, { kind: 'values', values: [true, false] }, [true, false]),
  member('free', INTEGER, null, [-9, 0, 1, 5, 9]),
];

const call = (fn: Fn, ...args: Expr[]): Expr => ({ op: 'call', fn, args, type: BOOLEAN });
const constant = (value: string | number | boolean | null, type: Type): Expr => ({ op: 'const', value, type });

/** `alone`: members are compared with constants only. */
function comparison(random: Random, alone: boolean): Expr {
  const { read } = random.pick(MEMBERS);
  if (read.type.kind === 'boolean') return random.chance(0.5) ? read : call('==', read, constant(true, BOOLEAN));
  const written = (): Expr =>
    read.type.kind === 'integer'
      ? constant(random.int(0, 5), INTEGER)
      : constant(random.pick(['a', 'b', '', 'c']), STRING);
  const alike = MEMBERS.filter((one) => one.read.type.kind === read.type.kind);
  const other = (): Expr => (alone || random.chance(0.8) ? written() : random.pick(alike).read);
  if (random.chance(0.2)) {
    const items = [written(), written()];
    return call('in', read, { op: 'list', items, type: { kind: 'list', of: items[0]!.type, nullable: false } });
  }
  const ordered = read.type.kind === 'integer' && !read.type.nullable && random.chance(0.6);
  if (!ordered) return call(random.pick(['==', '!=']), read, other());
  const beside = other();
  return beside.type.nullable ? call('==', read, beside) : call(random.pick(['<', '<=', '>', '>=']), read, beside);
}

function condition(random: Random, depth: number, alone = false): Expr {
  if (depth === 0 || random.chance(0.2)) return comparison(random, alone);
  const [a, b] = [condition(random, depth - 1, alone), condition(random, depth - 1, alone)];
  if (random.chance(0.2)) return call('not', a);
  if (random.chance(0.1)) return { op: 'if', test: comparison(random, alone), then: a, else: b, type: BOOLEAN };
  return call(random.pick(['and', 'or']), a, b);
}

/** The results of a condition for all values that the members may have. */
function resultsOf(expr: Expr): Set<unknown> {
  let all: Array<ReadonlyMap<string, Expr>> = [new Map()];
  for (const { read, values } of MEMBERS) {
    if (!show(expr).includes(show(read))) continue;
    all = all.flatMap((known) =>
      values.map((value) => new Map([...known, [show(read), constant(value, read.type)] as const])),
    );
  }
  return new Set(
    all.map((known) => {
      const filled = (part: Expr): Expr => known.get(show(part)) ?? mapParts(part, filled);
      return toJavaScript(filled(expr), layoutOf('Nothing is named'))(emptyFrame(0, ''));
    }),
  );
}

const domainOf = (read: Expr): Domain | null => MEMBERS.find((one) => show(one.read) === show(read))?.domain ?? null;

test('what is said to hold always, or never, does so for every value', () => {
  const said = { always: 0, never: 0, neither: 0 };
  for (let i = 0; i < times(800, 4000); i++) {
    const expr = condition(Random.of(20261127, i), 3);
    const result = new Outcomes(domainOf).decided(expr);
    said[result ?? 'neither']++;
    if (result) assert.deepEqual([...resultsOf(expr)], [result === 'always'], `${show(expr)} is ${result}`);
  }
  assert.ok(said.always > 20 && said.never > 20 && said.neither > 200, JSON.stringify(said));
});

test('what comes out the same for every value is found where values are compared with constants', () => {
  const missed: string[] = [];
  for (let i = 0; i < times(800, 4000); i++) {
    const expr = condition(Random.of(20261128, i), 2, true);
    if (show(expr).includes('free')) continue;
    const results = resultsOf(expr);
    if (results.size === 1 && !new Outcomes(domainOf).decided(expr)) missed.push(show(expr));
  }
  assert.deepEqual(missed, []);
});
