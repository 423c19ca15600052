import type { EachValue, MemberType, PayloadMember } from '../../src/compiler/statements/errors.ts';
import { type Condition, FAULTS } from '../../src/plan/conditions.ts';
import type { Document, Outcome } from './document.ts';
import { type Expected, memberFaults } from './members.ts';

/** The conditions whose answers tell what is at fault. */
const FAULTY: readonly Condition[] = ['invalid request', 'unknown field', 'unknown parameter', 'reference unknown'];

/** What the body of an error isn't that the document's payload says of an outcome. */
export function* problemFaults(document: Document, outcome: Outcome, body: string | null): Generator<string> {
  const payload = document.model.errors.payload!.value;
  if (payload.kind === 'none') {
    if (body) yield `an error with a body: ${body}`;
    return;
  }
  let value: unknown;
  try {
    value = JSON.parse(body ?? '');
  } catch {
    return yield `an error whose body is no JSON: ${body}`;
  }
  if (payload.kind === 'table') return yield* tableFaults(document, payload.name.text, outcome, value, '');
  const faulty = FAULTY.some((condition) => outcome.conditions.has(condition));
  const exactly = (wanted: unknown) =>
    function* (one: unknown, at: string): Generator<string> {
      if (one !== wanted) yield `${at} is ${JSON.stringify(one)}, stated ${JSON.stringify(wanted)}`;
    };
  const expected: Expected[] = [
    { name: 'title', optional: false, judge: exactly(outcome.title) },
    { name: 'status', optional: false, judge: exactly(outcome.status) },
    { name: 'code', optional: false, judge: exactly(outcome.code) },
    ...(faulty ? [{ name: 'errors', optional: true, judge: listFaults }] : []),
  ];
  yield* memberFaults(value, expected, 'left out', '');
}

function* listFaults(value: unknown, at: string): Generator<string> {
  if (!Array.isArray(value) || value.length === 0) return yield `${at} names nothing at fault`;
  for (const [i, one] of value.entries()) {
    const { pointer, parameter, header, code, detail, ...rest } = one as Record<string, unknown>;
    if (Object.keys(rest).length) yield `${at}/${i} has ${Object.keys(rest)}`;
    if ([pointer, parameter, header].filter((name) => typeof name === 'string').length !== 1)
      yield `${at}/${i} is at no one place`;
    if (FAULTS[code as keyof typeof FAULTS] !== detail)
      yield `${at}/${i} is told in words of its own: ${code} ${detail}`;
  }
}

function* tableFaults(
  document: Document,
  table: string,
  outcome: Outcome,
  value: unknown,
  at: string,
): Generator<string> {
  const { members } = document.model.errors.payloads.find((one) => one.name.text === table)!;
  const missing = document.model.resources.rules.missing?.value ?? 'left out';
  const expected = members.map((member): Expected => {
    const stated = member.value!.value;
    const known = stated.kind === 'one' ? cell(outcome, stated.value.text) : undefined;
    return {
      name: member.name.text,
      optional: known === null || (known === undefined && stated.kind === 'one'),
      judge: (inner, place) => ofMember(document, member, outcome, known, inner, place),
    };
  });
  yield* memberFaults(value, expected, missing, at);
}

/** What a member of the error says, where it is a cell of the table; null where the cell is `none`. */
function cell(outcome: Outcome, text: string): string | number | null | undefined {
  const [, name] = /^error\.(\w+)$/.exec(text) ?? [];
  if (name === 'code' || name === 'title' || name === 'status') return outcome[name];
  return name === undefined ? undefined : outcome.more.get(name);
}

function* ofMember(
  document: Document,
  { type, value: stated }: PayloadMember,
  outcome: Outcome,
  known: string | number | null | undefined,
  value: unknown,
  at: string,
): Generator<string> {
  const { many } = type!.value;
  if (known !== undefined && value !== known)
    yield `${at} is ${JSON.stringify(value)}, stated ${JSON.stringify(known)}`;
  const one = (item: unknown, place: string) => plainFaults(document, type!.value, outcome, item, place);
  if (many === 'one') return yield* one(value, at);
  const list = function* (items: unknown, place: string): Generator<string> {
    if (!Array.isArray(items)) return yield `${place} is no list: ${JSON.stringify(items)}`;
    for (const [i, item] of items.entries()) yield* one(item, `${place}/${i}`);
  };
  if (many === 'list') return yield* list(value, at);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return yield `${at} is no map`;
  for (const [key, items] of Object.entries(value)) yield* list(items, `${at}/${key}`);
  const otherwise: EachValue | null = stated!.value.kind === 'each' ? stated!.value.otherwise : null;
  const faulty = FAULTY.some((condition) => outcome.conditions.has(condition));
  if (!otherwise || faulty) return;
  const [key, text] = [otherwise.key && cell(outcome, otherwise.key.text), cell(outcome, otherwise.value.text)];
  if (
    key !== undefined &&
    text !== undefined &&
    JSON.stringify(value) !== JSON.stringify(key === null ? {} : { [key]: [text] })
  )
    yield `${at} is ${JSON.stringify(value)}, stated ${key}: ${text}`;
}

function* plainFaults(
  document: Document,
  { of }: MemberType,
  outcome: Outcome,
  value: unknown,
  at: string,
): Generator<string> {
  if (of.kind === 'payload') return yield* tableFaults(document, of.name.text, outcome, value, at);
  const type = typeof value === 'number' && Number.isSafeInteger(value) ? 'integer' : typeof value;
  if (type !== of.type) yield `${at} is no ${of.type}: ${JSON.stringify(value)}`;
}
