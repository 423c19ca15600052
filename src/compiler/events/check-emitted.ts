import { alwaysTrue } from '../../expression/tree/always.ts';
import * as t from '../../expression/tree/types.ts';
import type { EmittedPlan } from '../../plan/step.ts';
import { language } from '../../syntax/messages.ts';
import { refuseRepeats } from '../../syntax/names.ts';
import { callerOfStreams } from '../document/access.ts';
import { allSteps } from '../document/all-steps.ts';
import { checkCondition } from '../document/conditions.ts';
import type { Resolved } from '../document/resolve.ts';
import { settledList } from '../document/settled.ts';
import { isPlainName } from '../endpoints/check/checking.ts';
import type { Event, Seen } from '../statements/events.ts';
import { eventsDiagnostics as d } from './messages.ts';

/**
 * Checks the events that steps emit, which are about no row: members of one type each, the order of their deliveries, and
 * the readers of a stream who see them.
 */
export function checkEmitted(r: Resolved): void {
  const { findings } = r.notes;
  const { list, webhook, stream } = r.model.events;
  const order = webhook?.order?.value;
  const emitted = list.filter((event) => event.emitted);
  for (const event of emitted) {
    const { name, payload, notifiedBy } = event;
    if (payload) findings.push(d.report.payloadEmitted(payload.resource, { event: name.text }));
    for (const member of event.members ?? [])
      if (!isPlainName(member.text)) findings.push(d.report.memberName(member, { found: member.text }));
    checkTypes(r, event);
    r.afterAll(() => checkUse(r, event));
    if (!notifiedBy?.value.includes('webhook')) continue;
    if (webhook?.receivers && webhook.receivers.value !== 'operator')
      findings.push(d.report.emittedToRows(notifiedBy, { event: name.text }));
  }
  const sent = emitted.find(({ notifiedBy }) => notifiedBy?.value.includes('webhook'));
  if (sent && typeof order === 'object' && !order.others) {
    const params = { event: sent.name.text, resource: order.resource.text };
    findings.push(d.report.orderOthers(webhook?.order ?? null, params));
  }
  if (!sent && typeof order === 'object' && order.others) findings.push(d.report.othersUnused(webhook?.order ?? null));
  if (stream) checkSeen(r, stream.seen, emitted);
}

/** Reports an event that no step emits. */
function checkUse(r: Resolved, { name, members }: Event): void {
  const { text } = name;
  const emits = r
    .once(allSteps)
    .some(({ one }) => one.every.some((step) => step.verb === 'Emit' && step.event.text === text));
  if (emits || r.isSuggested(text)) return;
  const given = (members ?? []).map((member) => `${member.text} \`value\``).join(', ');
  r.notes.findings.push(d.report.neverEmitted(name, { event: text, members: given }));
}

/** Reports a member that steps give values of different types. */
function checkTypes(r: Resolved, { name, members }: Event): void {
  const [first, ...others] = r.emits.get(name.text) ?? [];
  for (const { text: member } of members ?? [])
    for (const other of others) {
      const [one, another] = [first?.get(member), other.get(member)];
      if (!one || !another || t.comparable(one.value.type, another.value.type)) continue;
      const line = String(r.line(one.token.from));
      const [found, was] = [another, one].map(({ value }) => t.describe(value.type));
      const params = { event: name.text, member, found: found ?? '', first: was ?? '', line };
      r.notes.findings.push(d.report.emittedTypes(another.token, params));
    }
}

/** The types of the members, as far as steps that are understood give them values. */
const typesOf = (r: Resolved, { name, members }: Event): Array<{ readonly name: string; readonly type: t.Type }> =>
  (members ?? []).map(({ text }) => {
    const types = (r.emits.get(name.text) ?? []).flatMap((one) => one.get(text)?.value.type ?? []);
    const [first = t.UNKNOWN, ...others] = types;
    const type = others.reduce((all, other) => (t.comparable(all, other) ? t.either(all, other) : all), first);
    return { name: text, type };
  });

/** The type of `about`: unknown while the members are not stated. */
function aboutType(r: Resolved, event: Event): t.Type {
  const members = Object.fromEntries(typesOf(r, event).map(({ name, type }) => [name, type]));
  return event.members ? { kind: 'object', members, nullable: false } : t.UNKNOWN;
}

/** Checks which readers see the events that steps emit. */
function checkSeen(r: Resolved, seen: readonly Seen[], emitted: readonly Event[]): void {
  const { findings } = r.notes;
  const { list, stream } = r.model.events;
  refuseRepeats(
    seen.map((one) => one.event),
    findings,
    'The bullet “Visible of” for ',
  );
  for (const { event, condition } of seen) {
    const found = list.find(({ name }) => name.text === event.text);
    const params = { event: event.text, resource: found?.when?.resource.text ?? '' };
    if (!found)
      r.unknown(
        event,
        'event',
        emitted.map(({ name }) => name.text),
      );
    else if (found.when) findings.push(d.report.visibleOfRow(event, params));
    else if (found.notifiedBy && !found.notifiedBy.value.includes('stream'))
      findings.push(d.report.visibleOfUnused(event, params));
    if (!found?.emitted || condition === 'everyone') continue;
    const names = callerOfStreams(r, streaming(r, found)).set('about', aboutType(r, found));
    const test = checkCondition(r, condition, r.scope(names, null), '“Visible of”', 'rows');
    if (test && alwaysTrue(test))
      findings.push(language.report.unknown(condition, { found: condition.text, nearest: '', expected: '“everyone”' }));
  }
  for (const { name, notifiedBy } of emitted)
    if (notifiedBy?.value.includes('stream') && !seen.some((one) => one.event.text === name.text))
      findings.push(d.report.visibleOf(stream?.span ?? null, { event: name.text }));
}

/** The endpoints whose stream tells of an event. */
const streaming = (r: Resolved, { name }: Event) =>
  r.effective.filter(({ every }) =>
    every.some(
      (step) =>
        step.verb === 'Answer' &&
        step.stream &&
        (step.stream.events.length === 0 || step.stream.events.some(({ text }) => text === name.text)),
    ),
  );

/** The plans of the events that steps emit; undefined while one is not settled. */
export function planEmitted(r: Resolved): readonly EmittedPlan[] | undefined {
  const { list, stream } = r.model.events;
  return settledList(
    list.flatMap((event): Array<EmittedPlan | undefined> => {
      if (!event.emitted) return [];
      const { name, members, notifiedBy } = event;
      const condition = stream?.seen.find((one) => one.event.text === name.text)?.condition;
      const isStreamed = notifiedBy?.value.includes('stream') ?? false;
      const visible = !isStreamed || condition === 'everyone' ? null : condition && r.expr(condition);
      if (!members || !notifiedBy || visible === undefined) return [undefined];
      return [{ name: name.text, to: notifiedBy.value, members: typesOf(r, event), visible }];
    }),
  );
}
