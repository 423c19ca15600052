import { explainBefore } from '../plan/explain.ts';
import type { AnswerStep, BeforeStep, BodyPlan, EndpointPlan, PagePlan, PayloadPlan, Plan } from '../plan/step.ts';
import { showDuration, showSize } from '../source/units.ts';
import {
  type Compare,
  type Difference,
  difference,
  follows,
  kinds,
  members,
  named,
  optional,
  same,
  value,
  words,
} from './compare.ts';
import { steps } from './steps.ts';
import { expression, parameter, shown } from './values.ts';

const lower = (old: number, next: number): boolean => next < old;

const parameters = (where: string) =>
  named(`the ${where} parameter`, (one) => one.name, parameter, { added: (one) => one.required, removed: true });

const UNKNOWN = value<'refused' | 'ignored'>('what becomes of what is unknown', (_was, is) => is === 'refused');

/** The fields of a body. One that is new is owed where neither it may be absent nor anything stands for it. */
function payload(next: Plan): Compare<PayloadPlan> {
  const owed = (one: PayloadPlan, field: string): boolean => {
    const column = next.resources.find(({ name }) => name === one.resource)?.columns.find(({ name }) => name === field);
    return !one.optional && column !== undefined && !column.nullable && column.otherwise === null;
  };
  return (old, is, at) =>
    members<PayloadPlan>({
      resource: value('the resource that the body holds fields of', true),
      fields: (a, b, place) => {
        const one = named<string>(
          'the body’s field',
          (field) => field,
          () => [],
          {
            added: (field) => owed(is, field),
            removed: true,
          },
        )(a, b, place);
        return one.length || same(a, b) ? one : [difference(place, 'the body’s fields stand in another order', false)];
      },
      optional: value('whether each field of the body is optional', (_was, optionally) => !optionally),
      member: value('the member that holds the fields', true),
      items: value('how many items the body holds', (a, b) => !a || !b || b.min > a.min || b.max < a.max),
    })(old, is, at);
}

type Told = NonNullable<PagePlan['payload']>;

/** A page is an object: a member more breaks nobody. */
const pagePayload: Compare<Told> = (old, next, at) => {
  const found = named<Told[number]>(
    'the page’s member',
    (one) => one.name,
    (was, is, place) => value(`the page’s member ${is.name}`, true)(was.value, is.value, place),
    { added: false, removed: true },
  )(old, next, at);
  return found.length || same(old, next) ? found : [difference(at, 'the page’s members stand in another order', false)];
};

const page: Compare<PagePlan> = members<PagePlan>({
  by: value('what pages go by', true),
  limit: value('the parameter of a page’s size', true),
  place: value('the parameter of a page’s place', true),
  link: words('the links to pages:', { added: false, removed: true, order: false }),
  payload: (old, next, at) =>
    old && next ? pagePayload(old, next, at) : value('what a page tells', true)(old, next, at),
  standard: value('how many items a page has', true),
  most: value('how many items a page may have', lower),
  beyond: value('what becomes of a wish for more', (_was, is) => is === 'refused'),
  counted: follows('what a page tells says whether rows are counted'),
  absolute: follows('links and the payload say whether the address is told'),
});

type Before<K extends BeforeStep['do']> = Extract<BeforeStep, { do: K }>;

const KEY = { do: follows('steps are compared by what they do'), line: follows('where it stands') } as const;

/** The steps before the transaction. The type makes a forgotten one a compile error. */
function beforeSteps(next: Plan): Compare<BeforeStep> {
  return kinds<BeforeStep, 'do'>('a step', 'do', {
    limit: members<Before<'limit'>>({
      ...KEY,
      rate: follows('rates are compared by their names'),
      callers: value('whether requests with a caller are counted too', (_was, is) => is),
    }),
    authenticate: members<Before<'authenticate'>>({
      ...KEY,
      schemes: words('the schemes it takes:', { added: false, removed: true, order: false }),
      optional: value('whether a request without credentials is nobody’s', (_was, is) => !is),
    }),
    'require scope': members<Before<'require scope'>>({ ...KEY, scope: value('the scope', true) }),
    'choose version': members<Before<'choose version'>>(KEY),
    negotiate: members<Before<'negotiate'>>({ ...KEY, offered: value('the media type of answers', true) }),
    'read body': members<Before<'read body'>>({
      ...KEY,
      most: value('the size of a request', lower, showSize),
      mediaTypes: words('the media types it takes:', { added: false, removed: true, order: false }),
      optional: value('whether there has to be a body', (_was, is) => !is),
    }),
    'refuse body': members<Before<'refuse body'>>({
      ...KEY,
      most: value('the size of a body that is refused', false, showSize),
    }),
    'read parameters': members<Before<'read parameters'>>({
      ...KEY,
      path: parameters('path'),
      query: parameters('query'),
      header: parameters('header'),
      unknown: UNKNOWN,
    }),
    'validate body': members<Before<'validate body'>>({
      ...KEY,
      payload: optional('the fields of the body:', payload(next), { added: true, removed: true }),
      parameters: parameters('body'),
      unknown: UNKNOWN,
    }),
    'read page': members<Before<'read page'>>({ ...KEY, page }),
    'claim key': members<Before<'claim key'>>({
      ...KEY,
      header: value('the header of idempotency keys', true),
      kept: value('how long answers are kept for a key', lower, showDuration),
      below: value('the answers that are kept for a key', true),
    }),
  });
}

