import { createHash } from 'node:crypto';
import type { Compiled } from '../../compiler/compile.ts';
import { allEdits, edited } from '../../compiler/edits/edits.ts';
import { legalForms } from '../../compiler/edits/own-answers.ts';
import { inAskingOrder } from '../../compiler/edits/question-order.ts';
import type { Edit } from '../../compiler/edits/sites.ts';
import { renderSummary } from '../../compiler/render.ts';
import type { Finding } from '../../syntax/diagnostic.ts';
import { bytesOf, clipped } from './pages.ts';
import { Refusal } from './refusal.ts';

/** The most answers of a question that are listed, the most forms of one, and the most bytes of several questions. */
const MOST_ANSWERS = 8;
const MOST_FORMS = 6;
const QUESTIONS_BYTES = 6000;

/** A finding with a name, which holds for one version of a document. */
interface Named {
  readonly name: string;
  readonly finding: Finding;
}

/**
 * The findings in the order in which answers settle most. Each is named by its code and line, such as `limits/time-outs:40`; a
 * second one there is `limits/time-outs:40.2`.
 */
export function namedFindings(compiled: Compiled): Named[] {
  const seen = new Map<string, number>();
  return inAskingOrder(compiled).map((finding) => {
    const name = `${finding.code}:${compiled.lines.position(finding.span?.from ?? 0).line}`;
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return { name: count === 1 ? name : `${name}.${count}`, finding };
  });
}

/** A finding by its name. */
export function findingOf(compiled: Compiled, name: string): Finding {
  const all = namedFindings(compiled);
  const found = all.find((one) => one.name === name);
  if (found) return found.finding;
  const first = all[0] ? `The first open one is ${all[0].name}.` : 'Nothing is open.';
  throw new Refusal(`No question has the name “${clipped(name, 100)}” in this version of the document. ${first}`);
}

/** The version of a text: names and choices of questions belong to it. */
export const versionOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);

/** A change of a document, by its lines. */
interface Change {
  /** The first changed line, in the new text. */
  readonly line: number;
  readonly removes?: readonly string[];
  readonly adds?: readonly string[];
}

/** The lines that an edit takes away and adds; lines that only move are not listed. */
export function changeOf(source: string, edit: Edit): Change {
  const [before, after] = [source, edited(source, edit)].map((text) => text.split(/\r\n|\r|\n/)) as [
    string[],
    string[],
  ];
  const same = before.findIndex((line, i) => line !== after[i]);
  const removes = without(before, after);
  const adds = without(after, before);
  return {
    line: (same < 0 ? before.length : same) + 1,
    ...(removes.length > 0 && { removes }),
    ...(adds.length > 0 && { adds }),
  };
}

/** The lines of a text that another text does not have, as often as it lacks them. Blank lines say nothing. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.flatMap((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count > 0 || line.trim() === '' ? [] : clipped(line);
  });
}

/** A finding, as an agent reads it. */
interface QuestionReport {
  readonly question: string;
  readonly kind: string;
  readonly asks: string;
  readonly why: string;
  /** The line that the finding is about. */
  readonly at: string;
  /** An example of what to write. */
  readonly write: string | null;
  /** Forms of an answer. */
  readonly forms?: readonly string[];
  readonly answers: ReadonlyArray<Omit<Change, 'line'> & { readonly choice: number }>;
  readonly moreAnswers?: number;
}

/** The open questions of a document, from one on, as many as are asked for and fit. */
function questionsFrom(compiled: Compiled, first: number, count: number): readonly QuestionReport[] {
  const asked = namedFindings(compiled).slice(first, first + count);
  const edits = allEdits(
    compiled,
    asked.map(({ finding }) => finding),
  );
  const out: QuestionReport[] = [];
  let used = 0;
  for (const [i, one] of asked.entries()) {
    const report = questionReport(compiled, one, edits[i] ?? []);
    used += bytesOf(JSON.stringify(report));
    if (out.length > 0 && used > QUESTIONS_BYTES) break;
    out.push(report);
  }
  return out;
}

function questionReport(compiled: Compiled, { name, finding }: Named, edits: readonly Edit[]): QuestionReport {
  const { lines } = compiled;
  const at = lines.position(finding.span?.from ?? 0).line;
  const forms = legalForms(compiled, finding).samples.slice(0, MOST_FORMS);
  const shown = edits.slice(0, MOST_ANSWERS);
  return {
    question: name,
    kind: finding.severity,
    asks: clipped(finding.message),
    why: finding.why,
    at: `${at}: ${clipped(lines.line(at), 160)}`,
    write: finding.suggestion,
    ...(forms.length > 0 && { forms: forms.map((form) => clipped(form, 160)) }),
    answers: shown.map((edit, choice) => {
      const { line: _, ...change } = changeOf(lines.text, edit);
      return { choice: choice + 1, ...change };
    }),
    ...(edits.length > shown.length && { moreAnswers: edits.length - shown.length }),
  };
}

/** The answers of `next_questions`, and what `apply` says of what is left. */
export function openReport(compiled: Compiled, first: number, count: number): Readonly<Record<string, unknown>> {
  const questions = questionsFrom(compiled, first, count);
  const left = compiled.findings.length - first - questions.length;
  return {
    version: versionOf(compiled.lines.text),
    summary: renderSummary(compiled, false),
    questions,
    ...(left > 0 && { more: `${left} more: skip: ${first + questions.length}` }),
  };
}
