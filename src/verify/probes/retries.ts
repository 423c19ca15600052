import { setTimeout as sleep } from 'node:timers/promises';
import { type StatementId, statementId } from '../../plan/lines.ts';
import { transitionIn } from '../../plan/machines.ts';
import type { WebhookPlan } from '../../plan/step.ts';
import { counted } from '../../text/units.ts';
import type { ExpectedEvent } from '../oracle/events.ts';
import type { Session } from '../session/session.ts';
import { type Drive, newEvents, type Option } from './drive.ts';
import type { Mailbox } from './mailbox.ts';
import { LATER_MS, type PostOffice } from './post-office.ts';
import { CUT, type Delivery, type Receiver } from './receiver.ts';
import { type Hint, hintOf } from './retry-after.ts';

/** The refusals of a receiver: any status outside 200 to 299, and the end of the connection without an answer. */
const REFUSALS = [500, 302, 404, CUT, 503, 400, 301, 429, 410] as const;
/**
 * The number of kinds of refusals (such as an error status or a closed connection); each is tried on a delivery that
 * must be retried.
 */
const KINDS = 4;
/** The longest delay of an attempt after its due instant, in milliseconds. */
export const PATIENCE_MS = 8000;
/** The tolerance for a running clock, besides a tenth of the delay. */
const SLACK_MS = 1500;
/**
 * The time in which a sender has to notice that a connection has ended, in milliseconds: its next delay begins then.
 */
export const NOTICED_MS = 500;
/** The time after the last attempt in which no further attempt may arrive, in milliseconds. */
const AFTERWARDS_MS = 3_600_000;

/** An attempt to deliver. */
export type Attempt = Omit<Delivery, 'status'>;

/** By how many milliseconds a clock may be off after a delay; for a standing clock, 1. */
export const slackFor = (delay: number, isStanding: boolean): number =>
  isStanding ? 1 : Math.max(SLACK_MS, delay / 10);

const DELAYS = statementId.part('webhook', 'delays');
const DELIVERY = statementId.part('webhook', 'delivery');
const ORDER = statementId.part('webhook', 'order');
const ENDED = statementId.part('webhook', 'gone');
const RETRY_AFTER = statementId.part('webhook', 'retryAfter');

/** The status of a receiver that is no longer there. */
const GONE = 410;

/** Refuses events at every attempt, until each kind of refusal was followed by another attempt. */
export async function tryRetries(drive: Drive, office: PostOffice): Promise<void> {
  const { session, findings } = drive;
  const { webhook } = session.subject.plan;
  if (!webhook) return;
  if (!session.subject.setup.clock) {
    findings.notTried(DELAYS, 'The setup lacks a clock that can be moved (`clock`).');
    return;
  }
  // A delivery that is never made again is refused only once.
  const each = webhook.delays.length || KINDS;
  const refusals = refusalsFor(webhook);
  const kinds = webhook.retryAfter === undefined ? KINDS : KINDS + 1;
  for (let first = 0; first < kinds && !findings.isBroken && !drive.isLate; first += each) {
    drive.renew();
    await office.signUp();
    if (office.main) await tryOne(drive, office, office.main, webhook, { refusals: refusals.slice(first), first });
  }
  if (webhook.gone && office.main && !findings.isBroken && !drive.isLate)
    await tryGone(drive, office, office.main, webhook);
}

/** The refusals for a webhook: without 410 where that is none, and first those that have headers where these are heeded. */
function refusalsFor({ gone, retryAfter }: WebhookPlan): readonly number[] {
  const all = gone ? REFUSALS.filter((one) => one !== GONE) : REFUSALS;
  if (retryAfter === undefined) return all;
  const answered = all.filter((one) => one !== CUT);
  return answered.toSpliced(KINDS, 0, CUT);
}

/** Answers 410 to a delivery: the receiver must get nothing more. */
async function tryGone(drive: Drive, office: PostOffice, mailbox: Mailbox, { delays }: WebhookPlan): Promise<void> {
  const { session, findings } = drive;
  drive.renew();
  const isHeard = (event: ExpectedEvent): boolean => mailbox.expectedOf([event]).length > 0;
  const isTold = (one: Option): boolean => newEvents(session, one).some(isHeard);
  const option = (await drive.find((one) => isTold(one) && mayGoOn(session, one))) ?? (await drive.find(isTold));
  if (!option) return findings.notTried(ENDED, 'No request was found that has another event happen.');
  await office.settle();
  const attempts = refuseNext(office.receiver, mailbox, [GONE]);
  const told = office.events.length;
  if (findings.isBroken || (await drive.send(option.request)) === null) return;
  const event = office.events.slice(told).find(isHeard);
  await drive.pass(1);
  await office.receiver.until(() => attempts.length > 0, PATIENCE_MS);
  if (!event || attempts.length === 0) return office.settle();
  office.end(mailbox);
  const arrived = (): number => office.receiver.deliveries.filter((one) => mailbox.has(one)).length;
  // The answer has to reach the service before another event happens.
  await office.receiver.until(() => false, LATER_MS);
  const before = arrived();
  await causeLater(drive, event, () => true);
  await drive.pass(2 * Math.max(0, ...delays) + AFTERWARDS_MS);
  await office.receiver.until(() => arrived() > before, LATER_MS);
  if (arrived() === before) findings.meet(ENDED, 'removed');
  else
    findings.break({
      statement: ENDED,
      why: 'A receiver that has answered 410 is removed.',
      expected: 'no other delivery to it',
      actual: 'a delivery',
      about: event.identity,
    });
}

