import type { Lines } from '../contract/types.ts';
import { type Difference, KEEPS, type Place } from './difference.ts';

/** The place of a difference, with its lines in both documents. */
export interface Location {
  readonly at: string;
  readonly oldLine: number | null;
  readonly newLine: number | null;
}

/** One difference for callers: an entry of the report. */
export interface MergedDifference extends Location {
  readonly text: string;
  /** Whether the difference breaks callers that rely on the old document: a refused request, or an unknown answer. */
  readonly breaking: boolean;
  readonly reason: string;
  /** The version whose callers notice no difference; null if there is none. */
  readonly covered: string | null;
  /** The versions with the difference; empty if the current version has it. */
  readonly versions: readonly string[];
  /** The endpoints that are the subject of the difference, if there are several. */
  readonly places: readonly Location[];
  /** The endpoints and events where callers notice the difference, if its subject is something else. */
  readonly met: readonly string[];
}

/** A difference, and the version with it; null if it concerns all versions. */
export interface Found {
  readonly difference: Difference;
  readonly version: FoundIn | null;
}

interface FoundIn {
  readonly name: string;
  /** Whether the version answers requests that name no version, or the current one. */
  readonly current: boolean;
  /** The version of the new document that still answers callers of the old version. */
  readonly keptBy: string | null;
}

/** Merges equal differences of several places and versions into one, which is breaking if any of them is. */
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
  // If some callers notice the difference, the reason for the others is omitted.
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

/**
 * The version that hides a difference from its callers, if only requests without a version, or with another one, show
 * it.
 */
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
