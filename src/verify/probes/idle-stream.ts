import { statementId } from '../../plan/lines.ts';
import { showDuration } from '../../text/units.ts';
import type { Random } from '../requests/random.ts';
import { EventStream } from '../target/event-stream.ts';
import type { Drive } from './drive.ts';
import type { Lag } from './lag.ts';
import { findReading } from './open-stream.ts';

const HEARTBEAT = statementId.part('stream', 'heartbeat');
/** A message within this time after the head of a stream belongs to its beginning, and is no heartbeat. */
const HEAD_MS = 300;

/** A stream without events, so that only heartbeats come. */
export class IdleStream {
  private readonly drive: Drive;
  private readonly stream: EventStream;
  private readonly every: number;
  private readonly begun = performance.now();

  private constructor(drive: Drive, stream: EventStream, every: number) {
    this.drive = drive;
    this.stream = stream;
    this.every = every;
  }

  /**
   * Opens a stream and sends nothing. `every`: the interval of heartbeats in milliseconds. Returns null if no caller
   * may read a stream.
   */
  static async begin(drive: Drive, random: Random, every: number): Promise<IdleStream | null> {
    const { session, findings } = drive;
    for (const endpoint of session.subject.plan.endpoints) {
      if (endpoint.after?.body?.kind !== 'stream') continue;
      const reading = await findReading(drive, random, endpoint);
      const answer = reading && (await session.subject.target.follow(reading.request));
      if (!(answer instanceof EventStream)) continue;
      await session.counted(reading!.request, drive.name());
      const { method, target } = reading!.request;
      findings.acts.push({ operator: `a reader opens ${method} ${target} and reads on`, gives: null });
      return new IdleStream(drive, answer, every);
    }
    return null;
  }

  /**
   * Waits for a heartbeat. A heartbeat that comes too soon may be sent to all streams at the same time: then the next
   * one must come a whole interval later.
   */
  async conclude(lag: Lag): Promise<void> {
    const first = await this.next(this.begun, lag);
    if (first === null) return;
    if (this.isWhole(this.begun, first, lag)) return this.met();
    const second = await this.next(first, lag);
    if (second === null) return;
    if (this.isWhole(first, second, lag)) this.met();
    else this.broken(`another one ${Math.round(second - first)} ms after the one before it`);
  }

  /** The time of the next message without an event; null where none comes in time, or an event comes. */
  private async next(from: number, lag: Lag): Promise<number | null> {
    const { every, stream } = this;
    const latest = (): number => lag.latest(from + every);
    for (;;) {
      const message = await stream.next(latest() - performance.now());
      const now = performance.now();
      if (message === null && now < latest() && !stream.isOver) continue;
      if (message === null) {
        this.broken(stream.isOver ? 'the stream has ended' : `none within ${Math.round(now - from)} ms`);
        return null;
      }
      if (message.data !== null) return null;
      if (now - this.begun > HEAD_MS + lag.between(this.begun, now)) return now;
    }
  }

  /** Whether as much time is between two messages as is stated. */
  private isWhole(from: number, to: number, lag: Lag): boolean {
    return to >= lag.earliest(from, this.every);
  }

  private met(): void {
    this.drive.findings.meet(HEARTBEAT, 'sent');
  }

  private broken(actual: string): void {
    this.drive.findings.break({
      statement: HEARTBEAT,
      why: `While a stream tells of no event, a message without one comes every ${showDuration(this.every)}.`,
      expected: `a message without an event after ${showDuration(this.every)}`,
      actual,
    });
  }

  close(): void {
    this.stream.close();
  }
}
