import type { Json } from '../../export/json.ts';
import { eachOnce, statementId } from '../../plan/lines.ts';
import type { SigningPlan } from '../../plan/webhook-signing.ts';
import type { ContractJudge } from '../contract/answers.ts';
import { compareValues, type Difference } from '../judge/compare.ts';
import { type ExpectedEvent, timedCauseOf } from '../oracle/events.ts';
import type { State } from '../oracle/state.ts';
import type { Trace } from '../oracle/trace.ts';
import type { Delivery } from './receiver.ts';
import { deliveryId, type Envelope, type Fault, isFault, readDelivery } from './signature.ts';

/** The largest number of deliveries of one event that may be answered with success. */
const MOST_TAKEN = 2;

/** A receiver that is registered for events. */
export interface Registration {
  /** The path of its URL, by which its deliveries are recognized. */
  readonly path: string;
  readonly url: string;
  /** The events for which the receiver is registered now. */
  readonly events: () => readonly string[];
  /** The version whose names payloads have; empty where the document has none. */
  readonly version: string;
  /**
   * The secrets of the signatures of its deliveries; each delivery is signed with one. Null where no secret is known.
   */
  readonly secrets: () => readonly string[] | null;
  /** Whether the service still sends to the receiver: false once its row is removed or has another address. */
  readonly isThere: () => boolean;
  /** Whether the setup gave its secret, which may differ from the one with which the service signs. */
  readonly isBySetup?: boolean;
}

const OTHER_SECRET =
  'No delivery to this receiver has had a right signature so far. Check that the setup gives the secret with which the service signs.';

/** The deliveries of one receiver, each compared with the events that must be sent to the receiver. */
export class Mailbox {
  readonly registration: Registration;
  /** The event of each webhook-id, as the index among the expected events. */
  private readonly events = new Map<string, number>();
  private readonly bodies = new Map<string, string>();
  /** By how many milliseconds instants may differ, since the exact time of changes in the service is not known. */
  private readonly slack: () => number;
  private readonly declared: ContractJudge;
  private readonly signing: SigningPlan | undefined;
  private read = 0;
  /** The secrets when deliveries were last read. */
  private secrets: readonly string[] | null;
  /** The events for which the receiver was registered before its removal. */
  private chosen: readonly string[] = [];
  /** The number of deliveries whose signature was verified. */
  verified = 0;

  constructor(registration: Registration, slack: () => number, declared: ContractJudge, signing?: SigningPlan) {
    this.signing = signing;
    this.registration = registration;
    this.declared = declared;
    this.slack = slack;
    this.secrets = registration.secrets();
    this.choose();
  }

  private choose(): void {
    if (this.registration.isThere()) this.chosen = this.registration.events();
  }

  /** The events of a list that must be sent to the receiver. */
  expectedOf(all: readonly ExpectedEvent[]): readonly ExpectedEvent[] {
    const { events, url } = this.registration;
    const hears = ({ type, audience }: ExpectedEvent): boolean => audience?.hearing.has(url) ?? events().includes(type);
    return all.filter((event) => event.to.includes('webhook') && hears(event));
  }

  /** Whether a receiver is registered for an event whose row is not visible to the receiver. */
  isUnheard({ audience }: ExpectedEvent): boolean {
    const { url, isThere } = this.registration;
    return isThere() && (audience?.deaf.includes(url) ?? false);
  }

  /** Whether a delivery of every expected event has arrived. */
  isFull(all: readonly ExpectedEvent[], deliveries: readonly Delivery[]): boolean {
    return !this.registration.isThere() || this.told(deliveries) >= this.expectedOf(all).length;
  }

  has(delivery: Pick<Delivery, 'target'>): boolean {
    return delivery.target === this.registration.path;
  }

  /** The id of the event of a delivery. */
  idIn(delivery: Pick<Delivery, 'header'>): string | null {
    return deliveryId(delivery, this.signing);
  }

