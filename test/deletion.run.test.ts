import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { after, test } from 'node:test';
import { type Compiled, compile } from '../src/compiler/compile.ts';
import type { Plan } from '../src/plan/step.ts';
import { type Deletion, deletions, documents, fileOf, shortened, type Whole } from './fixtures.ts';
import { share, times } from './share.ts';
import { foreseeable } from './talk/chance.ts';
import { Conversation } from './talk/conversation.ts';
import { SCRIPTS } from './talk/scripts.ts';
import { type Said, Side, type Turn } from './talk/side.ts';
import { TestKeys } from './tokens.ts';

/** How many times every endpoint is asked for what it takes, before anything else. */
const ROUNDS = 3;
/** A conversation written by hand, where there is one, and then those made up: as many as are needed to show something. */
const WRITTEN = 0;
const SEEDS = [WRITTEN, 1, 2, 3, 4];

/** How many things a run removes from a document: a conversation is held with what is left of it. */
const MOST = 4;

type Turns = ReadonlyArray<{ readonly turn: Turn; readonly said: Said }>;

const chance = foreseeable();
after(() => chance.end());

/**
 * The helpdesk needs people of three roles, files and a queue of tickets at once, which no conversation makes up:
 * `test/scenarios/helpdesk.test.ts` shows what it says.
 */
const TALKED_ABOUT = documents().filter(({ name }) => name !== 'helpdesk.md');

for (const document of share(TALKED_ABOUT, 3).cases)
  test(`what ${document.name} can do without shows in what its service says`, () => showAll(document));

/** A document in force, and what has been said to it so far, by seed. */
class Talked {
  readonly keys: TestKeys;
  private readonly whole: Compiled;
  private readonly held = new Map<number, Turns>();

  constructor(whole: Compiled) {
    this.whole = whole;
    this.keys = new TestKeys(whole.plan!);
  }

  async turns(seed: number): Promise<Turns> {
    const known = this.held.get(seed);
    if (known) return known;
    chance.again();
    const side = await this.start(this.whole.plan!);
    const turns = seed === WRITTEN ? await this.written(side) : await this.madeUp(side, seed);
    await side.stop();
    this.held.set(seed, turns);
    assert.equal(await this.difference(this.whole.plan!, seed), null, 'the same says the same');
    return turns;
  }

  private async written(side: Side): Promise<Turns> {
    const turns: Array<Turns[number]> = [];
    const say = async (turn: Turn): Promise<Said> => {
      const said = await side.say(turn);
      turns.push({ turn, said });
      return said;
    };
    await SCRIPTS[basename(this.whole.name)]?.({ say });
    return turns;
  }

  private async madeUp(side: Side, seed: number): Promise<Turns> {
    const conversation = new Conversation(this.whole, side, this.keys, seed);
    await conversation.hold(ROUNDS);
    return conversation.turns;
  }

  /** What another plan first says otherwise, when it is told the same; null where it never does. */
  async difference(plan: Plan, seed: number): Promise<string | null> {
    const turns = await this.turns(seed);
    chance.again();
    const side = await this.start(plan);
    try {
      for (const { turn, said } of turns) {
        const other = await side.say(turn);
        if (other.text !== said.text) return `${said.text}\n → ${other.text}`;
      }
      return null;
    } finally {
      await side.stop();
    }
  }

  private start(plan: Plan): Promise<Side> {
    return Side.start(plan, (scheme) => this.keys.secret(scheme));
  }
}

async function showAll(document: Whole): Promise<void> {
  const whole = compile(fileOf(document.name), document.text);
  const { cases: removals, which } = share([...deletions(document.text), ...shortened(document.text)], MOST, 24);
  const talked = new Talked(whole);
  for (const seed of SEEDS.slice(0, times(1, 2))) await talked.turns(seed);
  let complete = 0;
  const hidden: string[] = [];
  for (const removal of removals) {
    const { findings, notices, plan } = compile(fileOf(document.name), removal.text);
    if (findings.length || notices.length > whole.notices.length) continue;
    complete++;
    if (!(await shows(talked, plan!))) hidden.push(nameOf(removal));
  }
  console.log(
    `${document.name}: removed ${removals.length} (${which}): reported ${removals.length - complete}, complete and shown ${complete - hidden.length}, neither ${hidden.length}`,
  );
  assert.deepEqual(hidden, []);
}

async function shows(talked: Talked, plan: Plan): Promise<boolean> {
  for (const seed of SEEDS) if (await talked.difference(plan, seed)) return true;
  return false;
}

const nameOf = ({ line, what }: Deletion): string => `${line}: ${what}`;
