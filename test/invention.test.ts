import './whole-alone.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ContractJudge } from '../src/verify/contract/answers.ts';
import { judged } from '../src/verify/judge/judge.ts';
import type { Answer } from '../src/verify/target/exchange.ts';
import { faultText } from './contract/fault-text.ts';
import { noteTraffic } from './export/traffic.ts';
import { documents } from './fixtures.ts';
import { SEED, times } from './share.ts';
import { subjectOf } from './subject.ts';
import { ALTERATIONS } from './verify/altered.ts';
import { type Turn, talk } from './verify/talk.ts';
import { wild } from './verify/wild.ts';

/** Of the requests that can be made to a service, a run sends each so many-th. */
const EVERY = times(170, 20);
/** Of the answers, a run makes each so many-th wrong in each way that there is. */
const ALTERED = times(8, 25);

for (const { name, text } of documents()) {
  test(`whatever ${name} answers is stated in it, and is noticed where it is made wrong`, async (t) => {
    const { contract, ...subject } = await subjectOf(t, text);
    const declared = new ContractJudge(contract, 'all declared');
    const tally = new Tally(declared);
    const missed: string[] = [];
    for await (const turn of talk({ contract, ...subject }, SEED, EVERY)) {
      tally.take(turn);
      if (tally.sent % ALTERED === 0) missed.push(...overlooked(turn, declared));
    }
    tally.check(t);
    assert.deepEqual(missed.slice(0, 8), [], `seed ${SEED}: ${missed.length} answers made wrong are not noticed`);
  });

  test(`whatever ${name} answers to requests of random parts is stated in it`, async (t) => {
    const subject = await subjectOf(t, text);
    const tally = new Tally(new ContractJudge(subject.contract, 'all declared'));
    for await (const turn of talk(subject, SEED, EVERY, wild)) tally.take(turn);
    tally.check(t);
  });
}

/** What was answered, and what of it the document does not state. */
class Tally {
  sent = 0;
  private readonly statuses = new Map<number, number>();
  private readonly wrong: string[] = [];
  private readonly declared: ContractJudge;

  constructor(declared: ContractJudge) {
    this.declared = declared;
  }

  take({ what, exchange, differences }: Turn): void {
    const { request, outcome } = exchange;
    this.sent++;
    if ('failed' in outcome) {
      this.wrong.push(`${what}: ${outcome.failed}`);
      return;
    }
    const { status } = outcome;
    const [body, answer] = [request.body?.toString('latin1') ?? null, { ...outcome, body: outcome.body.toString() }];
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    noteTraffic({ ...request, body, answer });
    const faults = [
      ...differences.map(({ at, expected, actual }) => `${at}: expected ${expected}, got ${actual}`),
      ...this.declared.faults(request, outcome).map(faultText),
    ];
    if (faults.length)
      this.wrong.push(
        `${what}\n${JSON.stringify({ ...request, body })}\n${status} ${answer.body}\n${faults.join('\n')}`,
      );
  }

  check(t: TestContext): void {
    const counts = [...this.statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status} ${count}`);
    const { judged: held } = this.declared;
    t.diagnostic(`seed ${SEED}: ${this.sent} requests: ${counts.join(', ')}; ${held} answers held to the contract`);
    assert.ok(this.sent > 0);
    assert.equal(
      this.wrong.length,
      0,
      `seed ${SEED}: ${this.wrong.length} wrong:\n\n${this.wrong.slice(0, 8).join('\n\n')}`,
    );
  }
}

/** The ways in which an answer can be made wrong without anybody noticing: the tests above prove as much as this is empty. */
function overlooked({ what, name, exchange, when, known }: Turn, declared: ContractJudge): string[] {
  const { outcome, request } = exchange;
  // What HTTP itself refuses, such as a control character in a header, the document leaves to the server.
  if ('failed' in outcome || judged(known, exchange, outcome, when, name).kind === 'not judged') return [];
  const isNoticed = (answer: Answer): boolean =>
    judged(known, { ...exchange, outcome: answer }, answer, when, name).kind === 'broken' ||
    declared.faults(request, answer).length > 0;
  return ALTERATIONS.flatMap((one) => {
    const altered = one.alter(outcome);
    return altered && !isNoticed(altered) ? [`${one.name}: ${what}: ${outcome.status} ${outcome.body}`] : [];
  });
}
