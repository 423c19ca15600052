import { instantsMade } from '../oracle/instants.ts';
import { hasMark, inOrder } from '../oracle/marks.ts';
import type { Oracle, Prediction } from '../oracle/oracle.ts';
import { Unknown } from '../oracle/refusal.ts';
import { type Answer, combinedHeader, type Exchange } from '../target/exchange.ts';
import { type Comparison, compare, type Difference, type Exactness } from './compare.ts';
import { readTokens } from './tokens.ts';

/** How an exchange was judged. */
export type Verdict =
  | { readonly kind: 'kept'; readonly prediction: Prediction; readonly oracle: Oracle }
  | { readonly kind: 'broken'; readonly prediction: Prediction; readonly differences: readonly Difference[] }
  /** The document leaves the answer to code. */
  | { readonly kind: 'not judged'; readonly why: string };

/** When the service has answered, by its own clock. */
export interface When {
  readonly earliest: number;
  readonly latest: number;
}

/** The number of rounds in which values are learned from an answer before the final comparison. */
const ROUNDS = 6;

/**
 * Judges an answer by the prediction of the oracle. Values that only the implementation knows (identities, its clock,
 * secrets, entity tags, cursors) are learned from the answer, and then the prediction is computed again with them: the
 * answer must be equal to it. Returns the oracle in its state after the request; the given oracle does not change.
 * `name` identifies the values that are drawn for the request. `rates`: how exactly the rate headers are known.
 */
export function judged(
  known: Oracle,
  exchange: Exchange,
  answer: Answer,
  when: When,
  name: string,
  rates: Exactness = when.earliest === when.latest ? 'exact' : 'unknown',
): Verdict {
  const { earliest, latest } = when;
  const middle = Math.floor((earliest + latest) / 2);
  // With a running clock, a request that is sent after another has a later time, even if neither time is known exactly.
  const since = earliest === latest ? earliest : Math.min(latest, Math.max(earliest, known.state.instants.latest + 1));
  const start = Math.max(middle, since);
  const verdict = judgedEither(start, known, 0, exchange, answer, when, name, rates);
  if (verdict.kind !== 'broken') return verdict;
  // Something may have become due between the two.
  for (const now of new Set([since, latest])) {
    if (now === start) continue;
    const other = judgedEither(now, known, 0, exchange, answer, when, name, rates);
    if (other.kind === 'kept') return other;
  }
  return verdict;
}

/** The largest number of conditions of one request for which the other outcome is tried. */
const MOST_DECISIONS = 4;

/**
 * Judges an answer where conditions depend on values that are drawn and not known: each condition is assumed to have
 * its usual outcome, or the other one where the answer does not follow from the usual one. Where the answer follows
 * from both, and the rows differ, the answer is not judged.
 */
function judgedEither(start: number, known: Oracle, depth: number, ...of: Judged): Verdict {
  const decided = new Map<string, boolean>();
  const verdict = judgedFrom(start, known, decided, ...of);
  if (verdict.kind === 'not judged' || depth === MOST_DECISIONS) return verdict;
  for (const [key, value] of decided) {
    const otherwise = known.copy();
    otherwise.state.draws.learn(key, !value);
    const other = judgedEither(start, otherwise, depth + 1, ...of);
    if (other.kind !== 'kept') continue;
    if (verdict.kind === 'broken') return other;
    if (rowsText(other.oracle) !== rowsText(verdict.oracle))
      return {
        kind: 'not judged',
        why: 'The answer does not tell a condition that depends on what the service draws.',
      };
  }
  if (verdict.kind === 'kept') for (const [key, value] of decided) verdict.oracle.state.draws.learn(key, value);
  return verdict;
}

function rowsText({ state: { plan, rows } }: Oracle): string {
  return plan.resources
    .map(({ name }) => inOrder(JSON.stringify(rows.all(name).map(({ values }) => [...values]))))
    .join();
}

type Judged = [exchange: Exchange, answer: Answer, when: When, name: string, rates: Exactness];

/**
 * Judges an answer to a request that arrived at an instant, unless the answer shows another instant. `decided` receives
 * the conditions whose outcome was assumed.
 */
