import type { EndpointContract } from '../../contract/endpoint.ts';
import type { ResourcePlan } from '../../plan/step.ts';
import { duesOf } from '../oracle/dues.ts';
import { markOf, withoutUnknown } from '../oracle/marks.ts';
import type { Oracle } from '../oracle/oracle.ts';
import type { OracleRow } from '../oracle/rows.ts';
import { requestsByChance } from '../requests/by-chance.ts';
import type { Candidate } from '../requests/candidate.ts';
import type { Known } from '../requests/known.ts';
import { renewed } from '../requests/renewed.ts';
import type { Session } from '../session/session.ts';
import { slackOf } from './bounds.ts';
import { endpointsOf } from './candidates.ts';
import { chat } from './conversations.ts';
import type { Exploration } from './exploration.ts';

/** The bounds of one search: the acts that it considers, those of all searches of a pass, the scenes that it keeps, and the acts that lead to one. */
const LOOKS = 1500;
const LOOKS_OF_ALL = 10_000;
const MOST_SCENES = 250;
const MOST_ACTS = 14;
/** The number of sequences in a row that cannot be sent to their end before a run gives up. */
const MOST_UNSENT = 3;
/** The probability that an act lets time pass until a row changes by itself, and that it repeats an earlier request. */
const PASSES = 0.12;
const REPEATS = 0.25;
/** The number of next changes of rows to which time may pass. */
const MOST_DUE = 8;
/** The number of requests without effect that a scene repeats after a change. */
const MOST_TRIED = 6;
/** The number of scenes among which the one that was continued least is chosen. */
const CHOICES = 3;
/** From so many rows in one state on, and with one value of a reference, more rows make no other scene. */
const FEW = 2;
const MANY = 5;
/** The weight of an endpoint that writes, against 1 for reads, and the most that it gains by what is untested there. */
const WEIGHT_OF_WRITE = 4;
const MOST_OPEN = 4;
/** The time after each request, in milliseconds: it gives the rows of lists one order. */
const PAUSE_MS = 20;

type Column = ResourcePlan['columns'][number];

/** An act of a sequence: a request, or a length of time that passes, in milliseconds. */
type Act = { readonly send: Candidate } | { readonly pass: number };

/** A state to which a sequence of acts leads, as the oracle computes it: nothing of it has been sent. */
interface Scene {
  readonly oracle: Oracle;
  readonly now: number;
  readonly acts: readonly Act[];
  /** The number of marks before each act, and now: an act may name what an earlier one has drawn. */
  readonly drawn: readonly number[];
  /** The latest requests that led to no other kind of state: after a change they may. */
  readonly tried: readonly Candidate[];
  visits: number;
}

/** The scene after an act, and whether the act shows something new, and whether it may have changed rows. */
interface Outcome {
  readonly scene: Scene;
  readonly isNew: boolean;
  readonly changes: boolean;
}

/**
 * Searches for sequences of requests of which the last one shows something new: a transition from a later state, a
 * refusal that depends on several rows, a condition at its bound. The search runs on the oracle alone, and keeps one
 * sequence for each kind of state (as Go-Explore does: A. Ecoffet and others, Nature 590, 2021). Only the requests that
 * a found sequence needs are sent. Ends when nothing more is found. `turns`: the random requests after each sequence.
 */
export async function searchGoals(run: Exploration, turns = 0): Promise<void> {
  const session = await run.session();
  const isOver = (): boolean => run.isOver() || !run.isOn(session);
  let looks = 0;
  for (let unsent = 0; unsent < MOST_UNSENT && looks < LOOKS_OF_ALL && !isOver(); ) {
    const search = new Search(run, session, await session.now());
    const found = search.find();
    looks += search.looks;
    if (!found) return;
    const isDeep = found.acts.length > 1;
    const isSent = await perform(run, session, isDeep ? search.shortened(found) : found);
    unsent = isSent ? 0 : unsent + 1;
    if (isDeep && !isOver()) await chat(run, turns);
  }
}

/** Searches from the present state of a session. */
class Search {
  private readonly run: Exploration;
  private readonly session: Session;
  private readonly root: Scene;
  private readonly scenes: Scene[];
  private readonly outlines: Set<string>;
  /** The endpoints, each as often as it is likely to be called. */
  private readonly weighted: readonly EndpointContract[];
  /** The number of acts that were considered. */
  looks = 0;
  private readonly known = new WeakMap<Oracle, Known>();

