import { counted } from '../../text/counted.ts';
import { oneLine } from '../../text/visible.ts';
import { GOAL_KINDS, type GoalKind } from '../../verify/life/goals.ts';
import type { Tried } from './life.ts';

/** The missing endpoints, transitions, events and codes, in words. */
const MISSING: Readonly<Record<GoalKind, (name: string) => string>> = {
  endpoint: (name) => `${name} took no request.`,
  transition: (name) => `No request led to transition ${name}.`,
  event: (name) => `No request led to event ${name}.`,
  code: (name) => `No request was refused with ${name}.`,
};

/** How many things that were not found are listed. */
const MOST_LISTED = 20;

/** The result of a search, as text: a sentence, and a line for each thing that was not found. */
export function triedText(document: string, tried: Tried): string {
  const { missing, untried, complete } = tried;
  const lines = [`${summaryOf(tried)}${complete ? '' : ' The search ended at its bound.'}`];
  if (untried.length > 0) {
    const [names, run] = [counted(untried.length, 'endpoint'), untried.length === 1 ? 'runs' : 'run'];
    lines.push(
      `${names} ${run} handlers and ${untried.length === 1 ? 'was' : 'were'} not tried, nor what only they lead to.`,
    );
  }
  const places = missing.slice(0, MOST_LISTED).map(({ kind, name, line }) => {
    const place = line === null ? `${document}:` : `${document}:${line}`;
    return `  ${oneLine(place)} ${oneLine(MISSING[kind](name))}`;
  });
  if (missing.length > places.length) places.push(`  And ${missing.length - places.length} others: --json has all.`);
  if (places.length > 0)
    lines.push('No request was found for these. One may exist: this is a search, and no proof.', ...places);
  return `${lines.join('\n')}\n`;
}

function summaryOf(tried: Tried): string {
  const kinds = GOAL_KINDS.map((kind) => ({ kind, ...tried[`${kind}s`] })).filter(({ of }) => of > 0);
  const all = kinds.every(({ found, of }) => found === of);
  const parts = kinds.map(({ kind, found, of }) => (all ? counted(of, kind) : `${found} of ${counted(of, kind)}`));
  const last = parts.pop() ?? '';
  const list = parts.length ? `${parts.join(', ')} and ${last}` : last;
  return `A request was found for ${all && (parts.length > 0 || kinds[0]!.of > 1) ? 'all ' : ''}${list}.`;
}