/** Refuses every attempt to deliver one event: an attempt must arrive after each delay, and none after the last. */
async function tryOne(
  drive: Drive,
  office: PostOffice,
  mailbox: Mailbox,
  webhook: WebhookPlan,
  { refusals, first }: { readonly refusals: readonly number[]; readonly first: number },
): Promise<void> {
  const { session, findings } = drive;
  const isHeard = (event: ExpectedEvent): boolean => mailbox.expectedOf([event]).length > 0;
  const isTold = (one: Option): boolean => newEvents(session, one).some(isHeard);
  const option = (await drive.find((one) => isTold(one) && mayGoOn(session, one))) ?? (await drive.find(isTold));
  if (!option) {
    findings.notTried(DELAYS, 'No request was found that has another event happen.');
    return;
  }
  // The requests before it may have had events happen, too.
  await office.settle();
  if (findings.isBroken) return;
  const attempts = refuseNext(office.receiver, mailbox, refusals);
  const told = office.events.length;
  const firstAt = await session.now();
  const most = refusals[0] === CUT ? undefined : webhook.retryAfter;
  const hint = hintOf(webhook.delays[0] ?? 0, most, firstAt, first);
  office.receiver.retryAfter = hint.text;
  if ((await drive.send(option.request)) === null) return;
  const event = office.events.slice(told).find(isHeard);
  await drive.pass(1);
  await office.receiver.until(() => attempts.length > 0, PATIENCE_MS);
  if (!event || attempts.length !== 1) {
    await office.settle();
    return;
  }
  const later = await causeLater(drive, event, isHeard);
  // Without an order, the later event is delivered as soon as any; with an order, it must wait.
  await office.settle(false, later && webhook.order === null ? PATIENCE_MS : LATER_MS);
  // An event that is not retried holds no other event back.
  if (later && webhook.delays.length > 0) judgeHeld(drive, office, mailbox, webhook, later, 'while it is refused');
  if (!findings.isBroken) await follow(drive, office, webhook, { attempts, refusals, first, hint }, firstAt);
  office.receiver.retryAfter = null;
  if (findings.isBroken) return;
  await office.rest();
  office.judgeOrder();
}

/** Whether more events of the row may follow the first event of an option. */
function mayGoOn(session: Session, option: Option): boolean {
  const first = newEvents(session, option).find(({ to }) => to.includes('webhook'));
  if (first && !first.row) return true;
  const resource = session.subject.plan.resources.find(({ name }) => name === first?.resource);
  if (!first?.row || !resource) return false;
  const { row } = first;
  const { events, machines } = resource;
  const isNext = (transition: string): boolean => {
    const { field, from } = transitionIn(machines, transition);
    return from.some((one) => one === row.get(field));
  };
  return events.some(({ on, by, to }) => {
    if (!to.includes('webhook')) return false;
    return on === 'moves' ? by.some(isNext) : on === 'changed' || on === 'removed';
  });
}

/** Makes the receiver refuse its next event, and returns the attempts to deliver that event. */
export function refuseNext(receiver: Receiver, mailbox: Mailbox, refusals: readonly number[]): Attempt[] {
  const attempts: Attempt[] = [];
  receiver.reply = (delivery) => {
    if (!mailbox.has(delivery)) return 204;
    const [first] = attempts;
    if (first && mailbox.idIn(first) !== mailbox.idIn(delivery)) return 204;
    attempts.push(delivery);
    return refusals[(attempts.length - 1) % refusals.length] ?? 500;
  };
  return attempts;
}

/** Causes another event of the same row, or of the same name without a row, for the receiver; null where no request does. */
async function causeLater(
  drive: Drive,
  { resource, identity, row, type }: ExpectedEvent,
  isHeard: (event: ExpectedEvent) => boolean,
): Promise<ExpectedEvent | null> {
  const { session } = drive;
  const isOfRow = (one: ExpectedEvent): boolean =>
    one.resource === resource && one.identity === identity && (row !== null || one.type === type) && isHeard(one);
  const option = await drive.atOnce((one) => newEvents(session, one).some(isOfRow));
  const before = session.oracle.state.events?.length ?? 0;
  if (!option || (await drive.send(option.request)) === null) return null;
  return session.oracle.state.events?.slice(before).find(isOfRow) ?? null;
}

