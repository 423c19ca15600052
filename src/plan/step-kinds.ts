import type { Expr } from '../expression/tree/expression.ts';
import type { Condition } from './conditions.ts';
import type {
  FromPlan,
  GivenPlan,
  InsideStep,
  KeyPlan,
  MemberPlan,
  OrderPlan,
  OverPlan,
  PayloadPlan,
  ReadsPlan,
  ReferencePlan,
  WholeListPlan,
} from './inside-step.ts';
import type { AnswerStep, BodyPlan } from './step.ts';

type Kind = InsideStep['do'];
type StepOf<D extends Kind> = Extract<InsideStep, { do: D }>;

/** The roles of the members of steps, each with the type of its values. The rules of a role hold in every step. */
export interface Roles {
  /** The name that later steps use for a row, for rows or for a value. */
  declared: string | null;
  /** The names made in nested steps, each of which is a list for later steps. */
  lists: readonly string[];
  row: string;
  resource: string;
  field: string;
  test: Expr;
  /** The condition for rows. */
  where: Expr | null;
  /** The condition that a row matches the query of a search. */
  matching: Expr | undefined;
  /** The condition for one row, by the identifying value in the request. */
  lookUp: Expr;
  order: OrderPlan | null;
  value: Expr | null;
  /** The entity tag that a request must name. */
  tag: Expr;
  /** The code of the refusal; null for none. */
  code: string | null;
  /** The fields that a body sets. */
  from: FromPlan | null;
  /** The values of fields that the step itself sets. */
  values: readonly GivenPlan[];
  /** Set where rows that the caller may not see count, too. */
  every: true | undefined;
  /** The members of a group, with their values. */
  members: readonly MemberPlan[];
  /** The arguments of a handler, or the members of an event. */
  arguments: readonly GivenPlan[];
  event: string;
  handler: string;
  transitions: string | readonly string[];
  scheme: string;
  names: readonly string[];
  /** The unique keys by which a row is found. */
  keys: readonly KeyPlan[];
  references: readonly ReferencePlan[];
  filters: StepOf<'list'>['filters'];
  bound: WholeListPlan | null;
  /** The list or the rows of a loop. */
  over: OverPlan;
  /** Nested steps that run once or not at all. */
  branch: readonly InsideStep[];
  /** Nested steps that run once for each item. */
  rounds: readonly InsideStep[];
  text: string | null;
  status: number;
  /** The content of an answer. */
  body: BodyPlan | null;
  headers: AnswerStep['headers'];
  /** A member that the description of a step leaves out. */
  detail: PayloadPlan | ReadsPlan | readonly number[] | boolean | null;
}

export type Role = keyof Roles;

/** The roles that a value of a type may have. */
type RoleOf<T> = { [R in Role]: T extends Roles[R] ? R : never }[Role];

/** The effect of a step: a change of rows of its resource, or of something else that outlasts the request. */
export type Effect = 'none' | 'creates' | 'changes' | 'moves' | 'removes' | 'keeps';

/** A variation of a step that `test` has to try: its words in the report, and the traces of the oracle that show it. */
export interface Try {
  readonly name: string;
  readonly what: string | readonly string[];
}

/** A fact about all steps of a kind, or one for each step. The function is a method, so that any kind is assignable. */
type Fact<D extends Kind, T> = T | { fact(step: StepOf<D>): T }['fact'];

/**
 * The description of an object in the plan, such as the list of a loop: its members with their roles, and the text for
 * it that `plan` prints.
 */
interface Parts {
  readonly slots: Readonly<Record<string, Role>>;
  /**
   * The template of the words in `plan`: `{member}` is replaced by the words of a member. A part in brackets is left
   * out if a member in it has no words; the text after a bar then replaces the part.
   */
  readonly says: string;
}

