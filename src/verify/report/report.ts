import type { JsonObject } from '../../export/json.ts';
import { idText, isSameId, type StatementId } from '../../plan/lines.ts';
import type { ItemCoverage, Result } from '../statements/judge.ts';
import type { Exchange } from '../target/exchange.ts';

/** An act of the operator in a sequence, by the setup. */
export interface OperatorAct {
  /** A sentence without a full stop: `the operator adds a row of Customer`. */
  readonly operator: string;
  /** The values that the operator gives the fields of a row. */
  readonly fields?: Readonly<JsonObject> | undefined;
  /** The value that later requests use, and its name in the report. */
  readonly gives: { readonly name: string; readonly value: string } | null;
}

/** A request of a sequence, and its outcome. */
export interface Sent extends Exchange {
  /**
   * The number of a group of requests that are sent at the same time; the requests of a group are listed one after the
   * other.
   */
  readonly together?: number | undefined;
  /** The number of times that the request is sent, if more than once. */
  readonly times?: number | undefined;
}

/** A part of a sequence that reproduces a break. */
export type ReportedStep = Sent | OperatorAct;

export const isExchange = (step: ReportedStep): step is Sent => 'request' in step;

/** An operator's command, with the values of the fields of a row. */
export const operatorText = ({ operator, fields }: OperatorAct): string =>
  fields && Object.keys(fields).length > 0 ? `${operator} with ${JSON.stringify(fields)}` : operator;

/** An answer that differs from the one that the document requires. */
export interface Break {
  /** The statement that is broken; null where none is known. */
  readonly statement: StatementId | null;
  /** The broken trace of the statement, if it is known: a line may state several items. */
  readonly what?: string | null;
  /** The line of the statement; null if no single line states it. */
  readonly line: number | null;
  /** Other statements that the break may concern instead. */
  readonly others?: readonly StatementId[];
  /** The lines of the other statements: the difference may break one of them instead. */
  readonly otherLines?: readonly number[];
  /** The name of the endpoint; null for a break without one, such as in a webhook. */
  readonly endpoint: string | null;
  /** Names of other endpoints whose answers have the same difference. */
  readonly also?: readonly string[];
  /** A sentence: the document's statement, and why it requires another answer. */
  readonly why: string;
  readonly expected: string;
  readonly actual: string;
  /** The standard that the document’s statement follows, such as `RFC 9110, section 15.5.1`. */
  readonly standard: string | null;
  /** The shortest sequence that reproduces the break, which occurs in its last step. */
  readonly sequence: readonly ReportedStep[];
  readonly seed: number;
}

/** The statuses of an endpoint’s answers. */
interface EndpointStatuses {
  readonly endpoint: string;
  readonly statuses: readonly number[];
}

/**
 * The findings of a run. With the same document, seed and implementation, everything is equal besides `run`: writers
 * keep the facts of one run (addresses, times, identities that the implementation makes) apart from the rest.
 */
export interface Report {
  readonly document: string;
  readonly title: string;
  readonly seed: number;
  /** The number of requests that were sent. */
  readonly requests: number;
  readonly results: readonly Result[];
  readonly breaks: readonly Break[];
  readonly coverage: readonly ItemCoverage[];
  /** The endpoints of the document, each with the statuses of its answers. */
  readonly endpoints: readonly EndpointStatuses[];
  /** The required percentage of kept statements; null where none is required. */
  readonly requireKept: number | null;
  /** The lines of the document; none where a run has only its plan. */
  readonly lines?: readonly string[] | undefined;
  /** Why the run ended before its budget, such as a service that no longer answers; null where it did not. */
  readonly stopped: string | null;
  readonly run: RunFacts;
}

/** The facts that differ from one run to the next. */
interface RunFacts {
  readonly url: string;
  /** The version of Ninefold. */
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly milliseconds: number;
  /**
   * Whether the time ran out before the budget's work was done: another run with the same seed may then do more, or
   * less.
   */
  readonly outOfTime: boolean;
}

/** The text of the id of the broken statement; empty where none is known. */
export const statementText = ({ statement }: Break): string => (statement === null ? '' : idText(statement));

/**
 * The text to quote for a break: that of its statement, or else that of the line in the document; null if the break has
 * no line.
 */
export function lineText({ results, lines = [] }: Report, { statement: id, line }: Break): string | null {
  const own = results.find(({ statement }) => isSameId(statement.id, id))?.statement.text;
  return own ?? (line === null ? null : (lines[line - 1]?.trim() ?? null));
}

/** The URL of the service as the value of `$url`, and the path below which the service is. */
export function placeOf({ url }: RunFacts): { readonly url: string; readonly base: string } {
  const { origin, pathname } = new URL(url);
  const base = pathname.replace(/\/+$/, '');
  return { url: origin + base, base };
}

/** The number of kept statements, the number of all, and whether the share is as high as required. */
interface KeptShare {
  readonly kept: number;
  readonly of: number;
  readonly suffices: boolean;
}

/** Compares the share of kept statements with the required one: a run that tries little proves little. */
export function keptShareOf({ results, requireKept }: Pick<Report, 'results' | 'requireKept'>): KeptShare {
  const kept = results.filter(({ outcome }) => outcome === 'kept').length;
  return { kept, of: results.length, suffices: kept * 100 >= results.length * (requireKept ?? 0) };
}

/** A sentence about the required share and the actual one; null if enough statements are kept. */
export function shortfallOf(report: Pick<Report, 'results' | 'requireKept'>): string | null {
  const { kept, of, suffices } = keptShareOf(report);
  if (suffices) return null;
  // Rounds down: a share that is rounded up could look sufficient.
  const share = Math.floor((kept * 100) / of);
  return `Too little was tried: ${kept} of ${of} statements are kept (${share}%), and ${report.requireKept}% are required (--require-kept).`;
}
