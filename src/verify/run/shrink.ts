import type { Course } from '../blame/explain.ts';
import type { ReportedStep } from '../report/report.ts';
import { Random } from '../requests/random.ts';
import type { ReplayableRequest } from '../session/replayable.ts';
import type { Subject } from '../session/subject.ts';
import { Symbols } from '../session/symbols.ts';
import { needed, sequenceOf, TOLD_MS } from './sequence.ts';
import { type Broken, brokenOf, changesState, Trial } from './trial.ts';

/** The largest number of sessions that are begun to shorten one break. */
const MOST_REPLAYS = 120;

/**
 * The largest number of requests that are sent to shorten a break: a number for each act before the break, and a
 * constant.
 */
const SENT_FOR_EACH = 6;
const SENT_BESIDES = 3000;

/** The number of acts directly before a break that are tried if the acts that created its rows do not reproduce it. */
const CLOSE = 100;

/** The length of a sequence, in acts, up to which the test does not try to use fewer callers. */
const SHORT = 4;

/** A reproduced break. */
export interface Reproduced {
  readonly sequence: readonly ReportedStep[];
  readonly broken: Broken;
  readonly course: Course;
  /** The requests of the sequence, as another session can send them. */
  readonly acts?: readonly ReplayableRequest[];
  /** The older version in which the break occurs, if it is known to occur in no other version. */
  readonly version?: string | null;
}

/**
 * The reason why a break was not reproduced: the setup has no reset, the run is over, or the break did not occur again.
 */
export type NotReproduced = 'no reset' | 'no time' | 'not again';

/** The end of the reproduction of a break, besides the number of its requests. */
export interface Ending {
  /** Whether no further requests may be sent. */
  readonly isCut: () => boolean;
}

/**
 * The fewest acts that still show a break, in the last of them: tries the last act alone, then with the acts on which
 * it depends, then without one act after the other.
 */
export async function shrunk(
  subject: Subject,
  seed: number,
  acts: readonly ReplayableRequest[],
  isSame: (broken: Broken) => boolean,
  ending: Ending,
): Promise<Reproduced | NotReproduced> {
  const last = acts.at(-1);
  if (!last || !subject.setup.reset) return 'no reset';
  const shrinking = new Shrinking(subject, seed, isSame, ending, SENT_FOR_EACH * acts.length + SENT_BESIDES);
  const writing = acts.filter((act) => act.writes);
  const made = needed(acts, [last], false);
  const besides = (some: readonly ReplayableRequest[]): ReplayableRequest[] => {
    const wanted = new Set([...some, ...made]);
    return acts.filter((act) => wanted.has(act));
  };
  const wholes = [
    [last],
    made,
    needed(acts, [last], true),
    besides(writing.slice(-CLOSE)),
    besides(writing),
    besides(acts.slice(-CLOSE)),
    acts,
  ];
  const lengths = new Set<number>();
  for (const tried of wholes) {
    if (lengths.has(tried.length)) continue;
    lengths.add(tried.length);
    if (await shrinking.attempt(tried)) break;
  }
  await shrinking.leaveOut();
  await shrinking.shareCallers();
  await shrinking.leaveOutTime();
  return shrinking.best ?? (shrinking.isOver ? 'no time' : 'not again');
}

/** Tries fewer and fewer acts. */
class Shrinking {
  best: Reproduced | null = null;
  private acts: readonly ReplayableRequest[] = [];
  private readonly subject: Subject;
  private readonly seed: number;
  private readonly isSame: (broken: Broken) => boolean;
  private readonly ending: Ending;
  private readonly most: number;
  private replays = 0;
  private sent = 0;

  constructor(subject: Subject, seed: number, isSame: (broken: Broken) => boolean, ending: Ending, most: number) {
    this.subject = subject;
    this.seed = seed;
    this.isSame = isSame;
    this.ending = ending;
    this.most = most;
  }

  /** Whether the search has ended. */
  get isOver(): boolean {
    return this.replays >= MOST_REPLAYS || this.sent >= this.most || this.ending.isCut();
  }

