import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Compiled, compile } from '../src/compile.ts';
import type { Plan } from '../src/plan/step.ts';
import { type Deletion, deletions, documents, shortened, type Whole } from './fixtures.ts';
import { foreseeable } from './talk/chance.ts';
import { Conversation } from './talk/conversation.ts';
import { Side } from './talk/side.ts';
import { TestKeys } from './tokens.ts';

/** How many times every endpoint is asked for what it takes, before anything else. */
const ROUNDS = 3;
/** Conversations of other seeds are held where one shows nothing. */
const SEEDS = [1, 2, 3];

const chance = foreseeable();
after(() => chance.end());

for (const document of documents())
  test(`what ${document.name} can do without shows in what its service says`, () => showAll(document));

/** A document in force, and what has been said to it so far, by seed. */
class Talked {
  readonly keys: TestKeys;
  private readonly whole: Compiled;
  private readonly held = new Map<number, Conversation['turns']>();

  constructor(whole: Compiled) {
    this.whole = whole;
    this.keys = new TestKeys(whole.plan!);
  }

  async turns(seed: number): Promise<Conversation['turns']> {
    const known = this.held.get(seed);
    if (known) return known;
    chance.again();
    const side = await this.start(this.whole.plan!);
    const conversation = new Conversation(this.whole, side, this.keys, seed);
    await conversation.hold(ROUNDS);
    await side.stop();
    this.held.set(seed, conversation.turns);
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
  const whole = compile(document.name, document.text);
  const removals = [...deletions(document.text), ...shortened(document.text)];
  const talked = new Talked(whole);
  assert.equal(await talked.difference(whole.plan!, SEEDS[0]!), null, 'the same service says the same');
  let complete = 0;
  const hidden: string[] = [];
  for (const removal of removals) {
    const { findings, plan } = compile(document.name, removal.text);
    if (findings.length) continue;
    complete++;
    if (!(await shows(talked, plan!))) hidden.push(nameOf(removal));
  }
  console.log(
    `${document.name}: removed ${removals.length}: reported ${removals.length - complete}, complete and shown ${complete - hidden.length}, neither ${hidden.length}`,
  );
  assert.deepEqual(hidden, []);
}

async function shows(talked: Talked, plan: Plan): Promise<boolean> {
  for (const seed of SEEDS) if (await talked.difference(plan, seed)) return true;
  return false;
}

const nameOf = ({ line, what }: Deletion): string => `${line}: ${what}`;
