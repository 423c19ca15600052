import { type CompletionItem, CompletionItemKind } from 'vscode-languageserver/node';
import { compile } from '../../compiler/compile.ts';
import { Sites } from '../../compiler/edits/sites.ts';
import { METHODS } from '../../language/endpoints.ts';
import { BULLET_KEYS } from '../../language/keys.ts';
import { RESOURCE } from '../../language/resources.ts';
import { PART_HEADINGS } from '../../plan/parts.ts';
import type { Finding } from '../../syntax/diagnostic.ts';
import type { Span } from '../../syntax/span.ts';
import type { Analysis } from './analysis.ts';
import { type Caret, caretAt, findingsOf, finished } from './caret.ts';
import { expressionOffers, type Offered } from './expression-offers.ts';

/**
 * Texts that no document has: the first is never a word of the language, and the others are names that nothing declares,
 * of a resource and of anything else.
 */
const PROBES = ['“', '`“`', ';', 'zqxjkv', 'Zqxjkv'] as const;

/** A text that a place allows, and whether it is a word of the language or a name. */
interface Offer {
  readonly text: string;
  readonly kind: CompletionItemKind;
  /** The text to write, where it is more than the word. */
  readonly insert?: string;
  /** Whether more has to come before the place is right. */
  readonly isBegun?: boolean;
}

/**
 * The words and names that a place allows. The word that has been begun is replaced, and text behind it on the line counts
 * as still to be written.
 */
export function completionsAt(analysis: Analysis, offset: number): CompletionItem[] {
  const { text } = analysis.positions;
  const begun = /[\p{L}\p{N}_-]*$/u.exec(text.slice(0, offset))?.[0] ?? '';
  const from = offset - begun.length;
  const range = analysis.positions.range({ from, to: offset });
  const each = new Map(offersAt(analysis, from, offset).map((one) => [one.text, one]));
  return [...each.values()].map(({ text: label, kind, insert = label }) => ({
    label,
    kind,
    textEdit: { range, newText: insert },
  }));
}

function offersAt(analysis: Analysis, from: number, offset: number): Offer[] {
  const caret = caretAt(analysis, from, offset);
  const begun = analysis.positions.text.slice(from, offset);
  const { name } = analysis.compiled;
  const typed = expressions(expressionOffers(name, caret, begun));
  if (typed) return legalOf(name, caretAt(analysis, from, offset, true), begun, typed, isOfStatement);
  return legalOf(name, caret, begun, candidatesAt(analysis, from, caret));
}

