import type { Course } from '../blame/explain.ts';
import { isExchange, type Act as ReportedAct } from '../report/report.ts';
import { Random } from '../requests/random.ts';
import type { Session, Subject } from '../session/session.ts';
import { Symbols } from '../session/symbols.ts';
import { type Act, type Broken, brokenOf, Trial } from './trial.ts';

/** How many sessions are begun at most to make one break shorter. */
const MOST_REPLAYS = 40;

/** How many of them are begun though the time is over: a break of hundreds of requests is of little use. */
const ALWAYS = 3;

/** How many of the acts before a break are tried together, where those that it names do not show it. */
const CLOSE = 100;

/** A break as it was reproduced. */
export interface Reproduced {
  readonly sequence: readonly ReportedAct[];
  readonly broken: Broken;
  readonly course: Course;
}

/** Whether a break is the one that is looked for. */
type IsSame = (broken: Broken) => boolean;

/** Makes acts again in a session of their own, up to the first break. Null where that is none, or another. */
async function replay(
  subject: Subject,
  seed: number,
  acts: readonly Act[],
  isSame: IsSame,
): Promise<{ acts: readonly Act[]; reproduced: Reproduced } | null> {
  const trial = await Trial.begin(subject, Random.of(seed, 0));
  const made: Act[] = [];
  for (const act of acts) {
    const sent = await trial.again(act);
    // What names something that only an act left out has told may not be needed itself.
    if (!sent) continue;
    made.push(act);
    const { verdict, exchange } = sent;
    if (verdict.kind !== 'broken') continue;
    // Without what was left out, another request may be the first that shows it.
    const broken = brokenOf(exchange, verdict);
    if (!isSame(broken)) return null;
    return { acts: made, reproduced: { sequence: sequenceOf(trial), broken, course: trial.course } };
  }
  return null;
}

/** The requests of a trial, after what the operator has done for them. */
export function sequenceOf({ session, exchanges }: Trial): ReportedAct[] {
  return withOperator(session, exchanges);
}

/** A sequence after what the operator has done for its requests. */
export function withOperator({ operatorActs }: Session, sequence: readonly ReportedAct[]): ReportedAct[] {
  const text = sequence
    .filter(isExchange)
    .map(({ request }) => [request.target, ...request.headers.flat(), request.body?.toString() ?? ''].join('\n'))
    .join('\n');
  const used = operatorActs.filter((act) => act.gives !== null && text.includes(act.gives.value));
  return [...used.filter((act) => !sequence.includes(act)), ...sequence];
}

/**
 * The fewest acts that still show a break, the break in the last of them: first the last alone, then with those alone
 * that it depends on, then with one after the other left out. Null where it does not come again.
 */
export async function shrunk(
  subject: Subject,
  seed: number,
  acts: readonly Act[],
  isSame: IsSame,
  isOver: () => boolean,
): Promise<Reproduced | null> {
  const last = acts.at(-1);
  if (!last || !subject.setup.reset) return null;
  let replays = 0;
  let best: { acts: readonly Act[]; reproduced: Reproduced } | null = null;
  const attempt = async (tried: readonly Act[]): Promise<boolean> => {
    replays += 1;
    if (replays > MOST_REPLAYS || (replays > ALWAYS && isOver())) return false;
    const again = await replay(subject, seed, tried, isSame);
    best = again ?? best;
    return again !== null;
  };
  const writing = acts.filter((act) => act.writes || act === last);
  for (const tried of [
    [last],
    needed(acts, false),
    needed(acts, true),
    writing.slice(-CLOSE),
    writing,
    acts.slice(-CLOSE),
    acts,
  ])
    if (await attempt(tried)) break;
  const found = (): readonly Act[] => best?.acts ?? [];
  for (
    let size = Math.floor(found().length / 2);
    size >= 1 && found().length > 1;
    size = size > 1 ? Math.floor(size / 2) : 0
  )
    for (let at = found().length - 1 - size; at >= 0; at -= size) {
      const tried = found().toSpliced(Math.max(at, 0), Math.min(size, found().length - 1 - at));
      await attempt(tried);
    }
  return (best as { reproduced: Reproduced } | null)?.reproduced ?? null;
}

/**
 * The acts that made what the last one names, and those that made what these name, and so on. `changing`: with those that
 * changed something and named the same, by words that stand in a path, in a body or in an answer.
 */
function needed(acts: readonly Act[], changing: boolean): Act[] {
  const wanted = new Set<Act>();
  const words = new Set<string>();
  const makers = new Set<string>();
  const want = (act: Act): void => {
    wanted.add(act);
    for (const word of wordsOf(act)) words.add(word);
    for (const name of makersIn(act)) makers.add(name);
  };
  for (const act of acts.slice(-1)) want(act);
  for (const act of acts.toReversed()) {
    if (wanted.has(act)) continue;
    const isNamed = act.writes && [...wordsOf(act), ...wordsIn(act.answered)].some((word) => words.has(word));
    if (makers.has(act.name) || (changing && isNamed)) want(act);
  }
  return acts.filter((act) => wanted.has(act));
}

/** The names of the acts that have made what a request names. */
function makersIn({ template: { target, headers, body } }: Act): string[] {
  const texts = [target, ...headers.map(([, value]) => value), typeof body === 'string' ? body : ''];
  return texts.flatMap((text) => Symbols.keysIn(text)).flatMap((key) => key.match(/\brequest\d+\b/g) ?? []);
}

/** The words of a request that may be of a row: segments of its path, values of its query and of its body. */
function wordsOf({ template: { target, body } }: Act): string[] {
  const [path = '', query = ''] = target.split('?');
  const segments = path.split('/').filter((one) => /[^a-z-]/.test(one));
  const values = query.split('&').map((pair) => pair.split('=')[1] ?? '');
  return [...segments, ...values, ...(typeof body === 'string' ? wordsIn(body) : [])].filter((one) => one !== '');
}

/** The strings and numbers of a text in JSON. */
const wordsIn = (json: string): string[] =>
  [...json.matchAll(/:\s*(?:"((?:[^"\\]|\\.)*)"|(\d+))/g)].map(([, text, number]) => text ?? number ?? '');
