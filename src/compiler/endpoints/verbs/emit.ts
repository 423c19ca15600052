import * as t from '../../../expression/tree/types.ts';
import type { GivenPlan } from '../../../plan/step.ts';
import type { Event } from '../../statements/events.ts';
import { type Checking, isPlainName, type Of } from '../check/checking.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import { isShownKind } from './answer.ts';
import { NOTHING, type VerbModule } from './verb.ts';

/**
 * Emit event with m e, n e
 *
 * The event must be one that steps emit, and each of its members gets a value without rows.
 */
export const EMIT: VerbModule<'Emit'> = {
  does: () => ({ ...NOTHING, keeps: true }),
  check(c, step) {
    const { list } = c.r.model.events;
    const event = list.find(({ name }) => name.text === step.event.text);
    if (!event) {
      const names = list.flatMap(({ name, emitted }) => (emitted ? [name.text] : []));
      c.r.unknown(step.event, 'event', names);
    } else if (!event.emitted && event.when) c.findings.push(d.report.emitRow(step.event, { event: step.event.text }));
    const given = checkMembers(c, step, event?.emitted ? event : null);
    return event?.emitted && given ? { do: 'emit', event: event.name.text, with: given, line: c.line(step) } : null;
  },
};

/** Checks the values of the members; null while one is not settled. `event` is null where the step names no such event. */
function checkMembers(c: Checking, step: Of<'Emit'>, event: Event | null): readonly GivenPlan[] | null {
  const known = event?.members?.map(({ text }) => text) ?? null;
  const given = step.with.flatMap(({ field, value: token }) => {
    if (known && !known.includes(field.text)) c.r.unknown(field, `member of ${step.event.text}`, known);
    const value = c.type(token, null, `“${field.text}”`);
    if (!value) return [];
    const item = itemOf(value.type);
    c.r.answeredKinds.add(item.kind);
    if (value.type.nullable)
      c.r.nullableAnswers.push({ ...token.inner, value: `\`${token.text}\` of ${step.event.text}` });
    if (!isShownKind(item)) {
      c.findings.push(d.report.emitValue(token, { found: t.describe(value.type), member: field.text }));
      return [];
    }
    return [{ field: field.text, value, token }];
  });
  // An unknown member may be a misspelling of any missing one.
  const isStranger = step.with.some(({ field }) => known !== null && !known.includes(field.text));
  for (const name of isStranger ? [] : (known ?? []))
    if (isPlainName(name) && !step.with.some(({ field }) => field.text === name))
      c.findings.push(d.report.emitMember(step.span, { event: step.event.text, member: name }, [c.endpoint]));
  if (!event || given.length < step.with.length || known?.some((name) => !given.some(({ field }) => field === name)))
    return null;
  const emits = c.r.emits.get(event.name.text) ?? [];
  c.r.emits.set(event.name.text, [...emits, new Map(given.map(({ field, ...one }) => [field, one]))]);
  return given.map(({ field, value }) => ({ field, value }));
}

/** The type of the innermost items of a list or map; other types as they are. */
const itemOf = (type: t.Type): t.Type => (type.kind === 'list' || type.kind === 'map' ? itemOf(type.of) : type);