  constructor(run: Exploration, session: Session, now: number) {
    this.run = run;
    this.session = session;
    const { oracle } = session;
    this.root = { oracle, now, acts: [], drawn: [oracle.state.draws.count], tried: [], visits: 0 };
    this.scenes = [this.root];
    this.outlines = new Set([outlineOf(oracle, now)]);
    const weightOf = ({ name, writes }: EndpointContract): number =>
      writes ? WEIGHT_OF_WRITE + Math.min(MOST_OPEN, run.openAt(name)) : 1;
    this.weighted = endpointsOf(run).flatMap((one) => Array<EndpointContract>(weightOf(one)).fill(one));
  }

  /** A scene of which the last request shows something new; null where none was found. */
  find(): Scene | null {
    for (; this.looks < LOOKS && !this.run.isOver(); this.looks++) {
      const scene = this.leastVisited();
      scene.visits += 1;
      const act = this.nextAct(scene);
      const next = act && this.after(scene, act);
      if (!next) continue;
      if (next.isNew) return next.scene;
      this.keep(next, scene);
    }
    return null;
  }

  /** A scene without the acts that its last request does not need. */
  shortened(found: Scene): Scene {
    let best = found;
    for (let at = found.acts.length - 2; at >= 0; at--) best = this.without(best, at) ?? best;
    return best;
  }

  private leastVisited(): Scene {
    const some = Array.from({ length: CHOICES }, () => this.run.random.pick(this.scenes));
    return some.reduce((least, one) => (one.visits < least.visits ? one : least));
  }

  private nextAct(scene: Scene): Act | null {
    const { run, session } = this;
    const { random, subject } = run;
    const { oracle, now, acts, tried } = scene;
    if (subject.setup.clock && random.chance(PASSES)) {
      const due = random.among(duesOf(oracle, now).slice(0, MOST_DUE));
      if (due) return { pass: Math.max(1, due.at - now + slackOf(session)) };
    }
    if (random.chance(REPEATS)) {
      const again = random.among([...tried, ...acts.flatMap((act) => ('send' in act ? [act.send] : []))]);
      const endpoint = this.weighted.find(({ name }) => name === again?.endpoint);
      if (again && endpoint) return { send: renewed(again, endpoint, random) };
    }
    const endpoint = random.among(this.weighted);
    const [version] = subject.contract.versions;
    if (!version || !endpoint) return null;
    const known = this.known.get(oracle) ?? session.known(now, oracle);
    this.known.set(oracle, known);
    for (const send of requestsByChance({ ...subject, version, endpoint, known, random }, 1, known)) return { send };
    return null;
  }

  /** The scene after an act, and whether the act shows something new; null where its answer is not known. */
  private after(scene: Scene, act: Act): Outcome | null {
    const { oracle, now, acts, drawn } = scene;
    const next = { ...scene, acts: [...acts, act], visits: 0 };
    if ('pass' in act)
      return {
        scene: { ...next, now: now + act.pass, drawn: [...drawn, drawn.at(-1) ?? 0] },
        isNew: false,
        changes: true,
      };
    const foreseen = this.session.imagine(oracle, act.send.request, now, `imagined ${acts.length}`);
    if (!foreseen) return null;
    const { state } = foreseen.oracle;
    state.windows.clear();
    const after = { ...next, oracle: foreseen.oracle, now: now + PAUSE_MS, drawn: [...drawn, state.draws.count] };
    const { endpoint, expected } = foreseen.prediction;
    const changes = (endpoint?.writes ?? false) && expected.status < 300;
    return { scene: after, isNew: this.run.tellsAfter(act.send, oracle, now, foreseen), changes };
  }

  /** Keeps a scene of a new kind, and the request of another one, to be repeated later. */
  private keep({ scene: next, changes }: Outcome, scene: Scene): void {
    const outline = changes ? outlineOf(next.oracle, next.now) : null;
    const isNew = outline !== null && !this.outlines.has(outline);
    const last = next.acts.at(-1);
    if (!isNew && last && 'send' in last) {
      const at = this.scenes.indexOf(scene);
      if (at >= 0) this.scenes[at] = { ...scene, tried: [last.send, ...scene.tried].slice(0, MOST_TRIED) };
    }
    if (!isNew || this.scenes.length >= MOST_SCENES || next.acts.length >= MOST_ACTS) return;
    this.outlines.add(outline);
    this.scenes.push(next);
  }