export interface StepKind<D extends Kind = Kind> {
  /** All members, in the order in which `test` tries other values of them. */
  readonly slots: { readonly [M in Exclude<keyof StepOf<D>, 'do' | 'line'>]: RoleOf<StepOf<D>[M]> };
  readonly says: Fact<D, string>;
  readonly effect: Fact<D, Effect>;
  readonly tries: Fact<D, readonly Try[]>;
  /** The general conditions under which the step refuses a request. */
  readonly refusals?: Fact<D, readonly Condition[]>;
  /** Whether `test` compares an answer with that of a request without the step: before or after other variations. */
  readonly omissible?: 'first' | 'last';
  /** The kind of step by which an implementation may wrongly replace it. */
  readonly mistakenFor?: Kind;
}

const DONE: readonly Try[] = [{ name: 'it is done', what: 'done' }];

/** The conditions of a body that cannot be read. */
const UNREADABLE = ['unsupported media type', 'unsupported encoding', 'malformed request'] as const;

/** Which rows a list has. */
const LISTED = {
  as: 'declared',
  resource: 'resource',
  where: 'where',
  matching: 'matching',
  filters: 'filters',
} as const;

/**
 * All kinds of steps. Their descriptions, effects, names and expressions, and the variations that `test` tries, derive
 * from this table.
 */
