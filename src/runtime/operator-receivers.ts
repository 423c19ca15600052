import { newSecret } from '../expression/values/secret.ts';
import { UuidSource } from '../expression/values/uuid.ts';
import type { Value } from '../expression/values/value.ts';
import { isRegistered, registeredOf, toldByWebhook, unservedReceivers } from '../plan/receiver-versions.ts';
import { call, type Program } from '../store/store.ts';
import { readDuration } from '../text/units.ts';
import type { Engine } from './engine/engine.ts';
import { isPrivate } from './events/guard.ts';
import { mustBeOneOf, OperatorError } from './operator-error.ts';
import type { ReceiverAdded, ReceiverRotated, RegisteredReceiver } from './operator-forms.ts';
import type { OperatorWork } from './operator-work.ts';
import { changeReceivers, type ReceiverChange, versionsToGive } from './receivers.ts';

/** The longest time for which an old secret may stay valid, in milliseconds. */
const LONGEST_MS = 365 * 86_400_000;

/** The receivers of webhooks that the operator registers: adding, changing, pausing and removing them, and their secrets. */
export class OperatorReceivers {
  private readonly engine: Engine;
  private readonly work: OperatorWork;

  constructor(engine: Engine, work: OperatorWork) {
    this.engine = engine;
    this.work = work;
  }

  /** Registers a receiver; returns its secret, which is not shown again. */
  async add(
    url: string,
    events: readonly string[],
    version: string | null,
    allowPrivate: boolean,
  ): Promise<ReceiverAdded> {
    const { plan, versions, store } = this.engine;
    if (!plan.webhook) throw new OperatorError('The document has no webhooks.');
    this.mustRegister();
    this.mustBeTold(events);
    mustBeReachable(url, allowPrivate);
    const spoken = versions.spoken(store.now()).map((apiVersion) => apiVersion.version);
    if (version !== null) mustBeOneOf(version, spoken, 'version');
    const id = `rcv_${new UuidSource(store.random).next(store.now()).replaceAll('-', '')}`;
    const secret = newSecret(store.random);
    const chosen = version ?? versions.current.version;
    await this.work.change((_, now) => this.addProgram([id, url, secret, chosen, allowPrivate, now], events));
    return { id, secret };
  }

  /** Changes the URL, version or events of receivers; returns the ids of the changed ones. */
  async change(change: ReceiverChange): Promise<readonly string[]> {
    this.mustRegister(change.url === null ? null : 'url');
    if (change.events) this.mustBeTold(change.events);
    if (change.renamedEvent) this.mustBeTold([change.renamedEvent.to]);
    if (change.version !== null) mustBeOneOf(change.version, versionsToGive(this.engine), 'version');
    if (change.url !== null) mustBeReachable(change.url, change.allowPrivate);
    const { changed, unknown } = await this.work.change(() => changeReceivers(this.engine, change));
    if (unknown.length) throw unknownReceiver(unknown[0]!);
    return changed;
  }

  /**
   * Pauses receivers: their events are recorded, and their deliveries wait. Receivers that are paused already stay so.
   */
  async pause(ids: readonly string[]): Promise<void> {
    await this.each(ids, (id, now) => call(this.work.system('pause receiver'), [now, id]));
  }

  /** Resumes paused receivers: deliveries that have waited are sent, and new ones. */
  async resume(ids: readonly string[]): Promise<void> {
    await this.each(ids, (id) => call(this.work.system('resume receiver'), [id]));
  }

  /**
   * Gives a receiver a new secret. `oldFor` is how long the old one signs, too: a duration with a unit, or 0. While two
   * secrets are valid, only 0 is allowed, which ends both.
   */
  async rotate(id: string, oldFor: string): Promise<ReceiverRotated> {
    this.mustRegister('secret');
    const keptMs = oldFor.trim() === '0' ? 0 : readDuration(oldFor, LONGEST_MS);
    if (keptMs === null)
      throw new OperatorError(
        `“${oldFor}” is not a duration for the old secret: give a number with a unit, such as 24h or 7 days, at most 365 days; or 0, which ends the old secret at once.`,
        true,
      );
    const secret = newSecret(this.engine.store.random);
    const until = await this.work.change((_, now) => this.rotateProgram(id, secret, keptMs, now));
    return { id, secret, oldSecretUntil: keptMs === 0 ? null : new Date(until).toISOString() };
  }

  /** Returns the registered receivers, including those that the document no longer needs. */
  async list(): Promise<RegisteredReceiver[]> {
    const { plan, store } = this.engine;
    const rows = await this.work.read('registered receivers');
    if (rows.length === 0) this.mustRegister();
    const waiting = unservedReceivers(plan, registeredOf(rows)).filter(({ becomes }) => becomes === 'waits');
    const now = store.now();
    return rows.map(([id, url, version, allowPrivate, created, events, paused, oldUntil]) => ({
      id: String(id),
      url: String(url),
      version: String(version),
      waits: waiting.some((one) => one.id === id),
      paused: instant(paused),
      oldSecretUntil: typeof oldUntil === 'number' && oldUntil > now ? instant(oldUntil) : null,
      allowPrivate: allowPrivate === 1,
      created: instant(created),
      events: JSON.parse(events as string) as readonly string[],
    }));
  }

