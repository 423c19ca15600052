import { type Choice, type Edit, each, edit } from './edit.ts';
import type { Place } from './places.ts';

/** A stretch of inline code that is an expression, with text in quotes blanked. */
interface Code {
  readonly from: number;
  readonly to: number;
  readonly bare: string;
}

/** In a table, a bar that is none of its own. */
const OR = '||';

const OPERATORS: ReadonlyArray<readonly [RegExp, readonly string[]]> = [
  [/==/g, ['!=']],
  [/!=/g, ['==']],
  [/<=/g, ['<', '>=']],
  [/>=/g, ['>', '<=']],
  [/<(?!=)/g, ['<=', '>']],
  [/>(?!=)/g, ['>=', '<']],
  [/&&/g, [OR]],
  [/\|\||\\\|\\\|/g, ['&&']],
  [/(?<=\s)\+(?=\s)/g, ['-']],
  [/(?<=\s)-(?=\s)/g, ['+']],
  [/\btrue\b/g, ['false']],
  [/\bfalse\b/g, ['true']],
  [/!(?=[a-z(])/g, ['']],
  [/\bexists\b/g, ['all']],
  [/\ball\b/g, ['exists']],
  [/\bnow\(\)/g, ['now() + duration("1h")']],
  [/\.sum\(\)/g, ['.size()']],
  [/\.distinct\(\)/g, ['']],
  [/\.sort\(\)/g, ['']],
  [/\bnull\b/g, ['""', '0']],
  [/\.floor\(\)/g, ['.ceil()']],
  [/\bendsWith\b/g, ['startsWith']],
  [/\bcontains\b/g, ['startsWith']],
];

/** What the expressions of a statement can be changed to. `literals` are the texts that the document’s expressions hold. */
export function expressions(place: Place, literals: readonly string[]): Choice[] {
  if (place.form === 'heading') return [];
  return codes(place).flatMap((code) => [
    ...each([...operators(place.kind, code), ...halves(place.kind, code), ...branches(place.kind, code)]),
    ...texts(place, code, literals),
    ...negated(place, code),
  ]);
}

/** The stretches of inline code; patterns of text and header names are none, and compiling tells the rest apart. */
function codes(place: Place): Code[] {
  const text = place.source.slice(place.from, place.to);
  return [...text.matchAll(/`([^`]+)`/g)].flatMap(({ 1: content = '', index }) => {
    if (content.startsWith('/') || /^[A-Z][A-Za-z-]+(: |$)/.test(content)) return [];
    const from = place.from + index + 1;
    const bare = content.replace(/"[^"]*"/g, (quoted) => `"${' '.repeat(quoted.length - 2)}"`);
    return [{ from, to: from + content.length, bare }];
  });
}

function operators(kind: string, { from, bare }: Code): Edit[] {
  return OPERATORS.flatMap(([operator, others]) =>
    [...bare.matchAll(operator)].flatMap(({ 0: found, index }) =>
      others.map((other) =>
        edit(kind, `${found} to ${other || 'nothing'}`, from + index, from + index + found.length, other),
      ),
    ),
  );
}

/** One side of each `&&` and `||` alone. */
function halves(kind: string, { from, bare }: Code): Edit[] {
  return [...bare.matchAll(/\s(?:&&|\|\||\\\|\\\|)\s/g)].flatMap(({ 0: sign, index }) => {
    const begin = outward(bare, index, -1);
    const end = outward(bare, index + sign.length, 1);
    return [
      edit(kind, 'left side dropped', from + begin, from + index + sign.length, ''),
      edit(kind, 'right side dropped', from + index, from + end, ''),
    ];
  });
}

/** Where the operand that begins or ends at a place has its other end. */
function outward(bare: string, at: number, way: 1 | -1): number {
  const [open, close] = way === 1 ? ['([{', ')]}'] : [')]}', '([{'];
  let depth = 0;
  for (let i = way === 1 ? at : at - 1; i >= 0 && i < bare.length; i += way) {
    const sign = bare.charAt(i);
    if (open.includes(sign)) depth++;
    else if (close.includes(sign) && depth-- === 0) return way === 1 ? i : i + 1;
    else if (depth === 0 && ',?:'.includes(sign)) return way === 1 ? i : i + 1 + (bare[i + 1] === ' ' ? 1 : 0);
    else if (depth === 0 && /^(?:&&|\|\||\\\|)/.test(bare.slice(i, i + 2)) && way === 1) return i - 1;
    else if (depth === 0 && way === -1 && '&|'.includes(sign)) return i + 2;
  }
  return way === 1 ? bare.length : 0;
}

/** The two branches of each condition in each other's place. */
function branches(kind: string, { from, bare }: Code): Edit[] {
  const found = /\? ([^?:]+) : ([^?:]+)$/.exec(bare);
  if (!found?.[1] || !found[2]) return [];
  const at = from + found.index + 2;
  const second = at + found[1].length + 3;
  return [
    {
      kind,
      how: 'branches swapped',
      stretches: [
        { from: at, to: at + found[1].length, by: found[2] },
        { from: second, to: second + found[2].length, by: found[1] },
      ],
    },
  ];
}

/** Each text in quotes as another that the document holds, or else as one letter more. */
function texts(place: Place, code: Code, literals: readonly string[]): Choice[] {
  return [...place.source.slice(code.from, code.to).matchAll(/"([^"]*)"/g)].map(({ 0: quoted, 1: text, index }) => {
    const at = literals.indexOf(text ?? '');
    const others = [...literals.slice(at + 1), ...literals.slice(0, Math.max(at, 0))];
    const edits = [...others, `${text}x`].map((other) =>
      edit(place.kind, 'other text', code.from + index, code.from + index + quoted.length, `"${other}"`),
    );
    return { edits, most: 1 };
  });
}

function negated({ kind, source }: Place, { from, to, bare }: Code): Choice[] {
  if (/^[\w.]+$/.test(bare) && !/Require|If|Visible|Derived/.test(kind)) return [];
  return each([edit(kind, 'negated', from, to, `!(${source.slice(from, to)})`)]);
}
