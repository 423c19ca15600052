import { isExchange, type Act as ReportedAct } from '../report/report.ts';
import { Random } from '../requests/random.ts';
import type { Session, Subject } from '../session/session.ts';
import { type Act, type Broken, brokenOf, Trial } from './trial.ts';

/** How many sessions are begun at most to make one break shorter. */
const MOST_REPLAYS = 40;

/** How many of the acts before a break are tried together, where those that it names do not show it. */
const CLOSE = 100;

/** A break as it was reproduced. */
export interface Reproduced {
  readonly sequence: readonly ReportedAct[];
  readonly broken: Broken;
}

/** Whether a break is the one that is looked for. */
type IsSame = (broken: Broken) => boolean;

/** Makes acts again in a session of their own. Null where the break does not come in the last of them. */
async function replay(
  subject: Subject,
  seed: number,
  acts: readonly Act[],
  isSame: IsSame,
): Promise<Reproduced | null> {
  const trial = await Trial.begin(subject, Random.of(seed, 0));
  for (const [i, act] of acts.entries()) {
    const sent = await trial.again(act);
    if (!sent) return null;
    const { verdict, exchange } = sent;
    if (verdict.kind !== 'broken') continue;
    if (i < acts.length - 1) return null;
    const broken = brokenOf(exchange, verdict);
    return isSame(broken) ? { sequence: sequenceOf(trial), broken } : null;
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
    if (replays++ >= MOST_REPLAYS || isOver()) return false;
    const reproduced = await replay(subject, seed, tried, isSame);
    if (reproduced) best = { acts: tried, reproduced };
    return reproduced !== null;
  };
  for (const tried of [[last], needed(acts), acts.slice(-CLOSE), acts]) if (await attempt(tried)) break;
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
 * The acts that made what the last one names, and what those name, and so on; and those that may have changed what the
 * last one is about: acts that write and name the same rows.
 */
function needed(acts: readonly Act[]): Act[] {
  const wanted = new Set<Act>(acts.slice(-1));
  const about = new Set(acts.slice(-1).flatMap(rowKeys));
  for (const act of acts.toReversed()) {
    const named = [...wanted].some((one) => textOf(one).includes(` ${act.name} `));
    const touches =
      act.template.method !== 'GET' && act.template.method !== 'HEAD' && rowKeys(act).some((key) => about.has(key));
    if (named || touches) wanted.add(act);
  }
  return acts.filter((act) => wanted.has(act));
}

/** The identities that a request names. */
const rowKeys = (act: Act): string[] => [...textOf(act).matchAll(/uuid (\S+ \d+)/g)].map(([, key]) => key ?? '');

/** What a template says, with a space after each of its keys: a key begins with its kind and the name of its act. */
const textOf = ({ template: { target, headers, body } }: Act): string =>
  [target, ...headers.flat(), typeof body === 'string' ? body : ''].join('\n').replace(/[\u{E002}\u{E003}]/gu, ' ');
