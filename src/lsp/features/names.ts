import { type Compiled, compile } from '../../compiler/compile.ts';
import type { Finding } from '../../syntax/diagnostic.ts';
import type { Mark } from '../../syntax/phrase.ts';
import type { Span } from '../../syntax/span.ts';
import type { Analysis } from './analysis.ts';

/**
 * Names of a document, found by what `check` says: when a declaration gets another name, each use of the old one is an
 * error at its place. So the uses are those of the language itself, in expressions, too, and need no second resolution.
 */
export class Names {
  private readonly compiled: Compiled;
  private readonly text: string;
  /** The declarations, each place once. */
  private readonly declarations: readonly Mark[];
  /** The words of the document, with those of dotted names. */
  private readonly words: ReadonlySet<string>;

  constructor({ compiled, positions }: Pick<Analysis, 'compiled' | 'positions'>) {
    this.compiled = compiled;
    this.text = positions.text;
    const marks = new Map(compiled.marks.filter(({ role }) => role === 'declaration').map((one) => [one.from, one]));
    this.words = new Set(this.text.split(/[^\p{L}\p{N}_:-]+/u));
    this.declarations = [...marks.values()].sort((a, b) => a.from - b.from);
  }

  /** The declaration of the name at a place, itself or of its use; null where no name is. */
  declarationAt(offset: number): Span | null {
    const isAt = ({ from, to }: Span): boolean => from <= offset && offset <= to;
    const own = this.declarations.find(isAt);
    if (own) return own;
    const uses = this.compiled.marks.filter(({ role }) => role === 'use' || role === 'value' || role === 'expression');
    const word = this.wordAt(offset);
    if (!word || !uses.some(isAt)) return null;
    const name = this.slice(word);
    const same = this.declarations.filter((one) => this.slice(one) === name);
    const declared = same.length > 0 ? same : this.statesNamed(name);
    if (declared.length <= 1) return declared[0] ?? null;
    return declared.find((one) => this.usesOf(one).some(isAt)) ?? null;
  }

  /** The uses of the name that is declared at a place. */
  usesOf(declaration: Span): Span[] {
    const name = this.slice(declaration);
    const stranger = this.stranger(name);
    if (stranger === null) return [];
    const known = new Set(this.compiled.findings.map(sayingOf));
    const found = new Map<number, Span>();
    const replaced = (): string => {
      let text = this.text;
      for (const { from, to } of [declaration, ...found.values()])
        text = text.slice(0, from) + stranger + text.slice(to);
      return text;
    };
    // Findings that follow from another are held back: they come once its place has the new name, too.
    for (let before = -1; before < found.size; ) {
      before = found.size;
      const { findings } = compile(this.compiled.name, replaced());
      for (const finding of findings)
        if (!known.has(sayingOf(finding)))
          for (const span of [finding.span, ...finding.related]) {
            const use = span && this.nameIn(span, name, finding);
            if (use && use.from !== declaration.from) found.set(use.from, use);
          }
    }
    return [...found.values()].sort((a, b) => a.from - b.from);
  }

  /** Whether a document with a declaration and its uses renamed has the findings that it had. */
  isRenamed(declaration: Span, uses: readonly Span[], name: string): boolean {
    const places = [declaration, ...uses].sort((a, b) => b.from - a.from);
    const text = places.reduce((out, { from, to }) => out.slice(0, from) + name + out.slice(to), this.text);
    const { findings } = compile(this.compiled.name, text);
    return findings.length <= this.compiled.findings.length;
  }

  /** The word at an offset, as names are written. */
  private wordAt(offset: number): Span | null {
    const before = /[\p{L}\p{N}_-]*$/u.exec(this.text.slice(0, offset))?.[0].length ?? 0;
    const after = /^[\p{L}\p{N}_-]*/u.exec(this.text.slice(offset))?.[0].length ?? 0;
    return before + after === 0 ? null : { from: offset - before, to: offset + after };
  }

  /** The states of that name, which the allowed values of fields list. */
  private statesNamed(name: string): Span[] {
    const { resources, states } = this.compiled.model;
    const fields = states.machines.flatMap(({ resource, field }) =>
      resources.list.flatMap((one) =>
        one.name.text === resource.text ? one.fields.filter((each) => each.name.text === field.text) : [],
      ),
    );
    return fields.flatMap(({ allowed }) =>
      allowed?.value.kind === 'one of' ? allowed.value.values.filter(({ text }) => text === name) : [],
    );
  }

  /** The place of a name in the span of a finding that is about it. */
  private nameIn({ from, to }: Span, name: string, { found }: Finding): Span | null {
    if (found !== null && found !== name && !found.split(/[^\p{L}\p{N}_:-]/u).includes(name)) return null;
    const text = this.text.slice(from, to);
    const at = [...text.matchAll(/[\p{L}\p{N}_.:-]+/gu)].flatMap((match) => {
      const [word] = match;
      const start =
        word === name
          ? 0
          : word.endsWith(`.${name}`)
            ? word.length - name.length
            : word.startsWith(`${name}.`)
              ? 0
              : -1;
      return start < 0 ? [] : match.index + start;
    });
    const last = at.at(-1);
    return last === undefined ? null : { from: from + last, to: from + last + name.length };
  }

  /** A name of the same length and kind that the document does not have; null where there is none. */
  private stranger(name: string): string | null {
    const first = /^\p{Lu}/u.test(name) ? 'Z' : 'z';
    for (const letter of 'qxjkvwzy') {
      const one = name.length === 1 ? letter : first + letter.repeat(name.length - 1);
      if (!this.words.has(one.slice(0, name.length))) return one.slice(0, name.length);
    }
    return null;
  }

  private slice({ from, to }: Span): string {
    return this.text.slice(from, to);
  }
}

/** A finding as it was before a name changed, by its place: all names keep their length. */
const sayingOf = ({ code, span, message }: Finding): string => `${code} ${span?.from} ${message}`;
