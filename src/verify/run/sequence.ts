import { showDuration } from '../../text/units.ts';
import { derivedOf } from '../report/derived-value.ts';
import { isExchange, type OperatorAct, operatorText, type ReportedStep } from '../report/report.ts';
import type { RecordedExchange, ReplayableRequest } from '../session/replayable.ts';
import type { Session } from '../session/session.ts';
import { Symbols } from '../session/symbols.ts';

/** The shortest pause between requests that a report mentions. Shorter pauses only give rows an order. */
export const TOLD_MS = 1000;

/**
 * Converts exchanges of a session to the steps that a break lists: the exchanges, the operator's acts that they need,
 * and the time that passes between them; with `afterwards`, also the time since the last one.
 */
export function sequenceOf(session: Session, chosen: readonly RecordedExchange[], afterwards = false): ReportedStep[] {
  const wanted = new Set(chosen);
  const steps: ReportedStep[] = [];
  let moved = 0;
  for (const one of session.exchanges) {
    moved += one.moved;
    if (!wanted.has(one)) continue;
    if (moved >= TOLD_MS) steps.push(passing(session, moved));
    steps.push(one.exchange);
    moved = 0;
  }
  moved += session.movedSince;
  if (afterwards && moved >= TOLD_MS) steps.push(passing(session, moved));
  return withOperator(session, steps);
}

/** Puts before a sequence the operator's acts that its requests need: credentials, and the rows that hold them. */
export function withOperator({ operatorActs }: Session, sequence: readonly ReportedStep[]): ReportedStep[] {
  const texts = sequence
    .filter(isExchange)
    .map(({ request }) => [request.target, ...request.headers.flat(), request.body?.toString() ?? ''].join('\n'));
  const used: OperatorAct[] = [];
  for (const act of operatorActs.toReversed()) {
    if (act.gives === null) continue;
    const { value } = act.gives;
    const isUsed = [value, ...derivedOf(value)].some((one) => texts.some((text) => isNamedIn(text, one)));
    if (!isUsed) continue;
    used.unshift(act);
    texts.push(operatorText(act));
  }
  return [...used.filter((act) => !sequence.includes(act)), ...sequence];
}

/** Whether a text contains a value as a whole word or number. */
function isNamedIn(text: string, value: string): boolean {
  if (value === '') return false;
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1))
    if (!/\w/.test(text[at - 1] ?? '') && !/\w/.test(text[at + value.length] ?? '')) return true;
  return false;
}

/**
 * A step in which time passes. If the clock runs, the duration is rounded to seconds, since fractions differ between
 * runs.
 */
function passing({ slack }: Session, milliseconds: number): ReportedStep {
  const exact = slack === 0 ? milliseconds : Math.floor(milliseconds / TOLD_MS) * TOLD_MS;
  return { operator: `the service’s clock is moved on by ${showDuration(exact)}`, gives: null };
}

/**
 * Adds to some acts those that created what they name, those that created what these name, and so on. `changing`: also
 * acts that changed something and name the same row, by a word in a path, a body or an answer.
 */
export function needed(
  acts: readonly ReplayableRequest[],
  some: readonly ReplayableRequest[],
  changing: boolean,
): ReplayableRequest[] {
  const wanted = new Set<ReplayableRequest>();
  const words = new Set<string>();
  const makers = new Set<string>();
  const want = (act: ReplayableRequest): void => {
    wanted.add(act);
    for (const word of wordsOf(act)) words.add(word);
    for (const name of makersIn(act)) makers.add(name);
  };
  for (const act of some) want(act);
  for (const act of acts.toReversed()) {
    if (wanted.has(act)) continue;
    const isNamed = act.writes && [...wordsOf(act), ...wordsIn(act.answered)].some((word) => words.has(word));
    if (makers.has(act.name) || (changing && isNamed)) want(act);
  }
  return acts.filter((act) => wanted.has(act));
}

/** The names of the acts that have created the values in a request. */
function makersIn({ template: { target, headers, body } }: ReplayableRequest): string[] {
  const texts = [target, ...headers.map(([, value]) => value), typeof body === 'string' ? body : ''];
  return texts.flatMap((text) => Symbols.keysIn(text)).flatMap((key) => key.match(/\b(?:request|p)\d+\b/g) ?? []);
}

/** The words of a request that may be of a row: segments of its path, values of its query and of its body. */
function wordsOf({ template: { target, body } }: ReplayableRequest): string[] {
  const [path = '', query = ''] = target.split('?');
  const segments = path.split('/').filter((one) => /[^a-z-]/.test(one));
  const values = query.split('&').map((pair) => pair.split('=')[1] ?? '');
  return [...segments, ...values, ...(typeof body === 'string' ? wordsIn(body) : [])].filter((one) => one !== '');
}

/** The strings and numbers of a text in JSON. */
const wordsIn = (json: string): string[] =>
  [...json.matchAll(/:\s*(?:"((?:[^"\\]|\\.)*)"|(\d+))/g)].map(([, text, number]) => text ?? number ?? '');
