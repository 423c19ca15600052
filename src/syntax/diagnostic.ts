import { keysOf } from '../text/own-members.ts';
import type { Span } from './span.ts';

/**
 * `error`: a statement is not understood, or cannot hold. `question`: a statement is missing. `notice`: a remark; the
 * document can be served unchanged.
 */
export type Severity = 'error' | 'question' | 'notice';

/** The kind of mistake that a finding reports, which decides whether the finding may follow from another. */
export type Standing =
  /** A mistake that keeps the rest of the document from being read at all. */
  | 'unread'
  /** Text that is not in the language. */
  | 'not understood'
  /** A statement that is understood and cannot hold. */
  | 'wrong'
  /** A blank cell in a row that states the rest. */
  | 'blank'
  | 'unsaid'
  /** The question that decides whether another statement can hold. */
  | 'deciding'
  /** A statement that nothing uses; text that is still to be written may use it. */
  | 'idle';

/** The effect of a finding on other findings. */
type Effect =
  /** Keeps the cells of a table, or a whole part, from being read. */
  | 'hides cells'
  /** Keeps the text below a heading from being read, where the finding concerns the heading. */
  | 'hides a section'
  /** A statement, or a part of it, is not understood: it may answer a question. */
  | 'hides a statement'
  /** A statement is written where it has no effect: no question asks for the statement as well. */
  | 'misplaces a statement'
  /** A name that nothing declares: text that is not understood may declare it. */
  | 'names a stranger'
  /** A declared name with characters that a name cannot have: uses of the correct name are not wrong. */
  | 'misnames'
  /** Text that is not understood may answer the finding. */
  | 'may be answered unread'
  /**
   * A sentence states that a part is empty, and the part is not: other findings in it, and unused names, may follow
   * from that.
   */
  | 'empties a part'
  /** A mistake of a whole column, reported at its first place. */
  | 'told once';

/** A statement, by what names it: the key of a bullet, the first cell of a row, the verb of a step. */
export interface Statement {
  readonly kind: 'bullet' | 'row' | 'step';
  readonly name: string;
}

/** A text to paste that is a whole statement. */
export interface Written {
  readonly text: string;
  readonly states: Statement;
}

export const bullet = (key: string, value: string): Written => ({
  text: `- ${key}: ${value}`,
  states: { kind: 'bullet', name: key },
});

export const row = (first: string, ...cells: readonly string[]): Written => ({
  text: `| ${[first, ...cells].join(' | ')} |`,
  states: { kind: 'row', name: first },
});

/** The first step of an endpoint. */
export const step = (verb: string, rest: string): Written => ({
  text: `1. ${verb} ${rest}`,
  states: { kind: 'step', name: verb },
});

/**
 * Where the text of a suggestion belongs, so that a program can put it there. `here`: in place of the finding’s span.
 * `statement`: as a bullet, row or step of its own, in the section of the finding. `end`: at the end of the statement at
 * the span, before its full stop. `below`: as a step below the one at the span. `nowhere`: there is no text.
 */
type Puts =
  | 'here'
  | 'statement'
  | 'end'
  | 'below'
  /** As the heading of a section in the part of the finding, or of the document. */
  | 'heading'
  | 'nowhere'
  /** The statement at the span is taken away. */
  | 'removal'
  /** The text of the span is taken away. */
  | 'out'
  /** The span becomes a bullet. */
  | 'bullet'
  /** In the cell of a column, in the row at the span; of each column where several are named. */
  | { readonly column: string };

/** One thing that is wrong or unsaid. Data: where, what, why it matters, and what could be written. */
export interface Finding {
  readonly code: string;
  /** The part of the document, or the area of the compiler, with which the code begins. */
  readonly part: string;
  readonly severity: Severity;
  readonly standing: Standing;
  readonly effects: readonly Effect[];
  /** Null while no line states the fact: once a document is compiled, the place where the fact could be stated. */
  readonly span: Span | null;
  readonly message: string;
  readonly why: string;
  /** Text to paste into the document, or null where there is no one sentence to offer. */
  readonly suggestion: string | null;
  /** The statement that the suggestion makes; null where it is a part of one. */
  readonly asks: Statement | null;
  /** Where the suggestion belongs. */
  readonly puts: Puts;
  /** Whether the suggestion is the only thing that the text can mean, so that a program may mend it unasked. */
  readonly sure: boolean;
  /** Other places of the document that the finding is about, too. */
  readonly related: readonly Span[];
  /** The words and names that are allowed in place of the text of the finding; empty where a list would not do. */
  readonly legal: readonly string[];
  /** The word that nothing declares, or that is not allowed at its place. */
  readonly found: string | null;
  /**
   * The kind of thing that `found` should name, such as a field of a resource. Several uses of one wrong name are one
   * mistake.
   */
  readonly owner: string | null;
  /** The endpoints that are not served until this is answered; null means all of them. */
  readonly endpoints: readonly string[] | null;
  /** The parameters of the catalogue's entry, such as the resource. */
  readonly params: Readonly<Record<string, string>>;
}

/** An entry that asks the same question of every document. */
export const question = (what: string, why: string, write: string | Written): Entry => ({
  severity: 'question',
  what: () => what,
  why,
  write: () => write,
});

