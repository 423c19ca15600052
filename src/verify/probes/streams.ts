import { type StatementId, statementId } from '../../plan/lines.ts';
import type { Plan, StreamPlan } from '../../plan/step.ts';
import { codeId, outcomesOf, payloadShows, textsIn } from '../blame/outcomes.ts';
import type { ExpectedEvent } from '../oracle/events.ts';
import type { Oracle } from '../oracle/oracle.ts';
import type { Random } from '../requests/random.ts';
import type { Session } from '../session/session.ts';
import type { Request } from '../target/exchange.ts';
import { Drive } from './drive.ts';
import { Findings } from './findings.ts';
import { emitting, type Goal, goalsOf, reach } from './goals.ts';
import { attempt, findReading, type OpenStream } from './open-stream.ts';
import type { Probe, ProbeResult } from './probe.ts';
import { Reader, type Reading } from './reader.ts';

/** The largest number of streams that the test opens at once. */
const MOST_AT_ONCE = 50;
/** How long the test waits for the service to notice a closed stream, in milliseconds. */
const GONE_MS = 100;
/** The largest number of such waits. */
const MOST_WAITS = 20;
/** The tolerance for a running clock, in milliseconds. */
const SLACK_MS = 1500;

/** The longest quotation of an answer, in characters. */
const MOST_QUOTED = 300;

const id = (fact: string): StatementId => statementId.part('stream', fact);

/** Reads streams: which events are sent to whom, resumption in time and too late, and the number of open streams. */
export const streams: Probe = {
  name: 'streams',
  needs: () => [],
  applies: ({ stream }: Plan): boolean => stream !== null,
  tries: (of: StatementId, { endpoints }: Plan): boolean =>
    of.kind === 'event' ||
    of.kind === 'seen' ||
    (of.kind === 'part' && of.part === 'stream') ||
    (of.kind === 'endpoint' &&
      of.fact === null &&
      endpoints.some(({ name, after }) => after?.body?.kind === 'stream' && name === of.endpoint)),
  run: async (session: Session, random: Random, isLate?: () => boolean): Promise<ProbeResult> => {
    const findings = new Findings(session.subject.plan);
    const drive = new Drive(session, findings, random, isLate);
    const probe = new Streams(drive, random);
    try {
      await probe.run();
    } finally {
      probe.closeAll();
    }
    return findings.result();
  },
};

class Streams {
  private readonly drive: Drive;
  private readonly random: Random;
  private readonly open: OpenStream[] = [];

  constructor(drive: Drive, random: Random) {
    this.drive = drive;
    this.random = random;
  }

  closeAll(): void {
    for (const stream of this.open) stream.close();
  }

  async run(): Promise<void> {
    const { session, findings } = this.drive;
    const { stream, endpoints } = session.subject.plan;
    session.oracle.state.events = [];
    if (!stream) return;
    for (const endpoint of endpoints.filter(({ after }) => after?.body?.kind === 'stream')) {
      const reading = await findReading(this.drive, this.random, endpoint);
      if (!reading) {
        findings.notTried(id('name'), `No request was found that ${endpoint.name} answers with the stream.`);
        continue;
      }
      await this.read(stream, reading);
      if (findings.isBroken) return;
    }
  }

  private async read(stream: StreamPlan, reading: Reading): Promise<void> {
    const { drive } = this;
    const { findings } = drive;
    const reader = new Reader(drive, reading);
    // A request that revokes the reader’s credentials, or removes its row, would end its stream.
    drive.spares = (oracle, now) => this.mayRead(reading, oracle, now);
    const goals = goalsOf(drive.session.subject.plan, 'stream').map(
      (goal): Goal => ({
        ...goal,
        isMet: (event) => goal.isMet(event) && reader.isSeen(event),
        concerns: (row) => reader.sees(row),
      }),
    );
    const first = await this.listen(reading, reader, [
      // A message that must not be sent would come before those of the other goals.
      ...this.unseen(reader),
      ...goals.filter(({ due }) => due === null),
    ]);
    if (!first || findings.isBroken) return;
    this.judgeRetry(stream, first);
    const ids = first.messages.map(({ id }) => id);
    if (stream.resumption) await this.resume(stream.resumption, reading, reader, ids, goals);
    // Timed events come last, since a reader cannot return to the time before them.
    const timed = goals.filter(({ due }) => due !== null);
    const goesOn = async (): Promise<boolean> => !findings.isBroken && (await this.mayReadNow(reading));
    if (timed.length > 0 && (await goesOn())) await this.listen(reading, reader, timed);
    if (stream.atOnce && (await goesOn())) await this.crowd(stream.atOnce, reading);
  }