function judgedFrom(
  start: number,
  known: Oracle,
  decided: Map<string, boolean>,
  { request }: Exchange,
  answer: Answer,
  when: When,
  name: string,
  rates: Exactness,
): Verdict {
  const exact = when.earliest === when.latest;
  const isHead = request.method === 'HEAD';
  const before = known.copy();
  const told = new Set<string>();
  const values = new Set<string>();
  let now = start;
  // A time that is known to differ by nothing but when the service answered is not held against it.
  let least: { prediction: Prediction; comparison: Comparison } | null = null;
  for (let round = 0; round < ROUNDS; round++) {
    const oracle = before.copy();
    let prediction: Prediction;
    try {
      prediction = oracle.handle(request, now, name);
    } catch (error) {
      if (error instanceof Unknown) return { kind: 'not judged', why: error.message };
      throw error;
    }
    decided.clear();
    for (const [key, value] of oracle.state.draws.decided) decided.set(key, value);
    const { draws: patterns, plan } = oracle.state;
    const cookies = plan.schemes.flatMap(({ cookie }) => cookie?.name ?? []);
    const by = { rates, isHead, patterns, cookies };
    const comparison = withOldTags(compare(prediction.expected, answer, by), oracle, answer);
    if (!least || comparison.differences.length < least.comparison.differences.length)
      least = { prediction, comparison };
    // A value whose own meaning is not known yet would be mistaken for the value of another mark later.
    const news = comparison.told.filter(([mark]) => !told.has(mark) && !hasMark(oracle.state.draws.keyOf(mark) ?? ''));
    if (news.length === 0 && comparison.differences.length === 0) {
      const { differences, trace } = readTokens(oracle, values, when);
      if (differences.length > 0) return { kind: 'broken', prediction, differences };
      if (!exact && prediction.usedNow && prediction.endpoint?.writes)
        unsure(before, oracle, { request, now, name, when }, answer);
      oracle.state.instants.latest = now;
      return { kind: 'kept', prediction: { ...prediction, trace: [...prediction.trace, ...trace] }, oracle };
    }
    const { instants } = before.state;
    const unseen = exact ? [] : comparison.instants.filter(([ours, theirs]) => instants.mayBe(ours, theirs));
    const shifts = comparison.instants.map(([ours, theirs]) => theirs - ours);
    const later = exact || unseen.length > 0 ? undefined : shifts.find((by) => by !== 0 && isWithin(now + by, when));
    const leftOut = numbersLeftOut(before, oracle, comparison.differences);
    if (news.length === 0 && unseen.length === 0 && later === undefined && leftOut === null) break;
    if (leftOut) before.state.rows.leaveOut(...leftOut);
    for (const [ours, theirs] of unseen) instants.tell(before.state, ours, theirs);
    for (const [mark, value] of news) {
      told.add(mark);
      values.add(value);
      before.state.tell(mark, value, oracle.state.draws);
    }
    if (later !== undefined) now += later;
  }
  if (!least) throw new Error('No round was made');
  return { kind: 'broken', prediction: least.prediction, differences: least.comparison.differences };
}

/** Adds a difference for an entity tag that the row had before: each change and each version needs a new tag. */
function withOldTags(comparison: Comparison, { state: { draws } }: Oracle, { headers }: Answer): Comparison {
  const old = comparison.told.filter(([mark, value]) => draws.hadTag(draws.keyOf(mark) ?? '', value));
  if (old.length === 0) return comparison;
  const differences = old.map(([, actual]) => ({
    at: combinedHeader(headers, 'ETag') === actual ? 'header ETag' : 'body',
    expected: 'a tag that this row has had in no other state and no other version',
    actual,
  }));
  const told = comparison.told.filter((one) => !old.includes(one));
  return { ...comparison, told, differences: [...comparison.differences, ...differences] };
}

/**
 * The sequence whose numbers a service has used for refused requests, and how many, as the number of a new row, or a
 * value derived from it, shows; null where the service has skipped none.
 */
function numbersLeftOut(
  { state: { rows } }: Oracle,
  after: Oracle,
  differences: readonly Difference[],
): readonly [sequence: string, count: number] | null {
  for (const [sequence, most] of rows.spent) {
    const [last, next] = [rows.numbers.get(sequence) ?? 0, after.state.rows.numbers.get(sequence) ?? 0];
    for (const { expected, actual } of differences) {
      const [ours, theirs] = numbersThatDiffer(expected ?? '', actual ?? '');
      if (ours > last && ours <= next && theirs > ours && theirs - ours <= most) return [sequence, theirs - ours];
    }
  }
  return null;
}

/** The first numbers in which two texts differ; NaN if the first difference is not in a number. */
function numbersThatDiffer(expected: string, actual: string): readonly [number, number] {
  const [ours, theirs] = [expected.split(/(\d+)/), actual.split(/(\d+)/)];
  const at = ours.findIndex((part, i) => part !== theirs[i]);
  return [Number(ours[at] || Number.NaN), Number(theirs[at] || Number.NaN)];
}

/**
 * The delay with which a request is computed again, in milliseconds: instants that differ then depend on the time of
 * the request.
 */
const LATER_MS = 1000;

/**
 * Records the instants that a request has stored and that its answer does not show: they are uncertain, since the exact
 * time of the request is unknown.
 */
function unsure(
  before: Oracle,
  after: Oracle,
  { request, now, name, when }: { request: Exchange['request']; now: number; name: string; when: When },
  answer: Answer,
): void {
  const then = before.copy();
  try {
    then.handle(request, now + LATER_MS, name);
  } catch (error) {
    if (error instanceof Unknown) return;
    throw error;
  }
  const made = instantsMade(before.state, after.state, then.state);
  const body = answer.body.toString();
  if ([...made].some((one) => body.includes(new Date(one).toISOString()))) return;
  after.state.instants.add(made, { earlier: now - when.earliest, later: when.latest - now });
}

const isWithin = (at: number, { earliest, latest }: When): boolean => at >= earliest && at <= latest;
