import type { Json } from '../../export/json.ts';
import { type StatementId, statementId } from '../../plan/lines.ts';
import { named } from '../../plan/named.ts';
import type { EndpointPlan } from '../../plan/step.ts';
import { isObject } from '../../text/own-members.ts';
import { compareValues } from '../judge/compare.ts';
import { typedClaims } from '../oracle/claims.ts';
import { holds, sees } from '../oracle/evaluate.ts';
import type { ExpectedEvent } from '../oracle/events.ts';
import { hidingMembers } from '../oracle/hiding-members.ts';
import type { OracleRow } from '../oracle/rows.ts';
import type { Transaction } from '../oracle/scope.ts';
import { nameIn, shownRow } from '../oracle/show.ts';
import type { Credentials } from '../requests/known.ts';
import type { Request } from '../target/exchange.ts';
import type { Drive } from './drive.ts';
import { undeclared } from './mailbox.ts';
import type { Message, OpenStream } from './open-stream.ts';

/** The longest wait for a message, in milliseconds. */
const PATIENCE_MS = 8000;

/** A request that reads a stream. */
export interface Reading {
  readonly endpoint: EndpointPlan;
  readonly request: Request;
  readonly caller: Credentials | null;
  /** The API version of the request; empty where the document has none. */
  readonly version: string;
}

/** A message that a reader is to receive. */
interface ExpectedMessage {
  readonly event: ExpectedEvent;
  readonly payload: Json;
  /** The payload where the message is sent again, if that is another one. */
  again: Json;
}

/** The messages that one reader must receive, in order, and those that it has received. */
export class Reader {
  private readonly drive: Drive;
  private readonly reading: Reading;
  private readonly expected: ExpectedMessage[] = [];
  /** The members of each view that not every reader is shown alike. */
  private readonly hiding = new Map<string, ReadonlySet<string>>();
  /** The number of events that were examined so far. */
  private looked: number;

  constructor(drive: Drive, reading: Reading) {
    this.drive = drive;
    this.reading = reading;
    this.looked = this.events.length;
  }

  /** The number of expected messages. */
  get count(): number {
    return this.expected.length;
  }

  /** The time of an event, by its place among the messages. */
  timeOf(place: number): number {
    return this.expected[place]?.event.at ?? 0;
  }

  /** Whether the event is visible to the reader, in the present state of the rows. */
  isSeen(event: ExpectedEvent): boolean {
    return event.row ? this.sees(event.row, event.at) : this.seesEmitted(event, this.workAt(event.at));
  }

  /** Whether the reader sees an event that a step has emitted. */
  private seesEmitted({ type, about }: ExpectedEvent, work: Transaction): boolean {
    const { visible } = named(work.plan.emitted ?? [], type);
    return visible === null || holds(visible, { work, names: new Map([['about', about]]), row: null, sighted: false });
  }

  /** Whether the reader may see a row, as rows are now. */
  sees(row: OracleRow, at = 0): boolean {
    return sees(row, { work: this.workAt(at), names: new Map(), row, sighted: true });
  }

  /** Adds the events since the last call to the expected messages. */
  async note(): Promise<void> {
    const work = this.workAt(await this.drive.session.now());
    const names = this.reading.endpoint.after?.body;
    for (const event of this.events.slice(this.looked)) {
      if (!event.to.includes('stream')) continue;
      if (names?.kind === 'stream' && !names.events.includes(event.type)) continue;
      if (!this.gets(event, work)) continue;
      const payload = this.shownBy(work, event);
      this.expected.push({ event, payload, again: payload });
    }
    this.looked = this.events.length;
  }

  /** Whether an event is sent to the reader. */
  private gets(event: ExpectedEvent, work: Transaction): boolean {
    const { row, resource, type } = event;
    if (row) {
      const scope = { work, names: new Map(), row, sighted: true };
      const now = work.rows.byIdentity(resource, work.rows.identity(row));
      return sees(row, scope) && !(now && !sees(now, scope));
    }
    const isSeen = this.seesEmitted(event, work);
    if (!isSeen) this.drive.findings.meet(statementId.seen(type), 'hidden');
    return isSeen;
  }

  /** Prepares for messages that are sent again: they show rows with restricted visibility in their present state. */
  async renew(): Promise<void> {
    const work = this.workAt(await this.drive.session.now());
    for (const one of this.expected) one.again = this.shownBy(work, one.event);
  }

  /** A recorded payload, in which rows with restricted visibility are in their present state. */
  private shownBy(work: Transaction, event: ExpectedEvent): Json {
    const recorded = this.recorded(event);
    const { resource, row } = event;
    if (!row) return recorded;
    const { plan, version } = work;
    const name = work.rows.plan(resource).events.find((one) => one.name === event.type)?.view ?? '';
    const view = `${resource} ${name}`;
    const own = this.hiding.get(view) ?? hidingMembers(plan, resource, name);
    this.hiding.set(view, own);
    const now = own.size > 0 ? shownRow(row, { resource, name }, { work, names: new Map(), row, sighted: true }) : null;
    if (!isObject(recorded) || !isObject(now)) return recorded;
    const called = new Set([...own].map((field) => nameIn(plan, version, resource, field)));
    const members = new Set([...Object.keys(recorded), ...Object.keys(now)]);
    return Object.fromEntries(
      [...members].flatMap((member) => {
        const from = called.has(member) ? now : recorded;
        return member in from ? [[member, from[member] as Json]] : [];
      }),
    );
  }

