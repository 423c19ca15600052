import type { ReplayableRequest } from '../session/replayable.ts';
import { Symbols } from '../session/symbols.ts';

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