  private told(deliveries: readonly Delivery[]): number {
    return new Set(deliveries.filter((one) => this.has(one)).map((one) => this.idIn(one))).size;
  }

  /**
   * A delivery that was repeated more than once although it was accepted. One repetition is allowed, since the answer
   * may have been lost.
   */
  takenAgain(deliveries: readonly Delivery[]): Delivery | null {
    const counts = new Map<string, number>();
    for (const one of deliveries) {
      if (!this.has(one) || one.status < 200 || one.status > 299) continue;
      const id = this.idIn(one) ?? '';
      counts.set(id, (counts.get(id) ?? 0) + 1);
      if ((counts.get(id) ?? 0) > MOST_TAKEN) return one;
    }
    return null;
  }

  /** The faults of the deliveries since the last call. */
  faults(deliveries: readonly Delivery[], state: State, now: number, since: number): Fault[] {
    this.choose();
    const news = deliveries.slice(this.read).filter((one) => this.has(one));
    this.read = deliveries.length;
    const slack = this.slack();
    const period = { from: since - slack, to: now + slack };
    const secrets = this.sameSecrets();
    const found = (delivery: Delivery): Fault[] => {
      const envelope = readDelivery(delivery, secrets, period, this.signing);
      if (isFault(envelope)) {
        const doubted = this.registration.isBySetup && this.verified === 0 && envelope.isOfSignature;
        return [doubted ? { ...envelope, why: `${envelope.why} ${OTHER_SECRET}` } : envelope];
      }
      if (secrets !== null) this.verified += 1;
      const known = this.bodies.get(envelope.id);
      if (known === undefined) return this.first(envelope, delivery, state);
      if (known === delivery.body) return [];
      return [differs(envelope.type, 'Each attempt to deliver an event sends the same body.', known, delivery.body)];
    };
    return news.flatMap((delivery) => found(delivery).map((fault) => ({ ...fault, about: delivery.body })));
  }

  /**
   * The secrets, if they did not change since deliveries were last read; otherwise it is not known which one signed a
   * delivery.
   */
  private sameSecrets(): readonly string[] | null {
    const [before, now] = [this.secrets, this.registration.secrets()];
    this.secrets = now;
    return before && now && before.length > 0 && before.join() === now.join() ? now : null;
  }

  /** The expected events without a delivery. */
  missing(all: readonly ExpectedEvent[]): readonly ExpectedEvent[] {
    if (!this.registration.isThere()) return [];
    const told = new Set(this.events.values());
    return this.expectedOf(all).filter((_, i) => !told.has(i));
  }

  /** The rows within payloads that the payloads so far show or hide. */
  *decided(all: readonly ExpectedEvent[]): Generator<Trace> {
    const expected = this.expectedOf(all);
    const { url } = this.registration;
    for (const place of this.events.values()) yield* expected[place]?.audience?.hearing.get(url)?.trace ?? [];
  }

  /** The webhook-id of an expected event; null if no delivery of the event has arrived. */
  idOf(all: readonly ExpectedEvent[], event: ExpectedEvent): string | null {
    const at = this.expectedOf(all).indexOf(event);
    return [...this.events].find(([, place]) => place === at)?.[0] ?? null;
  }

  /**
   * An event that arrived after a later event of the same row; null if there is none. `met` is called for each pair in
   * the right order.
   */
  outOfOrder(all: readonly ExpectedEvent[], met: () => void): ExpectedEvent | null {
    const expected = this.expectedOf(all);
    const latest = new Map<string, number>();
    for (const place of this.events.values()) {
      const event = expected[place];
      if (!event) continue;
      const row = event.row ? `${event.resource} ${event.identity}` : `event ${event.type}`;
      const before = latest.get(row);
      if (before !== undefined && before > place) return event;
      if (before !== undefined) met();
      latest.set(row, place);
    }
    return null;
  }

