import { type ColumnKind, isScalarKind } from '../../expression/values/kinds.ts';
import type { Fault } from '../../plan/conditions.ts';
import type { StatementId } from '../../plan/lines.ts';
import { boundText, type TextFormat, type ValueRule } from '../../plan/value-forms.ts';
import { type Need, need } from './statement.ts';

/** The fault of a value of another type. */
const wrongType = (kind: ColumnKind): Fault => {
  if (isScalarKind(kind)) return `not_${kind}`;
  return kind === 'map' ? 'not_an_object' : 'not_list';
};

/** The faults of a text that does not have its format. A format that is only described has none. */
const WRONG_FORMAT: Readonly<Partial<Record<TextFormat, Fault>>> = {
  email: 'not_email',
  uri: 'not_uri',
  hostname: 'not_hostname',
  ipv4: 'not_ipv4',
  ipv6: 'not_ipv6',
  'webhook secret': 'not_webhook_secret',
  'time zone': 'not_time_zone',
};

const refusal = (fault: Fault): string => `refused ${fault}`;

/** Kinds for which no parameter is tested with a value of another type: every text is a valid value. */
const TEXTS: ReadonlySet<ColumnKind> = new Set(['text', 'list', 'set', 'map']);

/** The need that a value of another type is refused. `text`: the value is sent as text, as parameters are. */
export function typeNeeds(id: StatementId, rule: ValueRule, text: boolean): Need[] {
  if (text && TEXTS.has(rule.kind)) return rule.items ? typeNeeds(id, rule.items, text) : [];
  return [need('a value of another type is refused', id, refusal(wrongType(rule.kind)))];
}

/** The need that a text without the stated format is refused. */
export function formatNeeds(id: StatementId, { kind, format, items }: ValueRule): Need[] {
  const fault = kind === 'uuid' ? 'not_uuid' : format && WRONG_FORMAT[format];
  const own = fault
    ? [need(`a text that is no ${kind === 'uuid' ? 'UUID' : format} is refused`, id, refusal(fault))]
    : [];
  return [...own, ...(items ? formatNeeds(id, items) : [])];
}

/** The rule of a value in a form, where no list is empty: the name is left out then. */
export const ruleInForm = (rule: ValueRule): ValueRule =>
  rule.items && rule.min === 1 ? { ...rule, min: null } : rule;

/** The faults of values beyond a bound, and the name of the size that the bound limits. */
function boundFaults(kind: ColumnKind): readonly [below: Fault, above: Fault, what: string] {
  if (kind === 'list' || kind === 'set' || kind === 'map') return ['too_few', 'too_many', 'number of items'];
  if (kind === 'text' || kind === 'uuid') return ['too_short', 'too_long', 'length'];
  return ['too_small', 'too_large', 'value'];
}

/**
 * The tests that a value's rules need: each bound is accepted, and a value one step past it is refused; likewise for
 * each other rule.
 */
export function allowedNeeds(id: StatementId, rule: ValueRule, emptyIsNull: boolean): Need[] {
  const { kind, min, max, pattern, oneOf, whole, items, keys } = rule;
  const [below, above, what] = boundFaults(kind);
  const needs: Need[] = [];
  const beyond = (name: string, what: string, fault: Fault, value: number): Need => {
    // If no request can contain the value one step past the bound, any other refused value past the bound is enough.
    const whats = isSendable(rule, value) ? [what] : [what, refusal(fault)];
    return { ...need(name, id, whats), lesser: [{ statement: id, what: refusal(fault) }] };
  };
  // No length is below 0, and an empty text may be read as null.
  const counted = what !== 'value';
  if (min !== null && !(counted && min === 0)) {
    const least = boundText(rule, min);
    needs.push(need(`the least ${what}, ${least}, is accepted`, id, 'least'));
    if (!(kind === 'text' && min === 1 && emptyIsNull))
      needs.push(beyond(`one less than the least ${what}, ${least}, is refused`, 'below least', below, min - 1));
  }
  // The bound of a sequence is the largest safe integer, which no row reaches.
  if (max !== null && max !== Number.MAX_SAFE_INTEGER) {
    const most = boundText(rule, max);
    needs.push(need(`the most ${what}, ${most}, is accepted`, id, 'most'));
    needs.push(beyond(`one more than the most ${what}, ${most}, is refused`, 'above most', above, max + 1));
  }
  if (pattern !== null) needs.push(need('a text that does not match is refused', id, refusal('not_matching')));
  if (oneOf !== null) needs.push(need('a value that is not listed is refused', id, refusal('not_one_of')));
  if (whole !== null)
    needs.push(need('an instant between two that are allowed is refused', id, refusal('not_whole_minutes')));
  if (needs.length > 0) needs.push(need('an allowed value is accepted', id, 'accepted'));
  return [
    ...needs,
    ...(items ? memberNeeds('item', id, items, emptyIsNull) : []),
    ...(keys ? memberNeeds('key', id, keys, emptyIsNull) : []),
  ];
}

/** The longest text that a test makes to exceed a bound. */
const LONGEST_TEXT = 100_000;
/** Formats that have texts of every length. */
const OF_ANY_LENGTH: ReadonlySet<TextFormat | null> = new Set([null, 'email', 'uri', 'hostname']);

/** Whether a request can contain a value of a size that has the format. */
function isSendable({ kind, format, oneOf }: ValueRule, size: number): boolean {
  if (!Number.isSafeInteger(size)) return false;
  return (kind !== 'text' && kind !== 'uuid') || (size <= LONGEST_TEXT && oneOf === null && OF_ANY_LENGTH.has(format));
}

/**
 * The needs of the items of a list, or the keys of a map: an accepted bound counts for the item or key, not for the
 * list or map.
 */
function memberNeeds(of: 'item' | 'key', id: StatementId, rule: ValueRule, emptyIsNull: boolean): Need[] {
  const name = (one: Need): string => `${of === 'item' ? 'an item' : 'a key'}: ${one.name}`;
  return allowedNeeds(id, rule, emptyIsNull).flatMap((one) => {
    const [what = ''] = one.traces.map((trace) => trace.what);
    if (/^(?:below )?least$|^(?:above )?most$/.test(what))
      return [
        need(
          name(one),
          id,
          one.traces.map((trace) => (trace.what === what ? `${of} ${what}` : trace.what)),
        ),
      ];
    return what.startsWith('refused') ? [{ ...one, name: name(one) }] : [];
  });
}