  /** Compares the messages of a stream with the expected ones. `from`: the number of events before the stream began. */
  async judge(stream: OpenStream, from: number): Promise<void> {
    await stream.receive(this.expected.length - from, PATIENCE_MS);
    const wanted = this.expected.slice(from);
    for (let i = 0; i < Math.max(wanted.length, stream.messages.length); i++)
      if (!this.holds(wanted[i], stream.messages[i])) return;
  }

  private holds(wanted: ExpectedMessage | undefined, message: Message | undefined): boolean {
    const { findings, session } = this.drive;
    const fault = (statement: StatementId, why: string, expected: string, actual: string): false => {
      const { endpoint } = this.reading;
      const about = wanted?.event.identity ?? message?.data;
      findings.break({ statement, endpoint: endpoint.name, why, expected, actual, about });
      return false;
    };
    if (!wanted) {
      const type = message?.event ?? '';
      const why = 'Nothing has happened that the message tells of and that the reader may see.';
      const emitted = session.subject.plan.emitted?.find(({ name }) => name === type);
      const statement = emitted?.visible ? statementId.seen(type) : statementId.event(type);
      return fault(statement, why, 'no message', `${type} ${message?.data ?? ''}`.slice(0, 300));
    }
    const { event, payload, again } = wanted;
    const key = statementId.event(event.type);
    const text = JSON.stringify(payload).slice(0, 300);
    if (!message) return fault(key, `“${event.type}” has happened, and the stream tells of it.`, text, 'no message');
    if (message.event !== event.type)
      return fault(key, 'The messages of a stream come in the order of the events.', event.type, message.event);
    const read = this.payloadOf(message, event);
    if (read === undefined)
      return fault(
        statementId.part('stream', 'data'),
        'The data of a message has the stated form.',
        'that form',
        message.data.slice(0, 300),
      );
    const asBefore = compareValues(payload, read, session.oracle.state.draws);
    const { differences, told: marks } =
      asBefore.differences.length > 0 ? compareValues(again, read, session.oracle.state.draws) : asBefore;
    const [first] = differences;
    if (first)
      return fault(key, `The payload differs at ${first.at}.`, first.expected ?? 'nothing', first.actual ?? 'nothing');
    for (const [mark, value] of marks) session.oracle.state.tell(mark, value);
    const [other] = undeclared(session.subject.declared, this.reading.version, { type: event.type, data: read });
    if (other) return fault(key, other.why, other.expected, other.actual);
    findings.meet(key, 'stream');
    if (!event.row) findings.meet(statementId.seen(event.type), 'shown');
    return true;
  }

  /** The payload in a message; undefined where the message has another form. */
  private payloadOf({ data }: Message, { type }: ExpectedEvent): Json | undefined {
    let read: Json;
    try {
      read = JSON.parse(data) as Json;
    } catch {
      return undefined;
    }
    if (this.drive.session.subject.plan.stream?.data !== 'envelope') return isEnvelope(read, type) ? undefined : read;
    if (typeof read !== 'object' || read === null || Array.isArray(read)) return undefined;
    const { type: name, timestamp, data: payload } = read as Readonly<Record<string, Json>>;
    const isForm = Object.keys(read).length === 3 && name === type && typeof timestamp === 'string';
    return isForm && !Number.isNaN(Date.parse(timestamp)) ? payload : undefined;
  }

  private get events(): readonly ExpectedEvent[] {
    return this.drive.session.oracle.state.events ?? [];
  }

  private recorded({ data }: ExpectedEvent): Json {
    return data.get(this.reading.version) ?? null;
  }

  /** A transaction of the reader, by which the visibility of rows is decided. */
  private workAt(now: number): Transaction {
    const { session } = this.drive;
    const { caller, version } = this.reading;
    const { rows } = session.oracle.state;
    const row = caller && rows.all(caller.resource).find((one) => String(rows.identity(one)) === caller.identity);
    const { plan, checks } = session.oracle.state;
    const claims = caller && typedClaims(checks, named(plan.schemes, caller.scheme), caller.claims, null);
    const by =
      row && claims ? { row, scopes: caller.scopes, claims, scheme: caller.scheme, credentials: caller.text } : null;
    return session.oracle.begin(now, { version, name: this.drive.name(), caller: by });
  }
}

/** Whether a value is the form that webhooks have, for an event of a name. */
function isEnvelope(value: Json, type: string): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { type: name, ...others } = value as Readonly<Record<string, Json>>;
  return name === type && Object.keys(others).sort().join() === 'data,timestamp';
}