  private first(envelope: Envelope, { body }: Delivery, state: State): Fault[] {
    this.bodies.set(envelope.id, body);
    const taken = new Set(this.events.values());
    const open = this.expectedOf(state.events ?? []).flatMap((event, place) =>
      taken.has(place) ? [] : [{ event, place, differences: this.compared(event, envelope, state) }],
    );
    const fitting = open.find(({ event, differences }) => event.type === envelope.type && differences.length === 0);
    if (fitting) {
      this.events.set(envelope.id, fitting.place);
      return undeclared(this.declared, this.registration.version, envelope);
    }
    const same = open.find(({ event }) => event.type === envelope.type);
    if (same) {
      this.events.set(envelope.id, same.place);
      const [first] = same.differences;
      const where = same.differences.map(({ at }) => at).join(', ');
      const fault = differs(same.event.type, `The delivery differs at: ${where}.`, first?.expected, first?.actual);
      const timed = where === 'timestamp' ? timedCauseOf(state.plan, same.event) : null;
      if (timed !== null) return [{ ...fault, statement: timed, others: [fault.statement] }];
      const decided = same.event.audience?.hearing.get(this.registration.url)?.trace ?? [];
      return [decided.length ? { ...fault, others: eachOnce(decided.map(({ statement }) => statement)) } : fault];
    }
    const heardElsewhere = (state.events ?? []).find(
      (event) =>
        this.isUnheard(event) && event.type === envelope.type && this.compared(event, envelope, state).length === 0,
    );
    if (heardElsewhere) {
      const why = 'The receiver does not hear of the row that the event is about.';
      return [
        {
          ...differs(envelope.type, why, 'no delivery', body.slice(0, 300)),
          statement: statementId.hears(heardElsewhere.resource),
        },
      ];
    }
    const isKnown = this.chosen.includes(envelope.type);
    const other = isKnown ? undefined : open.find(({ differences }) => differences.length === 0);
    if (other) {
      this.events.set(envelope.id, other.place);
      return [differs(other.event.type, 'The event has another name.', other.event.type, envelope.type)];
    }
    const why = 'Nothing has happened that the event tells of, or the receiver is not registered for it.';
    const fault = differs(envelope.type, why, 'no delivery', body.slice(0, 300));
    return [isKnown ? fault : { ...fault, statement: statementId.part('webhook', 'receivers') }];
  }

  private compared(event: ExpectedEvent, { data, timestamp }: Envelope, state: State): readonly Difference[] {
    const { url, version } = this.registration;
    const expected = event.audience?.hearing.get(url)?.data ?? event.data.get(version) ?? null;
    const { differences, told, instants } = compareValues(expected, data as Json, state.draws);
    const late = timestamp - event.at;
    const slack = this.slack();
    const onTime = Math.abs(late) <= slack;
    const near =
      instants.length === differences.length &&
      instants.every(([ours, theirs]) => Math.abs(theirs - ours) <= slack || state.instants.mayBe(ours, theirs));
    const found = near ? [] : differences;
    if (!onTime) return [...found, { at: 'timestamp', expected: iso(event.at), actual: iso(timestamp) }];
    if (found.length === 0) for (const [mark, value] of told) state.tell(mark, value);
    return found;
  }
}

/** The faults of the payload of an event that has happened, by the contract. */
export function undeclared(
  declared: ContractJudge,
  version: string,
  { type, data }: Pick<Envelope, 'type' | 'data'>,
): Fault[] {
  return declared
    .payloadFaults(type, version, data)
    .slice(0, 1)
    .map(({ at, declared: says, actual }) => {
      const why = `The contract declares another payload (${at.replace('body', 'data')}).`;
      return differs(type, why, `the contract declares ${says}`, actual);
    });
}

const iso = (at: number): string => new Date(at).toISOString();

const differs = (type: string, why: string, expected?: string | null, actual?: string | null): Fault => ({
  statement: statementId.event(type),
  why,
  expected: expected ?? 'nothing',
  actual: actual ?? 'nothing',
});
