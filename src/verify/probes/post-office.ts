import { statementId } from '../../plan/lines.ts';
import { toldByWebhook } from '../../plan/receiver-versions.ts';
import type { Plan } from '../../plan/step.ts';
import type { ExpectedEvent } from '../oracle/events.ts';
import { timedCauseOf } from '../oracle/events.ts';
import type { Drive } from './drive.ts';
import { Mailbox, type Registration } from './mailbox.ts';
import type { Receiver } from './receiver.ts';
import { signUp } from './sign-up.ts';

/** The longest wait for a delivery, if the test cannot know that all deliveries were made, in milliseconds. */
const PATIENCE_MS = 8000;
/** The path prefix of receivers of all events. */
const ALL = '/all';
/** The time for which the test waits for unexpected deliveries, in milliseconds. */
export const LATER_MS = 100;

/** The receivers of a probe, and their deliveries. */
export class PostOffice {
  readonly receiver: Receiver;
  readonly mailboxes: Mailbox[] = [];
  private readonly drive: Drive;
  private readonly since: number;

  private constructor(drive: Drive, receiver: Receiver, since: number) {
    this.drive = drive;
    this.receiver = receiver;
    this.since = since;
  }

  /** The paths of receivers that have answered that they are no longer there. */
  private readonly ended = new Set<string>();

  /**
   * Registers receivers: one for all events, one for a single event, and one for all events in each older version. From
   * here on, the oracle records the events that happen.
   */
  static async open(drive: Drive, receiver: Receiver): Promise<PostOffice> {
    const { session } = drive;
    const { plan } = session.subject;
    const since = await session.now();
    session.oracle.state.events = [];
    const office = new PostOffice(drive, receiver, since);
    if (plan.webhook?.receivers) {
      await office.signUp();
      return office;
    }
    const events = webhookEvents(plan);
    const { versions } = plan;
    const older = (versions?.older ?? []).filter(
      ({ retired, sunset }) => !retired && (sunset === null || sunset > since),
    );
    const wanted = [
      { path: ALL, events, version: versions?.current ?? '' },
      ...(events.length > 1 ? [{ path: '/one', events: events.slice(0, 1), version: versions?.current ?? '' }] : []),
      ...older.map(({ name }, i) => ({ path: `/older-${i + 1}`, events, version: name })),
    ];
    for (const { path, events: chosen, version } of wanted) {
      const url = receiver.url(path);
      const secret = await registered(drive, url, chosen, version || null);
      if (secret === null) break;
      drive.findings.acts.push({ operator: `the operator registers ${url} for ${chosen.join(', ')}`, gives: null });
      const registration = {
        path,
        url,
        events: () => chosen,
        version,
        secrets: () => [secret],
        isThere: () => !office.ended.has(path),
        isBySetup: true,
      };
      office.add(registration);
    }
    return office;
  }

  /**
   * Where receivers are rows, creates those that do not exist, that were removed, or that have chosen fewer events
   * since.
   */
  async signUp(): Promise<void> {
    const { drive, receiver, mailboxes } = this;
    const { plan } = drive.session.subject;
    const receivers = plan.webhook?.receivers;
    if (!receivers) return;
    const events = webhookEvents(plan);
    for (const chosen of [events, events.slice(0, 1)]) {
      const begun = chosen === events ? ALL : '/one';
      const same = mailboxes.filter(({ registration }) => registration.path.startsWith(begun));
      if (same.some(({ registration }) => includesAll(registration.events(), chosen))) continue;
      const path = `${begun}-${same.length + 1}`;
      const registration = await signUp(drive, receivers, path, receiver.url(path), chosen);
      if (registration) this.add(registration);
    }
  }

  private add(registration: Registration): void {
    const { session } = this.drive;
    const { plan, declared } = session.subject;
    this.mailboxes.push(new Mailbox(registration, () => session.slack, declared, plan.webhook?.signing));
  }

  /** Says that the service sends nothing more to a receiver. */
  end({ registration: { path } }: Mailbox): void {
    this.ended.add(path);
  }

  /** The latest receiver of all events that still exists; null where there is none. */
  get main(): Mailbox | null {
    const isMain = ({ registration: { path, isThere } }: Mailbox): boolean => path.startsWith(ALL) && isThere();
    return this.mailboxes.findLast(isMain) ?? null;
  }

  get events(): readonly ExpectedEvent[] {
    return this.drive.session.oracle.state.events ?? [];
  }

  /** The indexes of the receivers to which an event must be sent. */
  hearersOf(event: ExpectedEvent): string {
    return this.mailboxes.flatMap((one, i) => (one.expectedOf([event]).length > 0 ? [i] : [])).join();
  }

