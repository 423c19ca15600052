import { type Expr, show } from '../expression/tree/expression.ts';
import { nestedLists } from '../plan/nested-steps.ts';
import { type Slot, slotsOf, slotsOfOver, templateOf } from '../plan/slots.ts';
import type {
  AnsweredMember,
  BodyPlan,
  GivenPlan,
  InsideStep,
  KeyPlan,
  OrderKey,
  OrderPlan,
  RowsForm,
  TurnedKey,
} from '../plan/step.ts';
import { OVER, type Role, type Roles } from '../plan/step-kinds.ts';

/** Describes numbered steps, with nested steps indented. */
export function explainSteps(steps: readonly InsideStep[], indent: string): string[] {
  return steps.flatMap((step, i) => {
    const line = step.line === null ? '' : `  (line ${step.line})`;
    const inner = `${indent}    `;
    const own = `${indent}${String(i + 1).padStart(2)}. ${explainInside(step)}${line}`;
    const [first = [], second = []] = nestedLists(step);
    const otherwise = second.length ? [`${indent}    otherwise:`, ...explainSteps(second, inner)] : [];
    return [own, ...explainSteps(first, inner), ...otherwise];
  });
}

/** The words of a member. The function is a method, so that it is assignable for any role. */
type Words<R extends Role> = { words(value: Roles[R]): string }['words'];

const explainGiven: Words<'values'> = (given: readonly GivenPlan[]) =>
  given.map(({ field, value }) => `${field} ${show(value)}`).join(', ');

/** The fields of a unique rule, those that it compares ignoring case, and its condition. */
export function explainUnique({ fields, ignoringCase, while: condition }: KeyPlan): string {
  const names = fields.map((one) => (ignoringCase.includes(one) ? `${one} ignoring case` : one));
  return `${names.join(' and ')}${condition ? ` while ${show(condition)}` : ''}`;
}

const explainExpr = (expr: Expr | null): string => (expr ? show(expr) : '');
const explainText = (text: string | null): string => text ?? '';
const silent = (): string => '';

/** The words of a member for each role; empty if the member has none. */
const WORDS: { readonly [R in Role]: Words<R> } = {
  declared: explainText,
  lists: silent,
  row: explainText,
  resource: explainText,
  field: explainText,
  test: explainExpr,
  where: explainExpr,
  matching: (expr) => (expr ? show(expr) : ''),
  lookUp: explainExpr,
  order: (order) => (order ? explainOrder(order) : ''),
  value: explainExpr,
  tag: explainExpr,
  code: explainText,
  from: (from) => {
    if (!from) return '';
    const { value, fields } = from;
    const direct = value.op === 'name' && value.name === 'request';
    return `${direct ? 'the request' : show(value)}${fields.length ? ` (${fields.join(', ')})` : ''}`;
  },
  values: explainGiven,
  every: silent,
  members: (members) => members.map(({ name, value }) => `${name} ${show(value)}`).join(', '),
  arguments: explainGiven,
  event: explainText,
  handler: explainText,
  transitions: (by) => (typeof by === 'string' ? by : by.join(' or ')),
  scheme: explainText,
  names: (names) => names.join(', '),
  keys: (keys) => keys.map(explainUnique).join(', or '),
  references: (references) => references.map(({ parameter }) => parameter.name).join(', '),
  filters: (filters) =>
    filters.map(({ parameter, where, stated = where }) => `${parameter} keeps ${show(stated)}`).join('; '),
  bound: (all) => (all ? `all, ${all.most} at most, more ${all.refused ? 'are refused' : 'are left out'}` : ''),
  over: (over) => filled(OVER[over.kind].says, slotsOfOver(over)),
  branch: silent,
  rounds: silent,
  text: explainText,
  status: String,
  body: explainBody,
  headers: (headers) => headers.map(({ name, value }) => `header ${name} ${show(value)}`).join(', '),
  detail: silent,
};

function explainBody(body: BodyPlan | null): string {
  switch (body?.kind) {
    case undefined:
      return '';
    case 'stream':
      return `the stream of ${body.events.join(', ')}`;
    case 'file': {
      const name = body.name ? ` named ${show(body.name)}` : ' without a name';
      return `the bytes of ${body.field} as a file, ${body.disposition}${name}, ranges ${body.ranges}`;
    }
    case 'rows':
      return `the rows of ${body.list} as ${explainRows(body.form)}`;
    case 'text':
      return `${show(body.value)} as ${body.mediaType}`;
    case 'description':
      return `the service’s description with ${body.content}, ${body.format}`;
    case 'value':
      return `${show(body.shown.value)} as shown`;
    case 'page':
      return `a page of ${body.list}`;
    case 'row with members':
      return `${show(body.shown.value)} as shown, and in the same object ${explainMembers(body.members)}`;
    case 'members':
      return explainMembers(body.members);
  }
}

function explainRows(form: RowsForm): string {
  if (form.kind === 'NDJSON') return 'NDJSON, one after the other';
  const columns = form.columns.map(({ path, title }) => path.join('.') + (title === null ? '' : ` (${title})`));
  return `CSV, one after the other: ${columns.join(', ')}; header ${form.header}, formulas ${form.formulas}`;
}

const explainMembers = (members: readonly AnsweredMember[]): string =>
  members.map(({ name, value }) => `${name}: ${show(value)}`).join(', ');

/** Describes a step in words. */
export const explainInside = (step: InsideStep): string => filled(templateOf(step), slotsOf(step));

/** The places of a template: `{member}`, or a part in brackets with an alternative after a bar (`Parts`). */
const PLACES = /\[([^\]|]*)(?:\|([^\]]*))?\]|\{([^}]*)\}/g;

/** Fills a template with the words of members. */
function filled(template: string, slots: readonly Slot[]): string {
  const wordsOf = (members: string): string =>
    slots
      .filter(({ member }) => members.split(', ').includes(member))
      .map(({ role, value }) => (WORDS[role] as Words<Role>)(value as never))
      .filter((words) => words !== '')
      .join(', ');
  return template.replace(PLACES, (_, part: string | undefined, otherwise: string | undefined, members: string) => {
    if (part === undefined) return wordsOf(members);
    let says = true;
    const text = part.replace(/\{([^}]*)\}/g, (_, inner: string) => {
      const words = wordsOf(inner);
      says &&= words !== '';
      return words;
    });
    return says ? text : (otherwise ?? '');
  });
}

function explainOrder(order: OrderPlan): string {
  const further = (order.then ?? []).map((key) => `, then ${explainFixed(key)}`).join('');
  if ('by' in order) return `${explainFixed(order)}${further}`;
  const keys = order.keys
    .map(({ name, then = [], ...first }) => {
      const all = [first, ...then].map(explainTurned).join(' then ');
      return name ? `${name} by ${all}` : all;
    })
    .join(', ');
  return `sorted by ${order.sorted ? `${show(order.sorted)} (${keys})` : keys}, ${show(order.direction)}${further}`;
}

function explainFixed({ by, descending, nulls }: OrderKey): string {
  if (by.op === 'call' && by.fn === 'points') return `${show(by)} first`;
  return `${descending ? 'latest' : 'earliest'} ${explainKey(by)} ${nulls ? `nulls ${nulls}` : 'first'}`;
}

const explainTurned = ({ descending, ...key }: TurnedKey): string =>
  descending === undefined
    ? `${explainKey(key.by)}${key.nulls ? ` nulls ${key.nulls}` : ''}`
    : explainFixed({ ...key, descending });

const explainKey = (by: Expr): string => (by.op === 'get' && by.of.op === 'name' ? by.member : show(by));
