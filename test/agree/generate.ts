import { fc } from '../seeded.ts';
import { texts as characters } from './world.ts';

/** What an expression may name where it stands: rows of Thing, and rows of Shelf. */
interface Where {
  readonly things: readonly string[];
  readonly shelves: readonly string[];
  /** Texts and integers that macros have bound. */
  readonly words: readonly string[];
  readonly numbers: readonly string[];
}

/** Writes an expression of one type, for where it stands. */
type Make = (where: Where) => string;

const quoted = (text: string): string => JSON.stringify(text);
const pick = <T>(list: readonly T[], n: number): T => list[n % list.length]!;
const fixed = (...texts: string[]): fc.Arbitrary<Make> => fc.constantFrom(...texts).map((text) => () => text);
const literal = characters.map(
  (text): Make =>
    () =>
      quoted(text),
);

/** What a row in scope has. */
const field = (...names: string[]): fc.Arbitrary<Make> =>
  fc.tuple(fc.constantFrom(...names), fc.nat()).map(
    ([name, n]) =>
      ({ things }) =>
        `${pick(things, n)}.${name}`,
  );
const shelfField = (name: string): fc.Arbitrary<Make> =>
  fc.nat().map(
    (n) =>
      ({ shelves }) =>
        `${pick(shelves, n)}.${name}`,
  );

/** Several expressions put together. */
function of(write: (...parts: string[]) => string, ...parts: fc.Arbitrary<Make>[]): fc.Arbitrary<Make> {
  return fc.tuple(...parts).map((makes) => (where) => write(...makes.map((make) => make(where))));
}

/** One that may be absent, with something in its place where it is. */
const orElse = (maybe: fc.Arbitrary<Make>, other: fc.Arbitrary<Make>): fc.Arbitrary<Make> =>
  of((a, b) => `(${a} != null ? ${a} : ${b})`, maybe, other);

/** A macro over rows: what stands in it may name their row. */
function over(
  write: (name: string, body: string) => string,
  body: fc.Arbitrary<Make>,
  kind: 'things' | 'shelves' | 'words' | 'numbers',
): fc.Arbitrary<Make> {
  return body.map((make) => (where) => {
    const name = `v${where.things.length + where.shelves.length + where.words.length + where.numbers.length}`;
    return write(name, make({ ...where, [kind]: [...where[kind], name] }));
  });
}

/** A macro over a list that is put together. */
const through = (
  list: fc.Arbitrary<Make>,
  macro: string,
  body: fc.Arbitrary<Make>,
  kind: 'words' | 'numbers',
): fc.Arbitrary<Make> =>
  of(
    (a, b) => `${a}.${macro}${b}`,
    list,
    over((v, text) => `(${v}, ${text})`, body, kind),
  );

interface Kinds {
  truth: Make;
  number: Make;
  text: Make;
  instant: Make;
  lasting: Make;
  price: Make;
  day: Make;
  words: Make;
  numbers: Make;
  thing: Make;
}

const deep = { maxDepth: 3, depthIdentifier: 'expression' } as const;
const COMPARE = ['==', '!=', '<', '<=', '>', '>='];