  /**
   * Waits for due deliveries, for `patience` milliseconds at most, and compares the deliveries with the expected
   * events. `complete`: an event without a delivery is a break.
   */
  async settle(complete = true, patience = PATIENCE_MS): Promise<void> {
    const { drive, receiver } = this;
    // After a wrong answer, the events that the service should have sent are unknown.
    if (drive.findings.isBroken) return;
    await drive.pass(1);
    const isThere = (): boolean => this.mailboxes.every((one) => one.isFull(this.events, receiver.deliveries));
    await receiver.until(isThere, patience);
    await this.judge(complete);
  }

  /** Waits for deliveries in progress, and then for unexpected ones. */
  async rest(): Promise<void> {
    await this.settle();
    await this.receiver.until(() => false, LATER_MS);
    await this.judge(true);
  }

  /** Judges the deliveries so far; `complete`: all expected deliveries must have come. */
  private async judge(complete: boolean): Promise<void> {
    const { session, findings } = this.drive;
    const { deliveries } = this.receiver;
    const now = await session.now();
    const missed = new Set<ExpectedEvent>();
    for (const mailbox of this.mailboxes) {
      const faults = mailbox.faults(deliveries, session.oracle.state, now, this.since);
      for (const fault of faults) findings.break(fault);
      if (mailbox.verified > 0) findings.meet(statementId.part('webhook', 'signature'), 'verified');
      for (const event of this.events)
        if (mailbox.isUnheard(event)) findings.meet(statementId.hears(event.resource), 'not told');
      if (faults.length === 0)
        for (const { statement, what } of mailbox.decided(this.events)) findings.meet(statement, what);
      // If a delivery is wrong, the missing delivery may be that one, so that it is not reported as well.
      const missing = complete && faults.length === 0 ? mailbox.missing(this.events) : [];
      // If a timed transition did not happen, the state of its row shows the break more directly.
      const timed = missing.find((event) => !missed.has(event) && timedCauseOf(session.subject.plan, event) !== null);
      if (timed && !(await this.drive.readOf(String(timed.identity)))) continue;
      for (const event of missing) {
        // An event without any delivery is reported once.
        if (missed.has(event)) continue;
        missed.add(event);
        findings.break({
          statement: statementId.event(event.type),
          others: event.audience === null ? [] : [statementId.hears(event.resource)],
          why: `The event “${event.type}” has happened, and ${mailbox.registration.path} is registered for it.`,
          expected: JSON.stringify(event.data.get(mailbox.registration.version)).slice(0, 300),
          actual: 'no delivery',
          about: event.identity,
        });
      }
    }
    const again = this.mailboxes.map((one) => one.takenAgain(deliveries)).find((one) => one !== null);
    if (again)
      findings.break({
        statement: statementId.part('webhook', 'delays'),
        why: 'What a receiver has taken (any status from 200 to 299) is not sent again.',
        expected: 'no other delivery',
        actual: again.body.slice(0, 300),
        about: again.body,
      });
    const other = deliveries.find((one) => !this.mailboxes.some((mailbox) => mailbox.has(one)));
    if (other)
      findings.break({
        statement: statementId.part('webhook', 'delivery'),
        why: 'A delivery goes to the URL that was registered, and follows no redirect.',
        expected: 'no request',
        actual: `${other.method} ${other.target}`,
      });
  }

  /** Checks that the events of each row arrived in their order, if the document states one. */
  judgeOrder(): void {
    const { session, findings } = this.drive;
    if (session.subject.plan.webhook?.order === null) return;
    const statement = statementId.part('webhook', 'order');
    for (const mailbox of this.mailboxes) {
      const late = mailbox.outOfOrder(this.events, () => findings.meet(statement, 'kept'));
      if (late)
        findings.break({
          statement,
          why: 'The events of one row come in the order in which they happened.',
          expected: `${late.type} before those that happened after it`,
          actual: `${late.type} came after one that happened later`,
          about: late.identity,
        });
    }
  }
}

/**
 * Registers a receiver. Returns its secret, or null where the service does not know one of the events. Rejects where
 * the setup accepts none of them.
 */
async function registered(
  { session, findings }: Drive,
  url: string,
  events: readonly string[],
  version: string | null,
): Promise<string | null> {
  const { receiver } = session.subject.setup;
  if (!receiver) return null;
  try {
    return await receiver(url, events, version);
  } catch (error) {
    let taken = 0;
    for (const type of events)
      try {
        await receiver(url, [type], version);
        taken += 1;
      } catch (refusal) {
        findings.break({
          statement: statementId.event(type),
          why: `A receiver can be registered for “${type}”.`,
          expected: 'a receiver',
          actual: refusal instanceof Error ? refusal.message : String(refusal),
        });
      }
    if (taken === 0) throw error;
    return null;
  }
}

const includesAll = (all: readonly string[], some: readonly string[]): boolean =>
  some.every((one) => all.includes(one));

/** The events that are notified by webhook. */
export const webhookEvents = (plan: Plan): readonly string[] => toldByWebhook(plan);
