import { TIME_ZONES } from '../../expression/library/zone-names.ts';
import { isZone } from '../../expression/library/zones.ts';
import type { Expr } from '../../expression/tree/expression.ts';
import { isIdentifiers } from '../../expression/tree/member-text.ts';
import { INTEGER, nullable, STRING, TIMESTAMP } from '../../expression/tree/types.ts';
import type { When } from '../../language/states.ts';
import type { Token } from '../../syntax/tokens.ts';
import { showMonths } from '../../text/units.ts';
import type { Resolved } from '../document/resolve.ts';
import { call } from '../expression/functions.ts';
import { expressionDiagnostics } from '../expression/messages.ts';
import { knownBy } from '../expression/synonyms.ts';
import { statesDiagnostics as d } from './messages.ts';

/** A delay of a timed transition by the calendar, such as 1 month after an instant. */
type CalendarDelay = Extract<When, { readonly months: number }>;

/** The zone that inline code names, with no field of the row by the same name; null for an expression of the row. */
function namedZone(r: Resolved, resource: string, { text }: Token): string | null {
  const isField = isIdentifiers(text) && (!isZone(text) || r.fieldTypes(resource).has(text));
  return isField ? null : text;
}

/** Checks the zone of a delay: a zone that exists, or a field that holds one. */
export function checkZone(r: Resolved, resource: string, { months, instant, zone }: CalendarDelay): void {
  const { findings } = r.notes;
  if (!zone) {
    findings.push(d.report.calendarZone(instant, { length: showMonths(months), instant: instant.text }));
    return;
  }
  const name = namedZone(r, resource, zone);
  if (name !== null) {
    if (!isZone(name)) findings.push(d.report.noZone(zone, { found: name, write: knownBy(name, TIME_ZONES) ?? '' }));
    return;
  }
  const value = r.type(zone, r.scope(new Map(), resource), null, '“in”', 'row');
  if (!value) return;
  const result = call('addMonths', [AN_INSTANT, ONE, value]);
  if (result.ok) return;
  const { expected, absent } = result;
  findings.push(
    absent
      ? expressionDiagnostics.report.maybeNull(zone, { what: zone.text })
      : expressionDiagnostics.report.mismatch(zone, { what: '“in”', expected, found: zone.text }),
  );
}

const AN_INSTANT: Expr = { op: 'name', name: 'instant', type: TIMESTAMP };
const ONE: Expr = { op: 'const', value: 1, type: INTEGER };

/** The instant at which the delay ends; undefined while unsettled. */
export function endOf(r: Resolved, resource: string, { months, instant, zone }: CalendarDelay): Expr | undefined {
  const from = r.expr(instant);
  const name = zone && namedZone(r, resource, zone);
  const named: Expr | null = name === null ? null : { op: 'const', value: name, type: STRING };
  const where = named ?? (zone ? r.expr(zone) : undefined);
  if (!from || !where) return undefined;
  const [fn, count] = months % 12 === 0 ? (['addYears', months / 12] as const) : (['addMonths', months] as const);
  const by: Expr = { op: 'const', value: count, type: INTEGER };
  return { op: 'call', fn, args: [from, by, where], type: nullable(TIMESTAMP, from.type.nullable) };
}