  /** The goals that steps emit events which the reader does not see. */
  private unseen(reader: Reader): Goal[] {
    const { plan } = this.drive.session.subject;
    return (plan.emitted ?? []).flatMap((event): Goal[] => {
      if (!event.visible || !event.to.includes('stream')) return [];
      const goal = emitting(plan, event);
      const isMet = (one: ExpectedEvent): boolean => goal.isMet(one) && !reader.isSeen(one);
      const words = `${event.name} that the reader does not see`;
      return [{ ...goal, words, statement: statementId.seen(event.name), isMet }];
    });
  }

  private async mayReadNow(reading: Reading): Promise<boolean> {
    const { session } = this.drive;
    return this.mayRead(reading, session.oracle, await session.now());
  }

  private mayRead({ request }: Reading, oracle: Oracle, now: number): boolean {
    const foreseen = this.drive.session.foreseeBy(oracle, request, now, 'reader');
    // The oracle predicts no answer with a stream, only a refusal.
    return foreseen === null || foreseen.prediction.expected.status === 200;
  }

  /** Opens a stream and causes events, which the stream must send. */
  private async listen(reading: Reading, reader: Reader, goals: readonly Goal[]): Promise<OpenStream | null> {
    const { drive } = this;
    await reader.note();
    const from = reader.count;
    const stream = await this.connect(reading.request);
    if (!stream) return null;
    const judge = async (): Promise<void> => {
      // After a wrong answer, the rows are not known; and a reader whose credentials have ended receives no more
      // events.
      if (drive.findings.isBroken || !(await this.mayReadNow(reading))) return;
      await reader.note();
      await reader.judge(stream, from);
    };
    // A message shows rows with restricted visibility as they are when it is sent, so that it is judged before the next
    // change.
    drive.afterwards = judge;
    // The stream does not send events from before its beginning.
    const before = new Set(drive.session.oracle.state.events);
    for (const goal of goals) {
      await reach(drive, { ...goal, isMet: (event) => !before.has(event) && goal.isMet(event) });
      await judge();
      if (drive.findings.isBroken) break;
    }
    drive.afterwards = null;
    stream.close();
    return stream;
  }

  private judgeRetry({ retry }: StreamPlan, { retry: sent }: OpenStream): void {
    const { findings } = this.drive;
    if (retry !== null && sent === retry) findings.meet(id('retry'), 'sent');
    else if (retry !== sent)
      findings.break({
        statement: id('retry'),
        why: 'A stream says how long to wait before another connection.',
        expected: retry === null ? 'no retry' : `retry: ${retry}`,
        actual: sent === null ? 'no retry' : `retry: ${sent}`,
      });
  }

  /**
   * Tests the resumption of a stream: after the last message, after an earlier one, with an invalid `Last-Event-ID`,
   * and too late.
   */
  private async resume(
    resumption: NonNullable<StreamPlan['resumption']>,
    reading: Reading,
    reader: Reader,
    ids: readonly string[],
    goals: readonly Goal[],
  ): Promise<void> {
    const { drive } = this;
    const { findings, session } = drive;
    const { request } = reading;
    const told = reader.count;
    const from = (id: string): Request => ({ ...request, headers: [...request.headers, ['Last-Event-ID', id]] });
    const lastId = ids.at(-1);
    if (lastId === undefined) {
      findings.notTried(id('resumption'), 'No event arrived from which a reader could resume.');
      return;
    }
    for (const goal of goals) if (await this.again(goal)) break;
    await reader.note();
    const since = (await session.now()) - resumption.milliseconds;
    const first = ids.findIndex((_, place) => reader.timeOf(place) > since + SLACK_MS);
    for (const place of new Set([told - 1, first])) {
      const id = reader.timeOf(place) > since + SLACK_MS ? ids[place] : undefined;
      const stream = id === undefined ? null : await this.connect(from(id), 'resumption');
      if (!stream) continue;
      await reader.renew();
      await reader.judge(stream, place + 1);
      stream.close();
      if (findings.isBroken) return;
    }
    findings.meet(id('resumption'), 'resumed');
    await this.refuse(from('nonsense'), resumption.code, 'resumption', 'The service has given no such id.');
    await this.late(from(lastId), resumption, reader.timeOf(told - 1), reading);
  }

