import type { Json } from '../../export/json.ts';
import { sameValue, type Value } from '../../expression/values/value.ts';
import { type StatementId, statementId } from '../../plan/lines.ts';
import { transitionsIn } from '../../plan/machines.ts';
import { named } from '../../plan/named.ts';
import type { EventPlan, Plan } from '../../plan/step.ts';
import { hears } from './evaluate.ts';
import type { OracleRow, Rows } from './rows.ts';
import { type EmittedValues, type Given, type Happened, scopeOfRow, type Transaction } from './scope.ts';
import { objectOf, shownRow, written } from './show.ts';
import type { Trace } from './trace.ts';

/** An event that the document says has happened. */
export interface ExpectedEvent {
  /** The name of the event. */
  readonly type: string;
  readonly to: EventPlan['to'];
  /** The resource and the identity of the row of the event; empty for an event that a step has emitted. */
  readonly resource: string;
  readonly identity: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The payload in each version, by its name; of a document without versions, by an empty name. */
  readonly data: ReadonlyMap<string, Json>;
  /** The row in the state of the event; null for an event that a step has emitted. */
  readonly row: OracleRow | null;
  /** The values of the members of an event that a step has emitted; empty for an event about a row. */
  readonly about: ReadonlyMap<string, Given>;
  /** The cause of the event: a transition, or the fields that have changed; empty for all other events. */
  readonly cause: string;
  /** The receivers that are rows and have chosen it; null where the operator registers receivers. */
  readonly audience: Audience | null;
}

/** The addresses of the receivers that have chosen an event. */
interface Audience {
  /** The receivers that hear of the event's row, each with its payload. */
  readonly hearing: ReadonlyMap<string, ReceiverPayload>;
  /** The receivers that do not hear of the event's row. */
  readonly deaf: readonly string[];
}

/** The payload of a receiver that is a row, and the rows whose visibility to the receiver decided on it. */
interface ReceiverPayload {
  readonly data: Json;
  readonly trace: readonly Trace[];
}

/** The events of a transaction that is about to be committed, in their order. */
export function eventsOf(work: Transaction): ExpectedEvent[] {
  const removed = work.happened.filter(({ what }) => what === 'removed');
  const ofRows = work.happened.flatMap((happened) => {
    const { row, what } = happened;
    const removal = removed.find((one) => one.row === row) ?? null;
    // A removed row has not changed: it was removed.
    if (removal && what === 'changed') return [];
    return work.rows
      .plan(row.resource)
      .events.filter((event) => tells(work, event, happened))
      .map((event) => one(work, event, happened, removal?.rows ?? work.rows));
  });
  return [...ofRows, ...work.emitted.map((event) => emitted(work, event))];
}

const versionsOf = ({ plan: { versions } }: Transaction): string[] =>
  versions ? [versions.current, ...versions.older.map((older) => older.name)] : [''];

/** Builds the event that a step has emitted, with its members in the order of the document. */
function emitted(work: Transaction, { event, members }: EmittedValues): ExpectedEvent {
  const payload = (version: string): Json => {
    const scope = scopeOfRow({ ...work, version }, null);
    return objectOf(
      event.members.map(({ name }) => {
        const { value, type } = members.get(name)!;
        return [name, written(value, type, null, scope)];
      }),
    );
  };
  return {
    type: event.name,
    to: event.to,
    resource: '',
    identity: '',
    at: work.now,
    data: new Map(versionsOf(work).map((version) => [version, payload(version)])),
    row: null,
    about: new Map([...members].map(([name, { value }]) => [name, value])),
    cause: '',
    audience: null,
  };
}

/**
 * Builds an expected event. `rows`: all rows at the time when the payload is computed; for a removal, that is before
 * the row is removed.
 */
