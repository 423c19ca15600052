import { setTimeout as sleep } from 'node:timers/promises';
import { statementId } from '../../plan/lines.ts';
import type { WebhookPlan } from '../../plan/step.ts';
import { showDuration } from '../../text/units.ts';
import type { ExpectedEvent } from '../oracle/events.ts';
import { type Drive, newEvents } from './drive.ts';
import type { Lag } from './lag.ts';
import type { PostOffice } from './post-office.ts';
import { HELD, type Receiver } from './receiver.ts';
import { type Attempt, NOTICED_MS, PATIENCE_MS, refuseNext, slackFor } from './retries.ts';

const TIMEOUT = statementId.part('webhook', 'timeout');

/** A receiver that does not answer the first attempt of a delivery. */
export class SlowReceiver {
  private readonly drive: Drive;
  private readonly receiver: Receiver;
  private readonly webhook: WebhookPlan;
  /** The attempts to deliver one event. */
  private readonly attempts: readonly Attempt[];

  private constructor(drive: Drive, receiver: Receiver, webhook: WebhookPlan, attempts: SlowReceiver['attempts']) {
    this.drive = drive;
    this.receiver = receiver;
    this.webhook = webhook;
    this.attempts = attempts;
  }

  /**
   * Causes an event whose first delivery the receiver does not answer; null if no event could be caused, or if no
   * delivery arrived.
   */
  static async begin(drive: Drive, office: PostOffice, webhook: WebhookPlan): Promise<SlowReceiver | null> {
    const { session, findings } = drive;
    const { main, receiver } = office;
    if (!session.subject.setup.clock)
      findings.notTried(TIMEOUT, 'The setup lacks a clock that can be moved (`clock`).');
    if (!main || !session.subject.setup.clock || findings.isBroken) return null;
    const isHeard = (event: ExpectedEvent): boolean => main.expectedOf([event]).length > 0;
    const option = await drive.find((one) => newEvents(session, one).some(isHeard));
    if (!option) return null;
    await office.settle();
    const attempts = refuseNext(receiver, main, [HELD, 204]);
    if (findings.isBroken || (await drive.send(option.request)) === null) return null;
    await drive.pass(1);
    const came = await receiver.until(() => attempts.length > 0, PATIENCE_MS);
    return came ? new SlowReceiver(drive, receiver, webhook, attempts) : null;
  }

  /** Waits for the end of the attempt, and for the next attempt if one is required. */
  async conclude(lag: Lag): Promise<void> {
    const { drive, receiver, attempts, webhook } = this;
    const { timeout, delays } = webhook;
    const { at, number } = attempts[0]!;
    const due = at + timeout;
    const ended = (): number | undefined => receiver.left.get(number);
    const after = (end: number): string => `the attempt has ended after ${Math.round(end - at)} ms`;
    while (ended() === undefined && performance.now() < lag.latest(due))
      await receiver.until(() => ended() !== undefined, lag.latest(due) - performance.now());
    const end = ended();
    if (end !== undefined && end < lag.earliest(at, timeout)) return this.broken(after(end));
    if (end !== undefined) await sleep(NOTICED_MS);
    const came = await this.isMadeAgain(delays[0]);
    // A sender may stop waiting and continue while the connection is still open, unless it closes the connection later.
    const later = ended();
    if (later !== undefined && later > lag.latest(due, later)) return this.broken(after(later));
    if (came) drive.findings.meet(TIMEOUT, 'again');
    else if (delays.length > 0) this.broken(`no other attempt ${showDuration(delays[0]!)} after that`);
  }

  /** Whether another attempt comes after a delay; without a delay, no attempt may come. */
  private async isMadeAgain(delay: number | undefined): Promise<boolean> {
    const { drive, receiver, attempts } = this;
    if (delay === undefined) return attempts.length === 1;
    const standing = await drive.session.hasStandingClock();
    await drive.pass(delay + slackFor(delay, standing));
    return receiver.until(() => attempts.length > 1, PATIENCE_MS);
  }

  private broken(actual: string): void {
    this.drive.findings.break({
      statement: TIMEOUT,
      why: `A receiver that has not answered after ${showDuration(this.webhook.timeout)} counts as refusing.`,
      expected: `the attempt ends after ${showDuration(this.webhook.timeout)}, and another one comes`,
      actual,
    });
  }
}