  /** Resumes at the last allowed instant, and after it, which must be refused. */
  private async late(
    request: Request,
    { milliseconds, code }: NonNullable<StreamPlan['resumption']>,
    at: number,
    reading: Reading,
  ): Promise<void> {
    const { drive } = this;
    const { session } = drive;
    const { caller } = reading;
    const expiresAt = caller && session.oracle.state.credentials.get(caller.text)?.expiresAt;
    const end = at + milliseconds;
    const slack = (await session.hasStandingClock()) ? 0 : SLACK_MS;
    const now = await session.now();
    if (!session.subject.setup.clock || now > end - slack || (expiresAt && expiresAt <= end + slack)) return;
    await drive.pass(end - slack - now);
    const stream = (await this.mayReadNow(reading)) ? await this.connect(request, 'resumption') : null;
    if (!stream) return;
    stream.close();
    await drive.pass(2 * slack + 1);
    if (!(await this.mayReadNow(reading))) return;
    await this.refuse(request, code, 'resumption', 'A reader that comes back too late is refused.');
  }

  /** Causes the event of a goal once more, if a single request can do so. */
  private async again({ isMet }: Goal): Promise<boolean> {
    const { drive } = this;
    const known = drive.session.oracle.state.events?.length ?? 0;
    const option = await drive.atOnce(({ foreseen }) => (foreseen.oracle.state.events ?? []).slice(known).some(isMet));
    return option !== null && (await drive.send(option.request)) !== null;
  }

  /** Opens the largest allowed number of streams, and one more, which must be refused. */
  private async crowd(atOnce: NonNullable<StreamPlan['atOnce']>, { request, caller }: Reading): Promise<void> {
    const { drive } = this;
    const { findings } = drive;
    const most = caller ? atOnce.caller : atOnce.nobody;
    if (most === null) return;
    if (most > MOST_AT_ONCE) {
      findings.notTried(id('atOnce'), `It takes ${most} streams, which is more than are opened (${MOST_AT_ONCE}).`);
      return;
    }
    await drive.endWindows();
    const some: OpenStream[] = [];
    // The service may take a moment to notice that streams were closed.
    for (let waits = 0; some.length < most && waits < MOST_WAITS; ) {
      const stream = await this.attempt(request);
      if (stream.status === 200) some.push(stream);
      else {
        waits += 1;
        await new Promise((resolve) => setTimeout(resolve, GONE_MS));
      }
    }
    if (some.length < most) {
      findings.break({
        statement: id('atOnce'),
        why: `${most} streams may be open.`,
        expected: `${most} streams`,
        actual: `${some.length} streams, and one refused`,
      });
      return;
    }
    await this.refuse(request, atOnce.code, 'atOnce', `${most} streams are open, and no more may be.`);
    findings.meet(id('atOnce'), 'refused');
  }

  /**
   * Sends a request that must be refused with a code. A refusal with the right code but another status or title is a
   * break of the code.
   */
  private async refuse(request: Request, code: string, fact: string, why: string): Promise<void> {
    const { session, findings } = this.drive;
    const { plan } = session.subject;
    const { status, refusal } = await this.attempt(request);
    const stated = plan.errors.codes[code];
    const answer = refusal && !('failed' in refusal.outcome) ? refusal.outcome : null;
    const texts = textsIn(answer?.body.toString() ?? '');
    const isOfCode = answer !== null && outcomesOf(plan, answer).codes.has(code);
    const isTitled = !payloadShows(plan, 'title') || texts.has(stated?.title ?? '');
    if (isOfCode && status === stated?.status && isTitled) {
      findings.meet(id(fact), 'refused');
      findings.meet(statementId.code(code), 'answered');
      return;
    }
    const isSaid = texts.has(code);
    const expected = `${stated?.status ?? ''} ${code}: ${stated?.title ?? ''}`;
    findings.break({
      statement: isSaid ? codeId(plan, code) : id(fact),
      why,
      expected,
      actual: isSaid ? `${status} ${answer?.body.toString().slice(0, MOST_QUOTED)}` : String(status),
      sequence: refusal ? [...findings.acts, refusal] : findings.acts,
    });
  }

  /** Opens a stream that must be accepted; reports a break and returns null if it is not. */
  private async connect(request: Request, fact = 'name'): Promise<OpenStream | null> {
    const { findings } = this.drive;
    const stream = await this.attempt(request);
    if (!stream.refusal) {
      findings.acts.push({ operator: `a reader opens ${request.method} ${request.target} and reads on`, gives: null });
      return stream;
    }
    findings.break({
      statement: id(fact),
      why: `${request.method} ${request.target} is answered with the stream.`,
      expected: '200 text/event-stream',
      actual: String(stream.status),
      sequence: [...findings.acts, stream.refusal],
    });
    return null;
  }

  private async attempt(request: Request): Promise<OpenStream> {
    const stream = await attempt(this.drive, request);
    this.open.push(stream);
    return stream;
  }
}
