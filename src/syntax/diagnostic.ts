import { keysOf } from '../text/keys.ts';
import type { Span } from './span.ts';

/**
 * `error`: not understood, or broken. `question`: unsaid. `notice`: a remark on what can be served as
 * it stands.
 */
export type Severity = 'error' | 'question' | 'notice';

/** What of a document a finding speaks of, and so what it may follow from. */
export type Standing =
  /** What keeps the rest of the document from being read at all. */
  | 'unread'
  /** What is no text of the language. */
  | 'not understood'
  /** What is understood and cannot hold. */
  | 'wrong'
  /** A cell that says nothing, where its row says the rest. */
  | 'blank'
  | 'unsaid'
  /** The question that decides whether another statement can hold. */
  | 'deciding'
  /** What is stated and not used: what is still to be written may use it. */
  | 'idle';

/** What a finding does to what else is found. */
type Effect =
  /** Keeps the cells of a table, or a whole part, from being read. */
  | 'hides cells'
  /** Keeps all that stands below a heading from being read, where it speaks of the heading. */
  | 'hides a section'
  /** A statement, or a part of it, is not understood: what it says may be what is asked for. */
  | 'hides a statement'
  /** A statement stands where it has no effect: what it says is not asked for as well. */
  | 'misplaces a statement'
  /** A name that nothing declares: what is not understood may declare it. */
  | 'names a stranger'
  /** A name in letters that it cannot have: who uses the right one is not wrong. */
  | 'misnames'
  /** What is not understood may be what answers it. */
  | 'may be answered unread'
  /** A part is said to have nothing, and has something: what else is found of it, or is unused, may follow from that. */
  | 'empties a part'
  /** A mistake of a whole column, told of where it first stands. */
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

/** One thing that is wrong or unsaid. Data: where, what, why it matters, and what could be written. */
export interface Finding {
  readonly code: string;
  /** The part of the document, or what else of the compiler, that the code begins with. */
  readonly part: string;
  readonly severity: Severity;
  readonly standing: Standing;
  readonly effects: readonly Effect[];
  /** Null while no line says it: once a document is compiled, that is where it could be stated. */
  readonly span: Span | null;
  readonly message: string;
  readonly why: string;
  /** Text to paste into the document, or null where there is no one sentence to offer. */
  readonly suggestion: string | null;
  /** The statement that the suggestion makes; null where it is a part of one. */
  readonly asks: Statement | null;
  /** The word that nothing declares, or that is none of those that could stand there. */
  readonly found: string | null;
  /** What that word would be, such as a field of a resource: used in several ways, it is one mistake. */
  readonly owner: string | null;
  /** The endpoints that are not served until this is answered; null means all of them. */
  readonly endpoints: readonly string[] | null;
  /** The parameters of the catalogue's entry, such as the resource. */
  readonly params: Readonly<Record<string, string>>;
}

/** An entry that asks the same, whatever the document. */
export const question = (what: string, why: string, write: string | Written): Entry => ({
  severity: 'question',
  what: () => what,
  why,
  write: () => write,
});

type Params = Record<string, string>;

/** What the catalogue says about one kind of finding; `what` and `write` take the finding's parameters. */
export interface Entry {
  readonly severity: Severity;
  readonly what: (p: Params) => string;
  readonly why: string;
  readonly effects?: readonly Effect[];
  readonly write?: (p: Params) => string | Written | null;
}

/** The question that a blank cell is: `cells` has what may stand in each column. */
export const blankCell = (
  row: (p: Params) => string,
  cells: Readonly<Record<string, string>>,
  why: string,
  write?: Entry['write'],
): Entry => ({
  severity: 'question',
  what: (p) => `${row(p)} has a blank cell under “${p.column}”. Write ${cells[p.column ?? ''] ?? 'its value'}.`,
  why,
  ...(write && { write }),
});

/** Makes findings of one kind. `write`: the statement to write, where the catalogue leaves it to whoever reports it. */
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

/** The entries of a catalogue that stand otherwise than their part and severity say. */
type Standings<K extends string> = { readonly [S in 'unread' | 'blank' | 'idle']?: readonly K[] };

/** Turns a part's entries into the functions that report them; a finding's code is `part/key`, in kebab case. */
export const catalogue = <K extends string>(part: string, entries: Record<K, Entry>): Catalogue<K> =>
  graded(part, {}, entries);

/** The same for a part of which some entries stand otherwise than their severity says. */
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
        found: params.found ?? null,
        owner: params.owner ?? null,
        endpoints,
        params,
      };
    };
  }
  return { entries, report };
}

/** Of what is found, what a message has room for: a document may hold a word of any length. */
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
