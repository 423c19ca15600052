import type { Span } from './span.ts';

/** `error`: not understood, or broken. `question`: unsaid. */
export type Severity = 'error' | 'question';

/** One thing that is wrong or unsaid. Data: where, what, why it matters, and what could be written. */
export interface Finding {
  readonly code: string;
  readonly severity: Severity;
  /** Null while no line says it: once a document is compiled, that is where it could be stated. */
  readonly span: Span | null;
  readonly message: string;
  readonly why: string;
  /** Text to paste into the document, or null where there is no one sentence to offer. */
  readonly suggestion: string | null;
  /** The word that nothing declares, or that is none of those that could stand there. */
  readonly found: string | null;
  /** The endpoints that are not served until this is answered; null means all of them. */
  readonly endpoints: readonly string[] | null;
}

type Params = Record<string, string>;

/** What the catalogue says about one kind of finding; `what` and `write` take the finding's parameters. */
export interface Entry {
  readonly severity: Severity;
  readonly what: (p: Params) => string;
  readonly why: string;
  readonly write?: (p: Params) => string | null;
}

/** Makes findings of one kind. */
export type Report = (span: Span | null, params?: Params, endpoints?: readonly string[] | null) => Finding;

export interface Catalogue<K extends string> {
  readonly entries: Readonly<Record<K, Entry>>;
  readonly report: Readonly<Record<K, Report>>;
}

/** Turns a part's entries into the functions that report them; a finding's code is `part/key`, in kebab case. */
export function catalogue<K extends string>(part: string, entries: Record<K, Entry>): Catalogue<K> {
  const report = {} as Record<K, Report>;
  for (const key of Object.keys(entries) as K[]) {
    const entry = entries[key];
    report[key] = (span, params = {}, endpoints = null) => ({
      code: diagnosticCode(part, key),
      severity: entry.severity,
      span,
      message: entry.what(params),
      why: entry.why,
      suggestion: entry.write?.(params) ?? null,
      found: params.found ?? null,
      endpoints,
    });
  }
  return { entries, report };
}

/** The stable code of a catalogue entry, such as `limits/page-size`. */
export function diagnosticCode(part: string, key: string): string {
  return `${part}/${key.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`;
}