export const STEP_KINDS: { readonly [D in Kind]: StepKind<D> } = {
  'find references': {
    slots: { payload: 'detail', fields: 'names', parameters: 'references' },
    says: 'find what the request refers to: {fields, parameters}, as the caller sees it',
    effect: 'none',
    tries: [],
    refusals: ({ payload, parameters }) =>
      payload || parameters.some(({ parameter }) => parameter.code === null) ? ['reference unknown'] : [],
  },
  'refuse parameters': {
    slots: {},
    says: 'refuse parameters that state their own refusal',
    effect: 'none',
    tries: [],
  },
  validate: {
    slots: { refuses: 'detail' },
    says: 'validate the body',
    effect: 'none',
    tries: [
      { name: 'a body without faults is taken', what: 'done' },
      { name: 'a body with a fault is refused', what: 'refused' },
      { name: 'a body with a fault is refused by a step before', what: 'refused before' },
    ],
    refusals: ({ refuses }) => [
      ...UNREADABLE,
      ...(refuses ? (['invalid request', 'unknown field'] as const) : (['invalid request'] as const)),
    ],
    omissible: 'first',
  },
  find: {
    slots: { as: 'declared', resource: 'resource', where: 'where', order: 'order', code: 'code', reads: 'detail' },
    says: 'find {as}: the visible {resource}[ where {where}][, {order}][, else {code}| or none]',
    effect: 'none',
    tries: ({ code }) => [
      { name: 'the row is found', what: 'found' },
      {
        name: code === null ? 'there is no such row' : 'a row that is not there is refused',
        what: ['none', 'refused'],
      },
    ],
  },
  list: {
    slots: { ...LISTED, all: 'bound', order: 'order', room: 'detail', reads: 'detail' },
    says: 'list {as}: the visible rows of {resource}[ where {where}][; {matching}][; {filters}]; {order}[; {all}]',
    effect: 'none',
    tries: [
      { name: 'the list has several rows', what: ['rounds more', 'done'] },
      { name: 'the list has no rows', what: ['rounds 0'] },
      { name: 'two rows of the list are equal in its order', what: 'equal rows' },
    ],
    refusals: ({ all }) => (all?.refused ? ['page refused'] : []),
  },
  group: {
    slots: {
      as: 'declared',
      resource: 'resource',
      every: 'every',
      where: 'where',
      by: 'members',
      with: 'members',
      order: 'order',
      all: 'bound',
    },
    says: ({ every }) =>
      `group {as}: ${every ? 'every row' : 'the visible rows'} of {resource}[ where {where}], by {by}[; with {with}]; {order}[; {all}]`,
    effect: 'none',
    tries: ({ every, by, order }) => [
      ...(every ? [{ name: 'a row that the caller may not see is in a group', what: 'hidden row' }] : []),
      { name: 'there are several groups', what: ['rounds more', 'done'] },
      { name: 'a group has several rows', what: 'several rows' },
      { name: 'there are no groups', what: 'rounds 0' },
      ...(by.length > 1
        ? by.map(({ name }) => ({ name: `two groups differ in “${name}” alone`, what: `alone ${name}` }))
        : []),
      ...(by.some(({ value }) => value.type.nullable) ? [{ name: 'a key is null', what: 'null key' }] : []),
      ...(order.by.op === 'name' && by.length === 1 && by[0]?.name === order.by.name
        ? []
        : [{ name: 'two groups are equal in the order', what: 'equal groups' }]),
    ],
    refusals: ({ all }) => (all.refused ? ['page refused'] : []),
  },
  'list streamed': {
    slots: { ...LISTED, order: 'order' },
    says: 'list {as}: the visible rows of {resource}[ where {where}][; {matching}][; {filters}]; {order}; streamed',
    effect: 'none',
    tries: [
      { name: 'the list has several rows', what: 'rounds more' },
      { name: 'the list has no rows', what: 'rounds 0' },
      { name: 'two rows of the list are equal in its order', what: 'equal rows' },
    ],
  },
  verify: {
    slots: {
      as: 'declared',
      resource: 'resource',
      where: 'lookUp',
      field: 'field',
      password: 'value',
      secret: 'detail',
      code: 'code',
    },
    says: 'find {as}: the visible {resource} where {where}, and verify its {field} by {password}, else {code}',
    effect: 'none',
    tries: ({ secret }) => {
      const it = `the ${secret ? 'secret' : 'password'}`;
      return [
        { name: `${it} is right`, what: ['found', 'done'] },
        { name: `${it} is another one`, what: 'refused' },
        { name: `${it} has another last character`, what: 'refused with another last character' },
        { name: `${it} has a character more`, what: 'refused with a character more' },
        { name: `${it} is in other letters`, what: 'refused in other letters' },
        { name: 'there is no such row', what: 'none' },
      ];
    },
  },
  require: {
    slots: { test: 'test', code: 'code' },
    says: 'require {test}, else {code}',
    effect: 'none',
    tries: [
      { name: 'its condition is true', what: 'done' },
      { name: 'its condition is false', what: 'refused' },
    ],
    omissible: 'last',
  },
  match: {
    slots: { header: 'text', to: 'tag', of: 'text' },
    says: ({ of }) =>
      of === null ? 'match {header} to {to}' : 'match {header} to the entity tag of {of} at this address',
    effect: 'none',
    tries: [
      { name: 'the entity tag is the right one', what: 'done' },
      { name: 'there is no If-Match', what: 'refused precondition missing' },
      { name: 'the entity tag is another one', what: 'refused precondition failed' },
    ],
    refusals: ['precondition missing', 'precondition failed'],
    omissible: 'first',
  },
  preconditions: {
    slots: { of: 'text', required: 'detail' },
    says: ({ of, required }) => {
      if (of === null) return 'refuse a request that has If-Match, If-None-Match or If-Unmodified-Since';
      return required
        ? 'require If-Match, and evaluate it and If-None-Match against what {of} answers at this address'
        : 'evaluate If-Match, If-Unmodified-Since and If-None-Match against what {of} answers at this address';
    },
    effect: 'none',
    // The statement of the endpoint tries these variations already.
    tries: [],
    refusals: ({ required }) => (required ? ['precondition missing', 'precondition failed'] : ['precondition failed']),
  },
  create: {
    slots: { as: 'declared', resource: 'resource', with: 'values', from: 'from' },
    says: 'create [{as}: ]{resource}[ from {from}][ with {with}]',
    effect: 'creates',
    tries: DONE,
  },
  ensure: {
    slots: {
      as: 'declared',
      created: 'declared',
      resource: 'resource',
      by: 'keys',
      with: 'values',
      from: 'from',
    },
    says: 'ensure [{as}: ]{resource}[ from {from}][ with {with}], unless there is one with the same {by}[; {created}: whether it is created]',
    effect: 'creates',
    tries: [
      { name: 'the row is there already', what: 'found' },
      { name: 'the row is made', what: 'none' },
    ],
    mistakenFor: 'create',
  },
  change: {
    slots: { patch: 'detail', row: 'row', resource: 'resource', with: 'values', from: 'from' },
    says: 'change {row}[ from {from}][ with {with}]',
    effect: 'changes',
    tries: DONE,
    omissible: 'last',
  },
  move: {
    slots: { row: 'row', resource: 'resource', by: 'transitions', with: 'values' },
    says: 'move {row} by {by}[ with {with}]',
    effect: 'moves',
    tries: DONE,
    omissible: 'last',
  },
  'move to': {
    slots: { row: 'row', resource: 'resource', to: 'value', by: 'transitions', with: 'values' },
    says: 'move {row} to {to}, by {by}[ with {with}]',
    effect: 'moves',
    tries: DONE,
  },
  remove: {
    slots: { row: 'row', resource: 'resource' },
    says: 'remove {row}',
    effect: 'removes',
    tries: DONE,
    omissible: 'last',
  },
  'remove every': {
    slots: { resource: 'resource', where: 'where' },
    says: 'remove every visible {resource}[ where {where}]',
    effect: 'removes',
    tries: DONE,
    omissible: 'last',
  },
  run: {
    slots: { handler: 'handler', with: 'arguments', as: 'declared' },
    says: 'run {handler}[ with {with}][, giving {as}|, when this is committed]',
    effect: ({ as }) => (as === null ? 'keeps' : 'none'),
    tries: DONE,
  },
  emit: {
    slots: { event: 'event', with: 'arguments' },
    says: 'emit {event} with {with}',
    effect: 'keeps',
    tries: DONE,
  },
  issue: {
    slots: { as: 'declared', scheme: 'scheme', to: 'value', scopes: 'names', scopesBy: 'value', kept: 'detail' },
    says: 'issue {as}: {scheme} for {to}[ with scopes {scopes}][ with the scopes {scopesBy}]',
    effect: ({ kept }) => (kept ? 'keeps' : 'none'),
    tries: DONE,
  },
  'issue secret': {
    slots: { as: 'declared', row: 'row', resource: 'resource', field: 'field' },
    says: 'issue {as}: a new {field} for {row}',
    effect: 'changes',
    tries: DONE,
  },
  revoke: {
    slots: { scheme: 'scheme', of: 'value' },
    says: ({ of }) => (of ? 'revoke every {scheme} for {of}' : 'revoke the {scheme} sent'),
    effect: 'keeps',
    tries: DONE,
    omissible: 'last',
  },
  answer: {
    slots: { status: 'status', body: 'body', headers: 'headers', conditional: 'detail' },
    says: ({ conditional }) =>
      `answer {status}[ with {body}][, {headers}]${conditional ? ', with a strong ETag of it: If-Match and If-None-Match are judged by it' : ''}`,
    effect: 'none',
    tries: DONE,
  },
  if: {
    slots: { test: 'test', then: 'branch', else: 'branch' },
    says: 'if {test}:',
    effect: 'none',
    tries: [
      { name: 'its condition is true', what: 'then' },
      { name: 'its condition is false', what: 'else' },
    ],
    omissible: 'last',
  },
  'for each': {
    slots: { as: 'declared', over: 'over', makes: 'lists', steps: 'rounds' },
    says: 'for each {as} of {over}:',
    effect: 'none',
    tries: [
      { name: 'the loop runs zero times', what: 'rounds 0' },
      { name: 'the loop runs several times', what: 'rounds more' },
    ],
  },
};

/** The parts of a loop’s list or rows, with the same roles. */
export const OVER: { readonly [K in OverPlan['kind']]: Parts } = {
  list: { slots: { list: 'value' }, says: '{list}' },
  rows: {
    slots: { resource: 'resource', where: 'where', order: 'order' },
    says: 'the visible rows of {resource}[ where {where}]; {order}',
  },
};