  /** Removes a receiver, even one that the document no longer needs. */
  async remove(id: string): Promise<void> {
    if (!isRegistered(id)) this.mustRegister();
    const done = await this.work.change(() => call(this.work.system('remove receiver'), [id]));
    if (done.length === 0) throw unknownReceiver(id);
  }

  /** Runs a change for each receiver; changes none where one of the receivers doesn't exist. */
  private async each(ids: readonly string[], work: (id: string, now: number) => Program<unknown>): Promise<void> {
    this.mustRegister();
    const list = this.work.system('registered receivers');
    await this.work.change(function* (_, now): Program<void> {
      const known = new Set((yield* call(list, [])).map(([id]) => id));
      for (const id of ids) if (!known.has(id)) throw unknownReceiver(id);
      for (const id of ids) yield* work(id, now);
    });
  }

  private *rotateProgram(id: string, secret: string, keptMs: number, now: number): Program<number> {
    const one = (yield* call(this.work.system('registered receivers'), [])).find(([known]) => known === id);
    if (!one) throw unknownReceiver(id);
    const oldUntil = one.at(-1) as number | null;
    if (keptMs > 0 && oldUntil !== null && oldUntil > now)
      throw new OperatorError(
        `Two secrets of ${id} are valid until ${instant(oldUntil)}: a receiver that knows the old one could verify nothing after another rotation. Wait until then, or give 0 as the time: both end at once.`,
      );
    const until = now + keptMs;
    yield* call(this.work.system('rotate secret'), [until, secret, id]);
    // An old secret that ends at once is not kept.
    if (keptMs === 0) yield* call(this.work.system('forget old secrets'), [now]);
    return until;
  }

  private *addProgram(receiver: readonly Value[], events: readonly string[]): Program<void> {
    yield* call(this.work.system('insert receiver'), receiver);
    for (const event of events) yield* call(this.work.system('subscribe receiver'), [receiver[0]!, event]);
  }

  /** Throws where there are no events, or one that webhooks don't report. */
  private mustBeTold(events: readonly string[]): void {
    const known = toldByWebhook(this.engine.plan);
    for (const event of events) mustBeOneOf(event, known, 'event');
    if (events.length === 0)
      throw new OperatorError(`Name the events: --events ${known.join(',')}`, true, {
        plain: 'Choose at least one event.',
      });
  }

  /**
   * Throws where the operator doesn't register receivers: those that are rows are changed as rows. `field` is the one
   * to change.
   */
  private mustRegister(field: 'url' | 'secret' | null = null): void {
    const receivers = this.engine.plan.webhook?.receivers;
    if (!receivers) return;
    const { resource } = receivers;
    const how =
      field &&
      ` \`rows FILE change ${resource} ID ${receivers[field]}=…\` changes it where “Given by” names the operator; otherwise an endpoint of the document does.`;
    throw new OperatorError(
      `The receivers of this document are the rows of ${resource}: use \`rows\`.${how ?? ''}`,
      false,
      { plain: `The receivers of this document are the rows of ${resource}.` },
    );
  }
}

const unknownReceiver = (id: string): OperatorError =>
  new OperatorError(`There is no receiver “${id}”. \`list\` shows the receivers.`, false, {
    missing: true,
    plain: `There is no receiver “${id}”.`,
  });

/**
 * The longest URL of a receiver, in characters; servers and proxies should accept at least 8,000 (RFC 9110, section
 * 4.1).
 */
const LONGEST_URL = 2048;

function mustBeReachable(text: string, allowPrivate: boolean): void {
  if (text.length > LONGEST_URL)
    throw new OperatorError(
      `The URL has ${text.length} characters. The URL of a receiver has at most ${LONGEST_URL}.`,
      true,
    );
  // The URL parser removes these characters: the stored URL would differ from the one that is posted to.
  if (/[\p{Cc}\p{Cf}\p{Z}\\]/u.test(text))
    throw new OperatorError(
      `“${text}” has a space, a backslash or a character that does not show. Write each of them percent-encoded.`,
      true,
    );
  const url = URL.parse(text);
  if (!url || !/^https?:\/\//i.test(text)) throw new OperatorError(`“${text}” is not an http or https URL.`, true);
  if (url.username || url.password) throw new OperatorError('The URL of a receiver has no user and no password.', true);
  if (text.includes('#'))
    throw new OperatorError('The URL of a receiver has no fragment (“#…”), since none is ever sent.', true);
  if (url.port === '0') throw new OperatorError('Nothing listens on port 0. Give the port of the receiver.', true);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!allowPrivate && (host === 'localhost' || (/^[\d.]+$|:/.test(host) && isPrivate(host))))
    throw new OperatorError(`“${host}” is a private address. To allow it, add --allow-private.`, false, {
      plain: `“${host}” is a private address. Allow private addresses to use it.`,
    });
}

const instant = (value: Value | undefined): string | null =>
  typeof value === 'number' ? new Date(value).toISOString() : null;