const made = fc.letrec((tie: fc.LetrecTypedTie<Kinds>) => {
  const [truth, number, text, instant] = [tie('truth'), tie('number'), tie('text'), tie('instant')];
  const [lasting, price, day, words, numbers] = [
    tie('lasting'),
    tie('price'),
    tie('day'),
    tie('words'),
    tie('numbers'),
  ];
  const thing = tie('thing');
  const zone = fc.oneof(fixed('"Asia/Kathmandu"', '"+05:30"', '"UTC"'), shelfField('zone'));
  const bound = (kind: 'words' | 'numbers', other: string): fc.Arbitrary<Make> =>
    fc.nat().map((n) => (where) => (where[kind].length ? pick(where[kind], n) : other));
  const divisor = fc.oneof(
    field('number', 'near', 'twice'),
    of((a, b) => `(${a} - ${b})`, number, number),
  );
  const compared = (...both: fc.Arbitrary<Make>[]): fc.Arbitrary<Make>[] =>
    both.map((one) => fc.constantFrom(...COMPARE).chain((sign) => of((a, b) => `(${a} ${sign} ${b})`, one, one)));
  const condition = (kind: 'things' | 'shelves'): fc.Arbitrary<[string, Make]> =>
    fc.tuple(
      fc.constantFrom('exists', 'all', 'exists_one'),
      over((v, body) => `(${v}, ${body})`, truth, kind),
    );
  return {
    truth: fc.oneof(
      deep,
      field('flag'),
      fixed('true', 'false'),
      of((a) => `((${a} != null) == true)`, field('maybe', 'note', 'mark', 'twin', 'until', 'weight', 'card')),
      of((a) => `((${a} == null) == true)`, fixed('wanted', 'word')),
      of((a) => `(${a} in ["draft", "open"])`, field('status')),
      ...compared(number, text, instant, lasting, price, day),
      of((a) => `(${a} == wanted)`, number),
      of((a) => `(word != ${a})`, text),
      of((a, b) => `(${a} == ${b})`, field('mark'), truth),
      of((a, b) => `(${a} == ${b})`, field('note', 'text'), text),
      of((a, b) => `(${a} && ${b})`, truth, truth),
      of((a, b) => `(${a} || ${b})`, truth, truth),
      of((a) => `!${a}`, truth),
      of((a, b, c) => `(${a} ? ${b} : ${c})`, truth, truth, truth),
      of((a, b) => `((word != null && ${a}.contains(word + ${b})) == true)`, field('text'), literal),
      ...['contains', 'startsWith', 'endsWith'].map((fn) => of((a, b) => `${a}.${fn}(${b})`, text, text)),
      of((a) => `${a}.matches("^[aB]|é.*-$")`, text),
      of((a, b) => `(${a} in ${b})`, text, words),
      of((a, b) => `(${a} in ${b})`, number, numbers),
      of((a, b) => `(${a} in ${b})`, text, field('marks')),
      of((a) => `has(${a}.a)`, field('marks')),
      of((a, b) => `(${a} == ${b} || ${a} == {"a": "b"})`, field('marks'), field('marks')),
      of((a, b) => `(${a} != null && ${a}.points == ${b})`, field('card'), field('number', 'maybe')).map(
        (make) => (where: Where) => `(${make(where)} == true)`,
      ),
      through(field('marks'), 'exists', truth, 'words'),
      of((a, b) => `(${a} in [${b}, 3])`, field('maybe', 'number'), number),
      of((a, b) => `([${a}] in [[${b}], [true, false]])`, truth, truth),
      of((a, b) => `({"a": ${a}} in [{"a": ${b}}, {"b": true}])`, truth, truth),
      of((a, b) => `(${a} == ${b})`, words, words),
      of((a, b) => `(${a} != ${b})`, numbers, numbers),
      of((a, b) => `(${a} == ${b})`, thing, thing),
      of((a, b) => `(${a} == ${b})`, field('twin'), thing),
      of((a) => `(${a}.exists(x, x) || [true] == ${a}.distinct())`, field('flags')),
      condition('things').map(
        ([fn, body]) =>
          (where: Where) =>
            `Thing.${fn}${body(where)}`,
      ),
      condition('shelves').map(
        ([fn, body]) =>
          (where: Where) =>
            `Shelf.${fn}${body(where)}`,
      ),
      fc
        .tuple(
          fc.constantFrom('exists', 'all', 'exists_one'),
          words,
          over((v, body) => `(${v}, ${body})`, truth, 'words'),
        )
        .map(
          ([fn, list, body]) =>
            (where: Where) =>
              `${list(where)}.${fn}${body(where)}`,
        ),
    ),
    number: fc.oneof(
      deep,
      fc.integer({ min: -9, max: 9 }).map(
        (n): Make =>
          () =>
            `(${n})`,
      ),
      field('number', 'twice'),
      field('near'),
      shelfField('size'),
      shelfField('cards'),
      of((a) => `${a}.size()`, field('marks')),
      of((a) => `Card.map(c, c.points + ${a}).sum()`, number),
      of(
        (a) =>
          `Thing.map(t, t.card).filter(c, c != null).filter(c, c.points != null).map(c, c.points != null ? c.points : ${a}).sum()`,
        number,
      ),
      of((a) => `size(${a})`, shelfField('name')),
      bound('numbers', '7'),
      orElse(fc.oneof(field('maybe'), fixed('wanted')), number),
      of((a, b) => `(${a} + ${b})`, number, number),
      of((a, b) => `(${a} - ${b})`, number, number),
      of((a) => `(${a} * 3)`, number),
      of((a) => `(-${a})`, number),
      of((a, b, c) => `(${b} + 0 != 0 ? ${a} / (${b} + 0) : ${c})`, number, divisor, number),
      orElse(
        of((a, b) => `(${a} % (${b} - 0))`, number, divisor),
        number,
      ),
      of((a) => `size(${a})`, text),
      of((a) => `${a}.size()`, words),
      of((a) => `${a}.sum()`, numbers),
      of((a, b) => `${a}.indexOf(${b})`, text, text),
      orElse(
        of((a) => `int(${a} + "")`, text),
        number,
      ),
      orElse(
        fc.tuple(numbers, fc.constantFrom('min()', 'max()', 'first()', 'last()')).map(
          ([list, fn]) =>
            (where: Where) =>
              `${list(where)}.${fn}`,
        ),
        number,
      ),
      orElse(
        of((a, b) => `${a}[${b}]`, numbers, number),
        number,
      ),
      fixed('int("12")'),
      of((a, b) => `math.greatest(${a}, ${b})`, number, number),
      of((a) => `math.abs(${a})`, number),
      of((a) => `math.round(${a})`, price),
      of((a, b) => `(${a} - ${b})`, day, day),
      fc
        .tuple(
          instant,
          fc.constantFrom('Hours', 'Minutes', 'Date', 'DayOfWeek', 'DayOfYear', 'Month', 'FullYear'),
          zone,
        )
        .map(
          ([at, part, zoned]) =>
            (where: Where) =>
              `${at(where)}.get${part}(${zoned(where)})`,
        ),
      of((a) => `${a}.getHours()`, lasting),
      over((v, body) => `Thing.filter(${v}, ${body}).size()`, truth, 'things'),
      over((v, body) => `Thing.map(${v}, ${body}).sum()`, number, 'things'),
      orElse(
        over((v, body) => `Thing.map(${v}, ${body}).max()`, number, 'things'),
        number,
      ),
      orElse(
        over((v, body) => `Thing.sortBy(${v}, ${body}).map(w, w.number).first()`, text, 'things'),
        number,
      ),
      over((v, body) => `Shelf.filter(${v}, ${body}).map(w, w.name).distinct().size()`, truth, 'shelves'),
    ),
    text: fc.oneof(
      deep,
      literal,
      orElse(
        of((a, b) => `${a}[${b}]`, field('marks'), text),
        text,
      ),
      field('text', 'label', 'id'),
      of((a) => `(${a} + "")`, field('status')),
      shelfField('name'),
      bound('words', '"w"'),
      orElse(fc.oneof(field('note'), fixed('word')), text),
      of((a, b) => `(${a} + ${b})`, text, text),
      of((a) => `string(${a})`, fc.oneof(number, price, instant, day, lasting)),
      ...['lower', 'upper', 'lowerAscii', 'trim', 'slug', 'reverse'].map((fn) => of((a) => `${a}.${fn}()`, text)),
      of((a, b) => `${a}.substring(${b})`, text, number),
      of((a, b) => `${a}.charAt(${b})`, text, number),
      of((a, b, c) => `${a}.replace(${b}, ${c})`, text, text, text),
      of((a) => `${a}.join("-")`, words),
      of((a, b) => `${a}.format("yyyy-MM-dd HH:mm:ss.SSS EEE xxx", ${b})`, instant, zone),
      orElse(
        of((a) => `${a}.first()`, words),
        text,
      ),
      of((a, b) => `(${a} != null ? ${a}.text : ${b})`, field('twin'), text),
      of((a, b, c) => `(${a} ? ${b} : ${c})`, truth, text, text),
      orElse(
        over((v, body) => `Thing.map(${v}, ${body}).min()`, text, 'things'),
        text,
      ),
    ),
    instant: fc.oneof(
      deep,
      field('at'),
      fixed('timestamp("2026-10-25T01:30:00Z")', 'now()'),
      orElse(field('until'), instant),
      orElse(shelfField('last'), instant),
      of((a, b) => `(${a} + ${b})`, instant, lasting),
      of((a, b) => `(${a} - ${b})`, instant, lasting),
      of((a, b) => `timestamp(${a}, ${b})`, day, zone),
    ),
    lasting: fc.oneof(
      deep,
      field('length'),
      fixed('duration("90m")', 'duration("-1.5s")'),
      of((a, b) => `(${a} - ${b})`, instant, instant),
      of((a, b) => `(${a} + ${b})`, field('length'), lasting),
    ),
    price: fc.oneof(
      deep,
      field('price'),
      fixed('1.5', '0.125', '(-2.00)'),
      orElse(field('weight'), price),
      of((a, b) => `(${a} + ${b})`, field('price', 'number'), field('price')),
      of((a, b) => `(${a} * ${b})`, field('price', 'number'), field('price')),
      of((a) => `math.round(${a} * 0.19, 2)`, field('price')),
      of((a) => `math.floor(${a}, 1)`, price),
      orElse(
        of((a, b) => `math.divide(${a}, ${b}, 2)`, field('price', 'number'), field('number', 'near')),
        price,
      ),
      over((v, body) => `Thing.filter(${v}, ${body}).map(w, w.price).sum()`, truth, 'things'),
    ),
    day: fc.oneof(
      deep,
      field('day'),
      fixed('date("2028-02-29")'),
      of((a, b) => `(${a} + ${b})`, day, field('number')),
      of((a, b) => `date(${a}, ${b})`, instant, zone),
    ),
    words: fc.oneof(
      deep,
      field('tags'),
      of((a, b) => `(${a} != null ? ${a}.tags : ${b})`, field('twin'), words),
      fixed('words', '["a", "é"]'),
      of((a, b) => `[${a}, ${b}]`, text, text),
      of((a, b) => `(${a} + ${b})`, words, words),
      of((a) => `${a}.split("-")`, text),
      ...['distinct', 'sort', 'reverse'].map((fn) => of((a) => `${a}.${fn}()`, words)),
      of((a, b) => `${a}.slice(1, ${b})`, words, number),
      through(words, 'filter', truth, 'words'),
      through(words, 'sortBy', number, 'words'),
      over((v, body) => `Thing.map(${v}, ${body})`, text, 'things'),
      over((v, body) => `Thing.sortBy(${v}, ${body}).reverse().map(w, w.id)`, text, 'things'),
      over((v, body) => `Thing.map(${v}, ${body}).flatten()`, words, 'things'),
    ),
    numbers: fc.oneof(
      deep,
      field('sizes'),
      of((a, b) => `(${a} != null ? ${a}.sizes : ${b})`, field('twin'), numbers),
      fixed('[1, 2, 2]'),
      of((a, b) => `[${a}, ${b}]`, number, number),
      of((a) => `${a}.sort().distinct()`, numbers),
      through(words, 'map', number, 'words'),
      through(numbers, 'filter', truth, 'numbers'),
      over((v, body) => `Thing.filter(${v}, ${body}).map(w, w.number)`, truth, 'things'),
      over((v, body) => `Thing.sortBy(${v}, ${body}).map(w, w.twice)`, instant, 'things'),
    ),
    thing: fc.oneof(
      fc.nat().map(
        (n): Make =>
          ({ things }) =>
            pick(things, n),
      ),
      fixed('mine'),
    ),
  };
});

const TOP: Where = { things: ['this', 'this', 'mine'], shelves: ['this.shelf', 'mine.shelf'], words: [], numbers: [] };

/** Conditions over a row of Thing, and expressions of every type, as CEL. */
export const conditions: fc.Arbitrary<string> = made.truth.map((make) => make(TOP));
const maps = fc.oneof(
  of((a, b) => `{"b": ${a}, "a": ${b}}`, made.truth, made.truth),
  of((a, b) => `{"in": {"b": ${a}}, "a": {"ids": ${b}}}`, field('id'), field('id', 'text')),
  of((a, b) => `[{"b": [${a}]}, {"a": [${b}]}]`, made.truth, made.truth),
);
export const values: fc.Arbitrary<string> = fc
  .oneof(made.number, made.text, made.words, made.numbers, made.instant, made.price, made.day, made.lasting, maps)
  .map((make) => make(TOP));