  /** A scene without one of its acts; null where its last request then shows nothing new. */
  private without({ acts, drawn }: Scene, left: number): Scene | null {
    let scene = this.root;
    const bases: Array<number | null> = [];
    for (const [i, act] of acts.entries()) {
      bases.push(i === left ? null : (scene.drawn.at(-1) ?? 0));
      if (i === left) continue;
      const again = withMarks(act, (kind, number) => {
        const moved = movedTo(number, drawn, bases);
        return moved === null ? null : markOf(kind, moved);
      });
      const next = again && this.after(scene, again);
      if (!next) return null;
      if (next.isNew) return next.scene;
      scene = next.scene;
    }
    return null;
  }
}

/** The number of a mark when its act runs again; null where the act was left out. `bases`: the marks before each act. */
function movedTo(number: number, drawn: readonly number[], bases: ReadonlyArray<number | null>): number | null {
  const at = drawn.findLastIndex((count) => count < number);
  const base = bases[at];
  return at < 0 ? number : base === undefined || base === null ? null : base + number - (drawn[at] ?? 0);
}

/** An act with other texts in the place of marks; null where a mark has none. */
function withMarks(act: Act, of: Parameters<typeof withoutUnknown>[1]): Act | null {
  if ('pass' in act) return act;
  const { request } = act.send;
  const target = request.target.replace(/%EE%80%80.*?%EE%80%81/g, decodeURIComponent);
  const texts = [target, ...request.headers.map(([, value]) => value)].map((text) => withoutUnknown(text, of));
  const body = request.body && withoutUnknown(request.body.toString(), of);
  if (texts.includes(null) || (request.body && body === null)) return null;
  const headers = request.headers.map(([name], i) => [name, texts[i + 1] ?? ''] as const);
  const isSame = body === request.body?.toString();
  const changed = isSame || body === null ? request.body : Buffer.from(body);
  return { send: { ...act.send, request: { ...request, target: texts[0] ?? '', headers, body: changed } } };
}

/**
 * Sends the requests of a scene, with the values that answers have shown in the place of marks. Returns whether all of
 * them were sent.
 */
async function perform(run: Exploration, session: Session, { acts, drawn }: Scene): Promise<boolean> {
  const bases: number[] = [];
  for (const [i, act] of acts.entries()) {
    if (run.isOver() || !run.isOn(session)) return false;
    if ('pass' in act) {
      const now = await session.now();
      // Requests take other times than those that the search assumed.
      const far = ({ at }: { readonly at: number }): number => Math.abs(at - now - act.pass);
      const [due] = duesOf(session.oracle, now).sort((a, b) => far(a) - far(b));
      if (due) await run.passInstant(session, due.at);
      continue;
    }
    const { draws } = session.oracle.state;
    bases[i] = draws.count;
    const again = withMarks(act, (kind, number) => {
      const moved = movedTo(number, drawn, bases);
      return moved === null ? null : draws.textOf(markOf(kind, moved));
    });
    if (!again || !('send' in again) || !(await run.predicted(again.send)) || !run.isOn(session)) return false;
    await run.dispatch(again.send);
  }
  return true;
}

/** A text that is equal for states of one kind: the number of rows in each state, and of rows that refer to one row. */
function outlineOf(oracle: Oracle, now: number): string {
  const later = oracle.copy();
  later.passTime(now, 'outline');
  const { plan, rows, credentials } = later.state;
  const counts = plan.resources.flatMap(({ name, states, columns }) => {
    const kindOf = (row: OracleRow): string =>
      [name, ...columns.flatMap((one) => (isKind(one, states) ? String(row.get(one.name)) : []))].join();
    const all = rows.all(name);
    const some = [...Map.groupBy(all, kindOf)].map(([kind, of]) => `${kind} ${Math.min(FEW, of.length)}`);
    const most = columns.flatMap(({ name: field, reference }) => {
      const groups = Map.groupBy(reference === null ? [] : all, (row) => `${kindOf(row)} ${row.get(field)}`);
      const sizes = Map.groupBy([...groups.values()], ([first]) => (first ? kindOf(first) : ''));
      return [...sizes].map(
        ([kind, of]) => `${kind} ${field} ${Math.min(MANY, Math.max(...of.map((one) => one.length)))}`,
      );
    });
    return [...some, ...most].sort();
  });
  return [...counts, credentials.size].join(';');
}

/** Whether a column holds the state of a row, or one of two values. */
const isKind = ({ name, rule }: Column, states: ResourcePlan['states']): boolean =>
  states?.field === name || rule.kind === 'boolean';