type Params = Record<string, string>;

/** One kind of finding in the catalogue; `what` and `write` take the finding's parameters. */
export interface Entry {
  readonly severity: Severity;
  readonly what: (p: Params) => string;
  readonly why: string;
  readonly effects?: readonly Effect[];
  readonly write?: (p: Params) => string | Written | null;
  /** Where the suggestion belongs; absent where that follows from the severity and the form of the suggestion. */
  readonly puts?: Puts | ((p: Params) => Puts);
  /** True where the suggestion is the only thing that the text can mean. A word that is misspelt is sure without. */
  readonly sure?: true;
}

/** The question about a blank cell; `cells` describes the values that are allowed in each column. */
export const blankCell = (
  row: (p: Params) => string,
  cells: Readonly<Record<string, string>>,
  why: string,
  write?: Entry['write'],
): Entry => ({
  severity: 'question',
  what: (p) => `${row(p)} has a blank cell under “${p.column}”. Write ${cells[p.column ?? ''] ?? 'its value'}.`,
  why,
  puts: (p) => ({ column: p.column ?? '' }),
  ...(write && { write }),
});

/**
 * Creates findings of one kind. `write`: the statement to write, if the catalogue has none and the caller provides it.
 */
type Report = (
  span: Span | null,
  params?: Params,
  endpoints?: readonly string[] | null,
  write?: string | Written,
) => Finding;

/** The text to paste. */
export const textOf = (write: string | Written): string => (typeof write === 'string' ? write : write.text);

interface Catalogue<K extends string> {
  readonly entries: Readonly<Record<K, Entry>>;
  readonly report: Readonly<Record<K, Report>>;
}

/** The entries of a catalogue with a standing other than the one that follows from their part and severity. */
type Standings<K extends string> = { readonly [S in 'unread' | 'blank' | 'idle']?: readonly K[] };

/** Turns a part's entries into the functions that report them; a finding's code is `part/key`, in kebab case. */
export const catalogue = <K extends string>(part: string, entries: Record<K, Entry>): Catalogue<K> =>
  graded(part, {}, entries);

/** Turns a part's entries into reporting functions, where some entries have a standing of their own. */
export function graded<K extends string>(
  part: string,
  standings: Standings<NoInfer<K>>,
  entries: Record<K, Entry>,
): Catalogue<K> {
  const report = {} as Record<K, Report>;
  for (const key of keysOf(entries)) {
    const entry = entries[key];
    const standing = standingOf(part, key, entry, standings);
    report[key] = (span, params = {}, endpoints = null, given) => {
      const write = given ?? entry.write?.(params) ?? null;
      return {
        code: diagnosticCode(part, key),
        part,
        severity: entry.severity,
        standing,
        effects: entry.effects ?? [],
        span,
        message: entry.what(params.found === undefined ? params : { ...params, found: shortened(params.found) }),
        why: entry.why,
        suggestion: write === null ? null : textOf(write),
        asks: write === null || typeof write === 'string' ? null : write.states,
        puts: putsOf(entry, params, write),
        sure: entry.sure ?? (write !== null && isNearest(textOf(write), params)),
        related: [],
        legal: [],
        found: params.found ?? null,
        owner: params.owner ?? null,
        endpoints,
        params,
      };
    };
  }
  return { entries, report };
}

/** Whether a suggestion is the correct form of a misspelt word. */
const isNearest = (text: string, { nearest = '' }: Params): boolean =>
  nearest !== '' && text.replaceAll('`', '') === nearest;

/** Where a suggestion belongs: a whole statement is one of its own, and what mends an error replaces it. */
function putsOf({ puts }: Entry, params: Params, write: string | Written | null): Puts {
  if (puts !== undefined) return typeof puts === 'function' ? puts(params) : puts;
  if (write === null) return 'nowhere';
  if (typeof write !== 'string') return 'statement';
  // A text that begins with a comma goes on with a statement.
  if (write.startsWith(', ')) return 'end';
  // Only the document can name a resource or an endpoint.
  return write.startsWith('#') ? 'nowhere' : 'here';
}

/** The most words and names that a finding allows by name. */
const MOST_LEGAL = 500;

/** The finding with the words and names that are allowed in place of its text. */
export function allowing(finding: Finding, names: Iterable<string>): Finding {
  const legal = new Set<string>();
  for (const name of names) if (legal.size < MOST_LEGAL) legal.add(name);
  return { ...finding, legal: [...legal] };
}

/** The most characters of the document's text that a message quotes: a word can have any length. */
const MOST_FOUND = 300;

const shortened = (found: string): string =>
  found.length <= MOST_FOUND ? found : `${found.slice(0, MOST_FOUND).toWellFormed()}…`;

function standingOf<K extends string>(part: string, key: K, entry: Entry, standings: Standings<K>): Standing {
  for (const standing of ['unread', 'blank', 'idle'] as const) if (standings[standing]?.includes(key)) return standing;
  if (entry.severity !== 'error') return 'unsaid';
  return part === 'language' ? 'not understood' : 'wrong';
}

/** The stable code of a catalogue entry, such as `limits/page-size`. */
export function diagnosticCode(part: string, key: string): string {
  return `${part}/${key.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`;
}