function candidatesAt(analysis: Analysis, from: number, caret: Caret): Offer[] {
  const { text } = analysis.positions;
  const line = caret.before;
  const [, part] = /^## +(.*)$/.exec(line) ?? [];
  if (part !== undefined) return goingOn(part, partsLeft(text, from)).map(offered(CompletionItemKind.Module));
  const [, key] = /^\s*[-*+]\s+([^:`]*)$/.exec(line) ?? [];
  if (key !== undefined) {
    const { isOpen } = caret;
    return goingOn(key, keysAt(analysis, from)).map((text) => ({
      ...offered(CompletionItemKind.Property)(text),
      isBegun: isOpen,
    }));
  }
  if (/^\s*\|\s*$/.test(line)) {
    const isErrors = new Sites(analysis.compiled.blocks).partAt({ from, to: from }) === 'errors';
    const more = isErrors && isHeader(text, from) ? [offered(CompletionItemKind.Keyword)('Payload')] : [];
    return [...probed(analysis, caret), ...more];
  }
  if (/^#+\s+`?$/.test(line)) {
    const isBegun = !/^\w* \S/.test(caret.kept);
    return headingsAt(analysis, from, line).map((one) => ({ ...one, isBegun }));
  }
  if (/^#+\s+(?:Under\s+)?`[^`]*\{$/.test(line))
    return parametersOf(analysis, from).map(offered(CompletionItemKind.Variable));
  return probed(analysis, caret);
}

/** Whether an error is about the statement around an expression, and not about the types in it. */
const isOfStatement = (code: string): boolean => !code.startsWith('expression/');

/** The offers with which `check` reports no error at their place, whether the line goes on as it does or ends there. */
function legalOf(
  name: string,
  { head, tails, kept, word, isOpen }: Caret,
  begun: string,
  all: readonly Offer[],
  isCounted: (code: string) => boolean = () => true,
): Offer[] {
  const whole = begun + word;
  const start = head.search(/\S*$/);
  const errorsAt = (text: string, tail: string): Finding[] => {
    const to = head.length + text.length;
    // Of a statement that ends here, what is wrong as a whole may be right with what follows.
    const counts = ({ from, to: end }: Span): boolean => from < to && head.length < end && (!isOpen || start <= from);
    return compile(name, head + text + tail).findings.filter(
      ({ code, severity, span }) =>
        severity === 'error' &&
        isCounted(code) &&
        span &&
        (counts(span) || (code === 'language/missing' && to <= span.from && span.from <= to + 3)),
    );
  };
  const known = new Set(whole === '' ? [] : errorsAt(whole, kept).map(({ message }) => message));
  const isRightWith = (text: string, tail: string): boolean => {
    const errors = errorsAt(text, tail).filter(({ message }) => !known.has(message));
    if (errors.some(({ code }) => code !== 'language/missing')) return false;
    const [more] = errors.length > 0 ? finished(name, head + text, tail) : [];
    return (
      more === undefined ||
      errorsAt(text, more).every(({ code, message }) => code === 'language/missing' || known.has(message))
    );
  };
  const isRight = (text: string): boolean => {
    if (isRightWith(text, kept)) return true;
    if (
      isOpen &&
      [isRightBefore(text), ...stopsAt(name, head, text, tails[0]!).map((one) => isRightWith(text, one))].includes(true)
    )
      return true;
    if (tails[0] === kept) return false;
    // No other text behind the offer mends an error about its meaning.
    const meant = errorsAt(text, kept).some(
      ({ code, message }) => !code.startsWith('language/') && !known.has(message),
    );
    return !meant && isRightWith(text, tails[0]!);
  };
  /** Whether a name is right before what may follow: the field of a resource, or the form of a reference. */
  const isRightBefore = (text: string): boolean =>
    ['.zqxjkv', ' as zqxjkv'].some((more) =>
      errorsAt(`${text}${more}`, kept).every(({ span }) => span && span.from > head.length + text.length),
    );
  return all.filter(
    ({ text, insert = text, isBegun }) =>
      isBegun || (whole !== '' && (whole + kept).startsWith(insert)) || isRight(insert),
  );
}

const expressions = (all: readonly Offered[] | null): Offer[] | undefined =>
  all?.map(({ label, text, isFunction, isBegun }) => ({
    text: label,
    insert: text,
    isBegun,
    kind: isFunction ? CompletionItemKind.Function : CompletionItemKind.Variable,
  }));

/** Whether the line before a line is not of a table. */
const isHeader = (text: string, from: number): boolean =>
  !/^\s*\|/.test(
    text
      .slice(0, text.lastIndexOf('\n', from - 1))
      .split('\n')
      .at(-1) ?? '',
  );

const offered =
  (kind: CompletionItemKind) =>
  (text: string): Offer => ({ text, kind });

/** The rest of each text that begins with the words that are written already. */
const goingOn = (written: string, texts: readonly string[]): string[] =>
  texts.flatMap((text) => (text.startsWith(written) ? text.slice(written.length) : []));

/** The words and names that `check` lists when something else is written at a place. */
function probed({ compiled }: Analysis, { head, tails, kept, code }: Caret): Offer[] {
  const words = new Set<string>();
  const names = new Set<string>();
  /** Takes what is listed; says whether a name may be at the place at all. */
  const take = (probe: string, tail: string): boolean => {
    const findings = findingsOf(compiled.name, head + probe + tail).filter(
      ({ span }) => span && span.from <= head.length && head.length < span.to,
    );
    for (const { span, legal, code } of findings)
      for (const one of goingOn(head.slice(Math.min(span?.from ?? 0, head.length)), legal)) {
        if (PROBES.some((probe) => probe.includes(one)) || !/\p{L}/u.test(one)) continue;
        const text = (tail.startsWith('}') ? one.replace(/\}$/, '') : one).replace(/\s*….*$/, '');
        (!/zqxjkv/i.test(probe) && code.startsWith('language/') ? words : names).add(text.trimStart());
      }
    return !findings.some(({ code, span }) => code === 'language/unknown' && span?.from === head.length);
  };
  const begun = new Set<string>();
  for (const probe of ['“', ...(code ? [] : ['`“`', ';'])]) take(probe, tails[0]!);
  for (const probe of ['zqxjkv', 'Zqxjkv'] as const) {
    const count = (): number => [...names].filter((one) => !words.has(one)).length;
    const before = count();
    const [first, ...others] = tails;
    const isName = [take(probe, first!), kept !== first && take(probe, kept)].includes(true);
    const stop = isName ? [] : stopsAt(compiled.name, head, probe, first!);
    const more = isName
      ? [...others, ...finished(compiled.name, head + probe, first!)]
      : [...others.slice(-1), ...stop.flatMap((one) => [one, ...finished(compiled.name, head + probe, one)])];
    for (const tail of more) if (count() === before) take(probe, tail);
  }
  if (![...names].some((one) => /^\p{Lu}/u.test(one)) && !code) {
    const known = new Set(names);
    take('Zqxjkv.zqxjkv', ` absent${tails[0]}`);
    for (const one of names) if (!known.has(one)) begun.add(one);
  }
  // Words with a comma that may follow an item, such as `, each optional`, may also follow its comma.
  const item = /^(.*),\s+$/s.exec(head)?.[1];
  if (item !== undefined && !code)
    for (const { span, legal } of findingsOf(compiled.name, `${item} “${tails[0]}`))
      if (span && span.from > item.length && span.from <= item.length + 2)
        for (const one of legal) if (one.startsWith(', ')) words.add(one.slice(2));
  for (const one of words) names.delete(one);
  return [
    ...[...words].map(offered(CompletionItemKind.Keyword)),
    ...[...names].map((text) => ({ ...offered(CompletionItemKind.Variable)(text), isBegun: begun.has(text) })),
  ];
}

/** The text behind a word that may be one of several of a name, with the only word that may end the name. */
function stopsAt(name: string, head: string, probe: string, tail: string): string[] {
  const at = findingsOf(name, head + probe + tail).find(
    ({ code, span }) => code === 'language/unknown' && span?.from === head.length,
  );
  return at?.legal.length === 1 ? [` ${at.legal[0]}${tail}`] : [];
}

/** The headings of the parts that a document does not have on other lines. */
function partsLeft(text: string, from: number): string[] {
  const start = text.lastIndexOf('\n', from - 1) + 1;
  const others = `${text.slice(0, start)}${text.slice(start).replace(/^[^\n]*/, '')}`.split(/\r?\n/);
  return Object.values(PART_HEADINGS).filter((heading) => !others.includes(`## ${heading}`));
}

/** The beginnings of headings below a part. */
function headingsAt({ compiled }: Analysis, from: number, line: string): Offer[] {
  const sites = new Sites(compiled.blocks);
  const part = sites.partAt({ from, to: from });
  const code = line.endsWith('`') ? '' : '`';
  const { resources, states } = compiled.model;
  const texts =
    part === 'endpoints'
      ? [...METHODS.map((method) => `${code}${method}`), ...(code ? ['Under', 'Handler', 'Schedule', 'Tag'] : [])]
      : part === 'events'
        ? ['Webhook', 'Stream']
        : part === 'states'
          ? [
              ...states.machines.flatMap(({ transitions }) => transitions.map(({ name }) => `After ${name.text}`)),
              ...resources.list.flatMap(({ name, fields }) =>
                fields.flatMap(({ name: field, givenBy }) =>
                  givenBy?.value.some((one) => one.from === 'transitions') ? `${name.text}.${field.text}` : [],
                ),
              ),
            ]
          : [];
  return texts.map(offered(CompletionItemKind.Keyword));
}

/** The names of parameters of paths: those that a table declares, and those of other headings. */
function parametersOf({ compiled, positions: { text } }: Analysis, from: number): string[] {
  const start = text.lastIndexOf('\n', from - 1) + 1;
  const others = text.slice(0, start) + text.slice(start).replace(/^[^\n]*/, '');
  const { parameters, list } = compiled.model.endpoints;
  const rows = [...others.matchAll(/^\s*\|\s*([\w-]+)\s*\|\s*path\s*\|/gm)].map(([, name]) => name!);
  const declared = [...parameters, ...list.flatMap((one) => one.parameters)].filter((one) => one.in?.value === 'path');
  const named = [...others.matchAll(/^#+ (?:Under )?`([^`]*)`/gm)].flatMap(([, path]) =>
    [...path!.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!),
  );
  return [...new Set([...declared.map(({ name }) => name.text), ...rows, ...named])];
}

/** The keys of the bullets of a section that other bullets do not state. */
function keysAt({ compiled }: Analysis, from: number): string[] {
  const sites = new Sites(compiled.blocks);
  const section = sites.sectionsAt({ from, to: from })?.[0];
  const place = section && sites.placeOf(section);
  if (!section || !place) return [];
  const others = section.bullets.filter(({ span }) => from < span.from || span.to < from);
  const stated = new Set(others.map(({ key }) => sites.textOf(key)));
  const left = BULLET_KEYS[place].filter((key: string) => !stated.has(key) || REPEATED.has(key));
  return left.map((key: string) => (key.endsWith(' ') ? key : `${key}: `));
}

/** The bullets that a section may have several of. */
const REPEATED: ReadonlySet<string> = new Set(
  Object.entries({ ...RESOURCE }).flatMap(([key, statement]) =>
    'rules' in statement && statement.rules === 'several' ? key : [],
  ),
);