/** With an order by row, an event waits for the event before it; without an order, for none. */
function judgeHeld(
  { findings }: Drive,
  office: PostOffice,
  mailbox: Mailbox,
  { order }: WebhookPlan,
  later: ExpectedEvent,
  when: string,
): void {
  const came = mailbox.idOf(office.events, later) !== null;
  if (came === (order === null)) {
    if (order !== null) findings.meet(ORDER, 'kept');
    return;
  }
  findings.break({
    statement: ORDER,
    why: order === null ? 'No event waits for another.' : 'An event waits for the one before it of the same row.',
    expected: `${came ? 'no delivery' : 'a delivery'} of ${later.type} ${when}`,
    actual: came ? 'a delivery' : 'no delivery',
    about: later.identity,
  });
}

/** The refusals of the attempts to deliver one event. */
interface Refusing {
  readonly attempts: readonly Attempt[];
  readonly refusals: readonly number[];
  /** The number of the first refusal among those of all deliveries. */
  readonly first: number;
  /** The hint of the first refusal. */
  readonly hint: Hint;
}

/** Moves the clock from one attempt to the next. */
async function follow(
  drive: Drive,
  office: PostOffice,
  { delays, retryAfter }: WebhookPlan,
  { attempts, refusals, first, hint: firstHint }: Refusing,
  firstAt: number,
): Promise<void> {
  const { findings, session } = drive;
  const standing = await session.hasStandingClock();
  // Each attempt was made between two instants, however long the tester took meanwhile.
  let [from, to] = [firstAt, await session.now()];
  let hint = firstHint;
  for (const [i, stated] of delays.entries()) {
    const { text, kind } = hint;
    const delay = hint.waitFrom(from);
    const slack = slackFor(delay, standing);
    // A stated delay that is not kept breaks the delays, and one that the receiver has asked for breaks Retry-After.
    const statement = delay === stated && kind !== 'shorter' ? DELAYS : RETRY_AFTER;
    const hinted = text === null ? '' : `, with Retry-After: ${text}`;
    const words = `attempt ${i + 2} comes ${delay / 1000} s after the one before it${hinted}`;
    const most = refusals[(i + 1) % refusals.length] === CUT ? undefined : retryAfter;
    hint = hintOf(delays[i + 1] ?? 0, most, (await session.now()) + delay, first + i + 1);
    office.receiver.retryAfter = hint.text;
    if (refusals[i % refusals.length] === CUT) await sleep(NOTICED_MS);
    await drive.pass(delay - slack - ((await session.now()) - from));
    const isSooner = attempts.length > i + 1;
    const now = await session.now();
    // The time of a running clock is known only approximately.
    if (isSooner && now - from < delay - (standing ? 0 : slack / 2))
      return tooMany(drive, `${words}, and not sooner`, attempts.length, statement);
    await drive.pass(delay + slack - (now - to));
    const came = await office.receiver.until(() => attempts.length > i + 1, PATIENCE_MS);
    if (!came) {
      // Distinguishes an attempt that comes too late, which breaks the delays, from a delivery that is never retried.
      if (i === 0) await drive.pass(2 * delay + AFTERWARDS_MS);
      const isLate = i > 0 || (await office.receiver.until(() => attempts.length > 1, PATIENCE_MS));
      return missing(drive, isLate ? statement : DELIVERY, words, i + 1);
    }
    findings.meet(DELIVERY, 'again');
    findings.meet(DELAYS, `attempt ${i + 2}`);
    if (kind !== null) findings.meet(RETRY_AFTER, kind);
    [from, to] = [isSooner ? from : now, await session.now()];
  }
  await drive.pass(2 * Math.max(0, ...delays) + AFTERWARDS_MS);
  await sleep(standing ? 0 : SLACK_MS);
  if (attempts.length > delays.length + 1)
    tooMany(drive, `${delays.length + 1} attempts, and then none`, attempts.length);
  else findings.meet(DELAYS, 'no more');
}

function tooMany({ findings }: Drive, expected: string, attempts: number, statement: StatementId = DELAYS): void {
  const why = 'A delivery that is refused is made again after the delays that are stated, and no more often.';
  findings.break({ statement, why, expected, actual: counted(attempts, 'attempt') });
}

function missing({ findings }: Drive, statement: StatementId, expected: string, attempts: number): void {
  const why = 'A delivery that is refused (any status but 200 to 299) is made again after the delay that is stated.';
  findings.break({ statement, why, expected, actual: `${counted(attempts, 'attempt')} by then, and no other` });
}