  /** Repeats acts in a new session, up to the break. Returns whether the break occurred. */
  async attempt(acts: readonly ReplayableRequest[]): Promise<boolean> {
    if (this.isOver) return false;
    this.replays += 1;
    const trial = await Trial.begin(this.subject, Random.of(this.seed, 0));
    const made: ReplayableRequest[] = [];
    for (const act of acts) {
      if (this.ending.isCut()) return false;
      const sent = await trial.again(act);
      // An act may name a value that only the answer of a left-out act contained. The act itself may not be needed,
      // either.
      if (!sent) continue;
      this.sent += 1;
      made.push(act);
      const { verdict, exchange } = sent;
      if (verdict.kind !== 'broken') continue;
      const broken = brokenOf(exchange, verdict);
      if (this.isSame(broken)) {
        this.acts = made;
        const sequence = sequenceOf(trial.session, trial.session.exchanges);
        this.best = { sequence, broken, course: trial.course, acts: made };
        return true;
      }
      // Another break may occur first, as in the original run. If it may have changed rows, the state of the service is
      // unknown.
      if (changesState(broken)) return false;
    }
    return false;
  }

  /**
   * Leaves out halves of the acts, then quarters, and so on, and finally single acts until none can be left out (delta
   * debugging).
   */
  async leaveOut(): Promise<void> {
    for (let size = this.acts.length >> 1; size >= 1; ) {
      const before = this.acts.length;
      for (let end = before - 1; end > 0; ) {
        const from = Math.max(0, end - size);
        await this.attempt(this.acts.toSpliced(from, end - from));
        end = Math.min(from, this.acts.length - 1);
      }
      if (size > 1) size >>= 1;
      else if (this.acts.length === before) return;
    }
  }

  /** Lets fewer callers make the same requests, and leaves out the acts that created the other callers. */
  async shareCallers(): Promise<void> {
    let before: readonly ReplayableRequest[] = [];
    while (before !== this.acts && this.acts.length > SHORT) {
      before = this.acts;
      for (const acts of withFewerCallers(before)) {
        if (await this.attempt(acts)) break;
      }
      if (before !== this.acts) await this.leaveOut();
    }
  }

  /**
   * Leaves out all pauses between acts; if the break then disappears, leaves out each pause that the break does not
   * need.
   */
  async leaveOutTime(): Promise<void> {
    if ((this.acts.at(-1)?.at ?? 0) < TOLD_MS) return;
    if (await this.attempt(this.acts.map((act) => ({ ...act, at: 0 })))) return;
    for (let i = 0; i < this.acts.length; i++) {
      const passed = this.acts[i]!.at - (this.acts[i - 1]?.at ?? 0);
      if (passed < TOLD_MS) continue;
      await this.attempt(this.acts.map((act, at) => (at < i ? act : { ...act, at: act.at - passed })));
    }
  }
}

/** A header with a caller's credentials, with symbolic keys in the place of values. */
type Header = readonly [name: string, value: string];

/**
 * Replaces one caller's credentials by another's, one such replacement at a time. Earlier callers are preferred, since
 * the requests that create them come first. A row that another caller could have created needs no caller of its own.
 */
export function* withFewerCallers(acts: readonly ReplayableRequest[]): Generator<ReplayableRequest[]> {
  const used = new Map<string, Header>();
  for (const { template } of acts)
    for (const header of template.headers) if (isCredentials(header)) used.set(header[1], header);
  const all = [...used.values()];
  for (const given of all.toReversed())
    for (const other of all)
      if (given !== other && given[0].toLowerCase() === other[0].toLowerCase())
        yield acts.map((act) => {
          const { template } = act;
          const headers = template.headers.map((one) => (one[1] === given[1] ? other : one));
          return { ...act, template: { ...template, headers } };
        });
}

const isCredentials = ([, value]: Header): boolean => Symbols.keysIn(value).some((key) => key.startsWith('credential'));
