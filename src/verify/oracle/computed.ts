import { sameValue, type Value } from '../../expression/values/value.ts';
import type { Draws } from './draws.ts';
import { hasComputed, hasShortRandom, isComputed, isMarked } from './marks.ts';
import { Unknown } from './refusal.ts';
import { SAMPLES, UNIFORM } from './samples.ts';

/**
 * A computed value, given by its results for the samples of the unknown values. `gives`: the result for the sample with
 * an index. `of`: the arguments.
 */
export function overSamples(draws: Draws, of: readonly Value[], gives: (i: number) => Value): Value {
  const values = Array.from({ length: SAMPLES }, (_, i) => gives(i));
  return draws.computed(values, of, null);
}

/** Functions of lists that only select or move items, so that they work on unknown items. */
const OF_PLACES: ReadonlySet<string> = new Set(['size', 'first', 'last', 'slice', '[]', 'flatten', 'reverse']);

/** Whether a function computes the right result if its arguments contain marks. */
function takesMarks(draws: Draws, fn: string, values: readonly Value[]): boolean {
  const [first] = values;
  const isText = (one: Value): boolean => typeof one === 'string' && (!hasComputed(one) || standsForText(draws, one));
  if (fn === '+') return values.every((one) => isText(one) || Array.isArray(one));
  if (!Array.isArray(first) || values.slice(1).some(isMarked)) return false;
  return OF_PLACES.has(fn) || (fn === 'join' && first.every(isText));
}

/** Whether every possible value of a mark is a text. */
export const standsForText = (draws: Draws, value: string): boolean =>
  draws.samplesOf(value).every((one) => typeof one === 'string');

/** The result of a function, also for unknown values. `name`: a name that no function with other results has. */
export function callOf(
  draws: Draws,
  fn: string,
  values: readonly Value[],
  compute: (of: readonly Value[]) => Value,
  name = fn,
): Value {
  if (!values.some(isMarked) || takesMarks(draws, fn, values)) return compute(values);
  return draws.computed(draws.resultsOf(name, values, compute), values, compute);
}

/** Whether two values are the same: a boolean, or the mark of one that is not known. */
export function sameOf(draws: Draws, a: Value, b: Value, wanted = true): Value {
  const compute = ([x = null, y = null]: readonly Value[]): Value => sameValue(x, y) === wanted;
  // A drawn value equals no other value, unless it is a short one.
  if (a === b || ![a, b].some((one) => hasComputed(one) || hasShortRandom(one))) return compute([a, b]);
  const [ours, theirs] = [draws.samplesOf(a), draws.samplesOf(b)];
  const results = ours.map((one, i) => compute([one, theirs[i] ?? null]));
  if (draws.areApart(a, b) && isMarked(a) && isMarked(b)) {
    results.fill(!wanted, 0, UNIFORM);
    // With few possible values, two unknown values may be equal although no sample shows it.
    const drawn = new Set(theirs.slice(UNIFORM));
    if (ours.slice(UNIFORM).some((one) => drawn.has(one))) results[UNIFORM] = wanted;
  }
  return draws.computed(results, [a, b], compute);
}

/** Whether two values are equal; assumed where that is not known. */
export function areSame(draws: Draws, a: Value, b: Value): boolean {
  const same = sameOf(draws, a, b);
  return isComputed(same) ? draws.decide(same) : same === true;
}

/** Returns a value that must be known to continue; throws Unknown if it is not. */
export function known<T>(value: T): T {
  if (isComputed(value)) throw new Unknown('No answer has told a value that is computed of what the service draws.');
  return value;
}
