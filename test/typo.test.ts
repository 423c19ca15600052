import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Compiled, compile } from '../src/compiler/compile.ts';
import type { Finding } from '../src/syntax/diagnostic.ts';
import type { Mark } from '../src/syntax/phrase.ts';
import { contract, documents, placeOf } from './fixtures.ts';
import { share } from './share.ts';

/** How many words of a document a run misspells: the document is compiled for each. */
const MOST = 2;

for (const { name, text } of documents()) {
  const settled = compile(name, text);

  test(`every contract character of ${name} is understood`, () => {
    assert.deepEqual(settled.findings, []);
    assert.deepEqual(notUnderstood(text, settled), []);
  });

  test(`every misspelt word and name of ${name} is reported where it stands`, () => misspellUses(settled));

  test(`every misspelt declaration of ${name} is reported where the name is used`, () => misspellDeclarations(settled));
}

function misspellUses(settled: Compiled): void {
  const tally = {
    word: 0,
    use: 0,
    value: 0,
    accepted: [] as string[],
    place: [] as string[],
    suggestion: [] as string[],
  };
  const { cases, which } = share(distinct(settled, ['word', 'use']), MOST, 24);
  for (const mark of cases) {
    const written = textOf(settled, mark);
    for (const misspelt of misspellings(written)) {
      if (validThere(settled, written, misspelt)) continue;
      tally[mark.role as 'word' | 'use']++;
      const { compiled, what } = misspell(settled, mark, misspelt);
      const errors = compiled.findings.filter((finding) => finding.severity === 'error');
      const here = errors.filter(
        ({ span }) => span && span.from >= mark.from && span.to <= mark.from + misspelt.length,
      );
      if (errors.length === 0 && isValue(compiled, mark, misspelt)) tally.value++;
      else if (errors.length === 0 || compiled.plan) tally.accepted.push(what);
      else if (here.length === 0)
        tally.place.push(`${what}: ${errors.map((e) => `${placeOf(compiled, e)} ${e.message}`).join(' / ')}`);
      else if (letters(written) >= 4 && !here.some((e) => names(`${e.message} ${e.suggestion}`, written)))
        tally.suggestion.push(`${what}: ${here.map((e) => e.message).join(' / ')}`);
    }
  }
  const { accepted, place, suggestion } = tally;
  console.log(
    `${settled.name} (${which}): misspelt words ${tally.word}, uses ${tally.use}; values ${tally.value}, accepted ${accepted.length}, at the wrong place ${place.length}, without the suggestion ${suggestion.length}`,
  );
  assert.deepEqual({ accepted, place, suggestion }, { accepted: [], place: [], suggestion: [] });
}

function misspellDeclarations(settled: Compiled): void {
  const astray: string[] = [];
  const renamed: string[] = [];
  let tried = 0;
  const { cases, which } = share(distinct(settled, ['declaration']), MOST, 16);
  for (const mark of cases) {
    const written = textOf(settled, mark);
    for (const misspelt of misspellings(written)) {
      if (validThere(settled, written, misspelt)) continue;
      tried++;
      const { compiled, what } = misspell(settled, mark, misspelt);
      const errors = compiled.findings.filter((finding) => finding.severity === 'error');
      const isUse = ({ from, to }: { from: number; to: number }): boolean =>
        from !== mark.from && textOf(compiled, { from, to }).toLowerCase() === written.toLowerCase();
      const elsewhere = errors.filter((finding) => !(finding.span && isUse(finding.span)) && !isOfAnother(finding));
      if (elsewhere.length)
        astray.push(`${what}: ${elsewhere.map((e) => `${placeOf(compiled, e)} ${e.message}`).join(' / ')}`);
      if (errors.length === 0) renamed.push(written);
    }
  }
  console.log(
    `${settled.name}: misspelt declarations ${tried} (${which}); renamed ${renamed.length}, reported elsewhere ${astray.length}`,
  );
  console.log(`  declarations without uses: ${[...new Set(renamed)].join(', ')}`);
  assert.deepEqual(astray, []);
}

/**
 * Whether an error is where another statement has what the misspelt one no longer has: a field of entries has the values
 * of an audited field, and who may call a misspelt resource's endpoints nobody knows.
 */
const isOfAnother = ({ code, message }: Finding): boolean =>
  code === 'resources/audit-beyond' ||
  (code === 'expression/mismatch' && message.includes('an object with the members'));