function one(work: Transaction, event: EventPlan, { row, by }: Happened, rows: Rows): ExpectedEvent {
  const { name, to, view, on } = event;
  const identity = work.rows.identity(row);
  const told = rows.byIdentity(row.resource, identity) ?? row;
  const payload = (version: string, receiver: OracleRow | null = null): ReceiverPayload => {
    const counts = { drawn: 0, usedNow: false };
    const own: Transaction = { ...work, rows, version, caller: null, receiver, trace: [], counts };
    const scope = { ...scopeOfRow(own, told), sighted: receiver !== null };
    const data = shownRow(told, { resource: row.resource, name: view }, scope);
    return { data, trace: own.trace.filter(({ statement }) => statement.kind === 'hears') };
  };
  return {
    type: name,
    to,
    resource: row.resource,
    identity: String(identity),
    at: work.now,
    data: new Map(versionsOf(work).map((version) => [version, payload(version).data])),
    row: told.copy(),
    about: new Map(),
    cause: on === 'moves' ? (by ?? '') : on === 'changed' ? changedIn(work, event, row).join(', ') : '',
    audience: to.includes('webhook') ? audienceOf(work, event, told, rows, payload) : null,
  };
}

/**
 * The receivers of an event, if receivers are rows; otherwise null. `rows`: the rows at the time when the payload is
 * computed. A receiver that the same transaction has removed gets nothing.
 */
function audienceOf(
  work: Transaction,
  event: EventPlan,
  about: OracleRow,
  rows: Rows,
  payload: (version: string, receiver: OracleRow) => ReceiverPayload,
): Audience | null {
  const receivers = work.plan.webhook?.receivers;
  if (!receivers) return null;
  const chose = (row: OracleRow): boolean => {
    const chosen = receivers.events === null ? null : row.get(receivers.events);
    return !Array.isArray(chosen) || chosen.includes(event.name);
  };
  const choosing = rows
    .all(receivers.resource)
    .filter((row) => work.rows.byIdentity(receivers.resource, rows.identity(row)) !== null && chose(row));
  const byHearing = Map.groupBy(choosing, (row) => hears(row, about, { ...work, rows, caller: null }));
  const address = (row: OracleRow): string => String(row.get(receivers.url));
  const version = work.plan.versions?.current ?? '';
  return {
    hearing: new Map((byHearing.get(true) ?? []).map((row) => [address(row), payload(version, row)])),
    deaf: (byHearing.get(false) ?? []).map(address),
  };
}

/** Whether an event is published for a change of a row. */
function tells(work: Transaction, event: EventPlan, { what, by, row }: Happened): boolean {
  if (what === 'moved') return event.on === 'moves' && event.by.includes(by ?? '');
  if (what === 'at') return event.name === by;
  if (what !== event.on) return false;
  return what !== 'changed' || changedIn(work, event, row).length > 0;
}

function changedIn({ before }: Transaction, { fields }: EventPlan, row: OracleRow): string[] {
  const values = before.get(row);
  return fields.filter((field) => !sameValue(values?.get(field) ?? null, row.get(field)));
}

/** Replaces a mark by its value in an event. `again` replaces the mark in JSON, `told` in a value. */
export function eventAgain(
  event: ExpectedEvent,
  again: <T>(one: T) => T,
  told: (value: Value) => Value,
): ExpectedEvent {
  const row = event.row?.copy() ?? null;
  for (const [field, value] of row?.values ?? []) row?.set(field, told(value));
  const about = new Map([...event.about].map(([name, value]) => [name, told(value as Value)]));
  const data = new Map([...event.data].map(([version, one]) => [version, again(one)]));
  const { audience } = event;
  const hearing = [...(audience?.hearing ?? [])].map(([to, one]) => [to, { ...one, data: again(one.data) }] as const);
  const heard = audience && { ...audience, hearing: new Map(hearing) };
  return { ...event, identity: again(event.identity), data, row, about, audience: heard };
}

/** The key of the timed transition that caused an event; null for an event with another cause, or none. */
export function timedCauseOf(
  { resources }: Plan,
  { resource, cause }: Pick<ExpectedEvent, 'resource' | 'cause'>,
): StatementId | null {
  if (resource === '') return null;
  const transitions = transitionsIn(named(resources, resource).machines);
  return transitions.some(({ name, timed }) => name === cause && timed)
    ? statementId.transition(resource, cause)
    : null;
}
