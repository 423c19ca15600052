import type { Lines } from '../contract/types.ts';
import { type Difference, KEEPS, type Place } from './difference.ts';

/** Where something differs, with the lines of either document. */
export interface Location {
  readonly at: string;
  readonly oldLine: number | null;
  readonly newLine: number | null;
}

/** One thing that differs for callers: a line of the report. */
export interface MergedDifference extends Location {
  readonly text: string;
  /** Whether a caller that kept to the old document may be refused, or not understand an answer; and why. */
  readonly breaking: boolean;
  readonly reason: string;
  /** The version whose callers are answered as before; null where there is none. */
  readonly covered: string | null;
  /** The versions in which it differs, where that isn’t the current one. */
  readonly versions: readonly string[];
  /** What it is of, where that is several endpoints. */
  readonly places: readonly Location[];
  /** The endpoints and events at which callers meet it, where it is of something else. */
  readonly met: readonly string[];
}

/** A difference, and in which version it was found; null for what is of all versions. */
export interface Found {
  readonly difference: Difference;
  readonly version: FoundIn | null;
}

interface FoundIn {
  readonly name: string;
  /** Whether it is what requests are answered in that name no version, or name the current one. */
  readonly current: boolean;
  /** The version whose callers are answered by another comparison. */
  readonly keptBy: string | null;
}

/** What is the same in several places and versions is one thing, told once: breaking, if it is anywhere. */
export function merged(found: readonly Found[]): MergedDifference[] {
  const groups = new Map<string, [Found, ...Found[]]>();
  for (const one of found) {
    const key = `${one.difference.of}\n${one.difference.text}`;
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return [...groups.values()].map(mergedOf);
}

function mergedOf(group: readonly [Found, ...Found[]]): MergedDifference {
  const differences = group.map((one) => one.difference);
  const breaking = differences.some((one) => one.verdict.breaking);
  const reasons = new Set(differences.flatMap(({ verdict }) => (verdict.breaking === breaking ? [verdict.why] : [])));
  // Beside those who meet it, it doesn't matter that others don't.
  if (reasons.size > 1) reasons.delete(KEEPS.unmet.why);
  const [{ difference: first }] = group;
  const places = locationsOf(differences.flatMap((one) => one.places));
  const own: Location = { at: first.of ?? '', ...numbers(first.lines) };
  const [place] = places;
  const spread = first.of === null && place !== undefined;
  return {
    ...(spread ? { ...place, at: places.map(({ at }) => at).join(', ') } : own),
    text: first.text,
    breaking,
    reason: [...reasons].join('; '),
    covered: breaking ? coverOf(group) : null,
    versions: versionsOf(group),
    places: spread ? places : [],
    met: spread ? [] : places.map(({ at }) => at),
  };
}

/** The version that keeps a difference from its callers: where only those meet it who name none, or another. */
function coverOf(group: readonly Found[]): string | null {
  const kept = group.map(({ version }) => version?.keptBy ?? null);
  return kept.every((one) => one !== null) ? (kept[0] ?? null) : null;
}

function versionsOf(group: readonly Found[]): string[] {
  if (group.some(({ version }) => version === null || version.current)) return [];
  return [...new Set(group.map(({ version }) => version?.name ?? ''))];
}

function locationsOf(places: readonly Place[]): Location[] {
  const out = new Map<string, Location>();
  for (const { at, lines } of places) if (!out.has(at)) out.set(at, { at, ...numbers(lines) });
  return [...out.values()];
}

const numbers = ([old, next]: readonly [Lines, Lines]) => ({ oldLine: old[0] ?? null, newLine: next[0] ?? null });
