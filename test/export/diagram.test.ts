import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../../src/compiler/compile.ts';
import type { Contract, StatesContract } from '../../src/contract/contract.ts';
import { contractOf } from '../../src/contract/contract-of.ts';
import type { Drawing } from '../../src/export/diagram/drawing.ts';
import { drawingsOf } from '../../src/export/diagram/drawings.ts';
import { type Box, type Placed, place } from '../../src/export/diagram/layout.ts';
import { widthOf } from '../../src/export/diagram/measure.ts';
import { svgOf } from '../../src/export/diagram/svg.ts';
import { documents, example } from '../fixtures.ts';
import { fc } from '../seeded.ts';
import { IN_WHOLE, times } from '../share.ts';

function contractIn(name: string, text: string): Contract {
  const { plan } = compile(name, text);
  assert.ok(plan);
  return contractOf(plan);
}

for (const { name, text } of documents())
  test(`the diagrams of ${name} are drawn without anything on top of anything else`, () => {
    const contract = contractIn(name, text);
    const drawings = [...drawingsOf(contract).values()];
    assert.ok(drawings.length > 0);
    for (const drawing of drawings) wellPlaced(drawing);
    const svg = svgOf(contract.title, drawings);
    wellFormed(svg);
    assert.equal(
      svg,
      svgOf(contract.title, [...drawingsOf(contractIn(name, text)).values()]),
      'it is the same each time',
    );
    for (const { states } of contract.resources)
      for (const value of states?.values ?? []) assert.ok(svg.includes(`>${value}</text>`), value);
  });

/** A contract whose only resource has these states and transitions. */
function machine(values: readonly string[], moves: ReadonlyArray<readonly [name: string, from: string, to: string]>) {
  const [base] = contractIn('orders.md', example('orders')).resources.filter((one) => one.states);
  assert.ok(base?.states);
  const [like] = base.states.transitions;
  assert.ok(like);
  const transitions = moves.map(([name, from, to]) => ({ ...like, name, from: [from], to, guard: null, timed: null }));
  const states: StatesContract = {
    ...base.states,
    values,
    initial: values[0] ?? '',
    final: values.slice(-1),
    transitions,
  };
  const contract = { ...contractIn('orders.md', example('orders')), resources: [{ ...base, fields: [], states }] };
  const drawing = drawingsOf(contract).get(base.name);
  assert.ok(drawing);
  return drawing;
}

const LONG = 'a_state_whose_name_is_much_longer_than_anybody_would_call_one_and_goes_on_and_on_and_on';
const WIDE = ['発送済み', '배송됨', 'مُسَلَّم', '👩‍👩‍👧‍👦 ready 🎉🎉🎉', 'é́́́', 'ﷺ﷽', 'W'.repeat(60)];

test('machines of every size and form are drawn so', () => {
  const many = Array.from({ length: 60 }, (_, i) => `s${i}`);
  const chain = many.slice(1).map((to, i): [string, string, string] => [`go${i}`, `s${i}`, to]);
  const back = many.map((from, i): [string, string, string] => [`back${i}`, from, `s${(i * 7) % 60}`]);
  for (const drawing of [
    machine(['only'], []),
    machine(['only'], [['stay', 'only', 'only']]),
    machine(
      ['a', 'b'],
      [
        ['go', 'a', 'b'],
        ['leave', 'a', 'b'],
        ['return', 'b', 'a'],
        ['stay', 'b', 'b'],
        ['wait', 'b', 'b'],
      ],
    ),
    machine(many.slice(0, 20), chain.slice(0, 19)),
    machine(many, chain),
    machine(many, [...chain, ...back]),
    machine(
      [LONG, `${LONG}_too`],
      [
        [LONG, LONG, `${LONG}_too`],
        [LONG, LONG, LONG],
      ],
    ),
    machine(
      WIDE,
      WIDE.map((one, i): [string, string, string] => [one, one, WIDE[(i + 1) % WIDE.length] ?? one]),
    ),
    // A state that nothing leads to.
    machine(['a', 'b', 'c'], [['go', 'a', 'b']]),
  ])
    wellPlaced(drawing);
});