/** Whether a message gives a word, in capitals or not. */
const names = (message: string, word: string): boolean => message.toLowerCase().includes(word.toLowerCase());

/** What a document says at a place. */
const textOf = ({ lines }: Compiled, { from, to }: { from: number; to: number }): string => lines.text.slice(from, to);

/** The document with one word misspelt, compiled. */
function misspell(settled: Compiled, mark: Mark, misspelt: string): { compiled: Compiled; what: string } {
  const { text } = settled.lines;
  const { line, column } = settled.lines.position(mark.from);
  return {
    compiled: compile(settled.name, text.slice(0, mark.from) + misspelt + text.slice(mark.to)),
    what: `${line}:${column} ${textOf(settled, mark)} → ${misspelt}`,
  };
}

/** The marks of some roles, each place once, that hold letters. */
function distinct(compiled: Compiled, roles: readonly Mark['role'][]): Mark[] {
  const places = new Map<string, Mark>();
  // The heading of a column may be declared and read in one.
  const declared = new Set(
    compiled.marks.filter((mark) => mark.role === 'declaration').map((mark) => `${mark.from} ${mark.to}`),
  );
  for (const mark of compiled.marks)
    if (
      (roles.includes('declaration') || !declared.has(`${mark.from} ${mark.to}`)) &&
      roles.includes(mark.role) &&
      /\p{L}/u.test(textOf(compiled, mark))
    )
      places.set(`${mark.from} ${mark.to}`, mark);
  return [...places.values()].sort((a, b) => a.from - b.from);
}

/** A word with two neighbouring letters swapped, and with a letter doubled or dropped. */
function misspellings(word: string): string[] {
  const at = [...word].flatMap((c, i) => (/\p{L}/u.test(c) ? [i] : []));
  const swaps = at.filter((i) => at.includes(i + 1) && word[i] !== word[i + 1]);
  const middle = <T>(list: readonly T[]): T | undefined => list[Math.floor(list.length / 2)];
  const swap = middle(swaps);
  const letter = middle(at)!;
  const out = swap === undefined ? [] : [word.slice(0, swap) + word[swap + 1] + word[swap] + word.slice(swap + 2)];
  const drop = word.length > 3 && word.length % 2 === 0;
  out.push(word.slice(0, letter) + (drop ? '' : word[letter]!.repeat(2)) + word.slice(letter + 1));
  return out;
}

const letters = (word: string): number => [...word].filter((c) => /\p{L}/u.test(c)).length;

/** Where a misspelling is itself another word or name, nobody can tell that it is one. */
function validThere(compiled: Compiled, written: string, misspelt: string): boolean {
  if (['a', 'an'].includes(written) && ['a', 'an'].includes(misspelt)) return true;
  return compiled.marks.some((mark) => mark.role === 'declaration' && textOf(compiled, mark) === misspelt);
}

/** Where the document may put a word of its own, a misspelt one is another value. */
const isValue = ({ marks }: Compiled, { from }: Mark, misspelt: string): boolean =>
  marks.some((mark) => mark.role === 'value' && mark.from === from && mark.to === from + misspelt.length);

/** The contract characters that lie in no mark, and the identifiers in expressions that no checker has looked at. */
function notUnderstood(source: string, compiled: Compiled): string[] {
  const covered = new Uint8Array(source.length);
  const pieces = new Uint8Array(source.length);
  for (const mark of compiled.marks) {
    covered.fill(1, mark.from, mark.to);
    if (mark.role !== 'expression') pieces.fill(1, mark.from, mark.to);
  }
  const out: string[] = [];
  const say = (from: number): void => {
    const { line, column } = compiled.lines.position(from);
    out.push(`${line}:${column} ${source.slice(from, from + 20)}`);
  };
  for (const text of contract(source))
    for (let i = text.from; i < text.to; i++) if (!covered[i] && /[^\s`]/.test(source[i]!)) say(i);
  for (const mark of compiled.marks) {
    if (mark.role !== 'expression') continue;
    const code = source
      .slice(mark.from, mark.to)
      .replace(/"(?:[^"\\]|\\.)*"/g, (literal) => ' '.repeat(literal.length));
    for (const match of code.matchAll(/[A-Za-z_]\w*/g))
      if (!['true', 'false', 'null', 'in'].includes(match[0]) && !pieces[mark.from + match.index])
        say(mark.from + match.index);
  }
  return out;
}