/** Whether a step before the transaction that comes or goes breaks callers. */
const COMES: Readonly<Record<BeforeStep['do'], { readonly added: boolean; readonly removed: boolean }>> = {
  limit: { added: true, removed: false },
  authenticate: { added: true, removed: false },
  'require scope': { added: true, removed: false },
  'choose version': { added: false, removed: false },
  negotiate: { added: true, removed: false },
  'read body': { added: true, removed: true },
  'refuse body': { added: true, removed: false },
  'read parameters': { added: true, removed: true },
  'validate body': { added: true, removed: true },
  'read page': { added: true, removed: true },
  'claim key': { added: true, removed: true },
};

/** Steps go by what they do, and limits by the rate as well. They stand in the one order that `order.ts` has. */
function before(old: Plan, next: Plan): Compare<readonly BeforeStep[]> {
  const compare = beforeSteps(next);
  const key = (plan: Plan, step: BeforeStep): string =>
    step.do === 'limit' ? `limit ${plan.rates[step.rate]?.name}` : step.do;
  const told = (plan: Plan, step: BeforeStep, is: boolean): Difference => ({
    ...difference(
      '',
      `it does${is ? '' : ' no more'}: ${explainBefore(plan, step)}`,
      COMES[step.do][is ? 'added' : 'removed'],
    ),
    lines: is ? [null, step.line] : [step.line, null],
  });
  return (a, b, at) => {
    const [was, is] = [new Map(a.map((one) => [key(old, one), one])), new Map(b.map((one) => [key(next, one), one]))];
    const out: Difference[] = [];
    for (const [name, step] of was) {
      const other = is.get(name);
      if (!other) out.push({ ...told(old, step, false), at });
      else out.push(...compare(step, other, at).map((one): Difference => ({ ...one, lines: [step.line, other.line] })));
    }
    for (const [name, step] of is) if (!was.has(name)) out.push({ ...told(next, step, true), at });
    return out;
  };
}

type Body<K extends BodyPlan['kind']> = Extract<BodyPlan, { kind: K }>;
const kind = follows('bodies are compared by their kinds');
const form = value<unknown>('the form in which it is shown', true);

const body: Compare<BodyPlan> = kinds<BodyPlan, 'kind'>('the answer', 'kind', {
  value: members<Body<'value'>>({
    kind,
    shown: members<Body<'value'>['shown']>({ value: value('what is answered', true, shown), view: form }),
  }),
  page: members<Body<'page'>>({ kind, list: value('the list that is answered', true), view: form }),
  stream: members<Body<'stream'>>({
    kind,
    events: words('the stream’s events:', { added: false, removed: true, order: false }),
  }),
  members: members<Body<'members'>>({
    kind,
    members: named(
      'the answer’s member',
      (one) => one.name,
      members<Body<'members'>['members'][number]>({
        name: follows('members are compared by their names'),
        value: value('what a member is', true, shown),
        view: form,
      }),
      { added: false, removed: true },
    ),
  }),
});

const answer: Compare<AnswerStep> = (old, next, at) =>
  members<AnswerStep>({
    do: follows('every endpoint answers once'),
    line: follows('where it stands'),
    status: value('the status', true, String),
    body: optional('the answer’s body', body, { added: true, removed: true }),
    headers: named(
      'the answer’s header',
      (one) => one.name,
      members<AnswerStep['headers'][number]>({
        name: follows('headers are compared by their names'),
        value: expression('what a header says', { added: true, removed: true, changed: true }) as Compare<
          AnswerStep['headers'][number]['value']
        >,
      }),
      { added: false, removed: true },
    ),
    conditional: value('whether conditions of the request are judged', (was) => was),
  })(old, next, at).map((one): Difference => ({ ...one, lines: [old.line, next.line] }));

/** Who may call: nobody is shut out by `anyone`, nor who is known by `any`. */
function opens(old: string | null, next: string | null): boolean {
  return old === null || next === 'anyone' || (next?.startsWith('any ') === true && old !== 'anyone');
}

/** An endpoint of one method and path. */
export function endpoint(old: Plan, next: Plan): Compare<EndpointPlan> {
  return members<EndpointPlan>({
    name: follows('endpoints are compared by method and path'),
    method: follows('endpoints are compared by method and path'),
    path: follows('endpoints are compared by method and path'),
    line: follows('where it stands'),
    access: value('access', (was, is) => !opens(was, is)),
    timeout: value(
      'the time-out',
      (was, is) => is !== null && (was === null || is < was),
      (one) => (one === null ? 'none' : showDuration(one)),
    ),
    head: value('whether HEAD is served', (was) => was),
    requestHeaders: words('what pages of other origins may send:', { added: false, removed: true, order: false }),
    vary: follows('the headers that the endpoint reads, and the scheme of versions, say what its answers vary by'),
    writes: follows('its steps say whether it changes rows'),
    before: before(old, next),
    inside: steps(),
    after: answer,
  });
}