test('so are machines that nobody thought of', IN_WHOLE, () => {
  const names = fc.array(fc.string({ minLength: 1, maxLength: 30, unit: 'binary' }), { minLength: 1, maxLength: 12 });
  const made = names.chain((list) => {
    const values = [...new Set(list)];
    const state = fc.constantFrom(...values);
    const moves = fc.array(fc.tuple(fc.string({ maxLength: 60 }), state, state), { maxLength: 25 });
    return moves.map((some) => machine(values, some));
  });
  for (const drawing of fc.sample(made, times(25, 100))) {
    wellPlaced(drawing);
    wellFormed(svgOf('A machine', [drawing]));
  }
});

test('text of a document is no markup, and acts on nothing', () => {
  const evil = '</text><script>alert(1)</script>&amp;\u0007\u202e\ud800\ufffe" onload="x';
  const svg = svgOf(evil, [machine([evil, 'b'], [[evil, evil, 'b']])]);
  wellFormed(svg);
  assert.ok(svg.includes('&lt;script&gt;'));
  assert.doesNotMatch(svg, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\ufffe\uffff]|<script|\sonload="/);
});

test('whoever doesn’t see it is told the same in words', () => {
  const { title } = contractIn('orders.md', example('orders'));
  const svg = svgOf(title, [...drawingsOf(contractIn('orders.md', example('orders'))).values()]);
  assert.match(svg, /^<svg [^>]*role="img" aria-labelledby="title desc"/);
  assert.match(svg, /<title id="title">Orders<\/title>/);
  assert.match(
    svg,
    /<desc id="desc">Order\.status: Order\.status begins as draft\. place \[quantity &lt;= 100 .*\] leads from draft to placed\./,
  );
  assert.match(svg, /expire, 1 day after created leads from draft to cancelled\./);
  assert.match(svg, /Final: delivered, cancelled\./);
  assert.match(svg, /Resources: The resources are Customer, Order\. Order\.customer names a row of Customer\./);
  assert.match(svg, /prefers-color-scheme:dark/);
});

/** Nothing lies on anything else, everything is inside, and lines fit into what they stand in. */
function wellPlaced(drawing: Drawing): void {
  const placed = place(drawing);
  const boxes: Array<Box & { readonly name?: readonly string[]; readonly lines: readonly string[] }> = [
    ...placed.nodes,
    ...placed.labels,
  ];
  const on = boxes.flatMap((one, i) =>
    boxes.slice(0, i).flatMap((other) => (overlap(one, other) ? [[one, other]] : [])),
  );
  assert.deepEqual(on, []);
  for (const one of boxes) {
    assert.ok(isInside(one, placed), JSON.stringify([one, placed.width, placed.height]));
    for (const line of [...(one.name ?? []), ...one.lines]) assert.ok(widthOf(line, 13) <= one.width, line);
  }
  const pairs = new Set(drawing.arrows.map((one) => JSON.stringify([one.from, one.to, one.dashed])));
  assert.equal(placed.arrows.length, pairs.size, 'each arrow is drawn');
  const said = placed.labels.map((one) => one.lines.join('')).join('\n');
  for (const label of drawing.arrows.flatMap((one) => one.labels))
    assert.ok(squeezed(said).includes(squeezed(label)), label);
}

const squeezed = (text: string): string => text.replace(/\s/g, '');

const overlap = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/** A pixel's thousandth is lost in adding up. */
const isInside = ({ x, y, width, height }: Box, whole: Placed): boolean =>
  x >= -0.001 && y >= -0.001 && x + width <= whole.width + 0.001 && y + height <= whole.height + 0.001;

/** Each element ends, attributes are quoted, and nothing comes from elsewhere or runs. */
function wellFormed(svg: string): void {
  const open: string[] = [];
  const rest = svg.replace(
    /<(\/?)([a-zA-Z]+)((?: [a-zA-Z:-]+="[^"<]*")*)(\/?)>/g,
    (_, end, name, _attributes, empty) => {
      if (end) assert.equal(open.pop(), name);
      else if (!empty) open.push(name);
      return '';
    },
  );
  assert.deepEqual(open, []);
  assert.doesNotMatch(rest, /[<>]|&(?!(?:amp|lt|gt|quot);)/);
  assert.deepEqual(svg.match(/https?:[^"]*/g), ['http://www.w3.org/2000/svg']);
  assert.doesNotMatch(svg.replace(/>[^<]*</g, '><'), /script|href|\son\w+=|url\((?!#)|@import/);
}
