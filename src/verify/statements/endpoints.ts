import type { BodyContract, EndpointContract } from '../../contract/endpoint.ts';
import type { BytesContract, ContractType } from '../../contract/types.ts';
import { answersOf } from '../../plan/answered.ts';
import type { Condition } from '../../plan/conditions.ts';
import { type EndpointFact, type StatementId, statementId } from '../../plan/lines.ts';
import { FORM_TYPE, JSON_TYPE, MULTIPART_TYPE } from '../../plan/media-types.ts';
import { textsOf } from '../../plan/paths.ts';
import type { EndpointPlan, Plan, PreconditionsKind } from '../../plan/step.ts';
import type { Trace } from '../oracle/trace.ts';
import { parameterDrafts } from './parameters.ts';
import type { Reach } from './reach.ts';
import { type Draft, type Need, need, needAny, type SetupMember, those } from './statement.ts';
import { stepOf } from './tried.ts';

/** An endpoint with its contract, and the setup members that its requests need. */
export interface Endpoint {
  readonly plan: EndpointPlan;
  /** Whether an empty text in a request is read as null. */
  readonly emptyIsNull: boolean;
  /** Whether the service describes itself in OpenAPI. */
  readonly isDescribed: boolean;
  readonly contract: EndpointContract;
  readonly setup: readonly SetupMember[];
}

/** The endpoints of the current version. */
export function endpointsOf(plan: Plan, contracts: readonly EndpointContract[], reach: Reach): Endpoint[] {
  const isDescribed = plan.endpoints.some(
    ({ after }) => after?.body?.kind === 'description' && after.body.format !== 'AsyncAPI 3.1',
  );
  const { emptyIsNull } = reach;
  return plan.endpoints.flatMap((one) => {
    const contract = contracts.find((each) => each.name === one.name);
    return contract ? [{ plan: one, contract, setup: reach.callerSetup(one), emptyIsNull, isDescribed }] : [];
  });
}

/** Whether an answer of the endpoint has this cause. */
const answers = ({ contract }: Endpoint, condition: Condition): boolean =>
  contract.answers.some((one) => one.because.kind === 'condition' && one.because.name === condition);

/** The statements of an endpoint beside its steps. */
export function endpointDrafts(one: Endpoint): Draft[] {
  const all = [
    ...headingDrafts(one),
    accessDraft(one),
    payloadsDraft(one),
    requestDraft(one),
    unreadDraft(one),
    unknownDraft(one),
    headDraft(one),
    conditionalDraft(one),
    preconditionsDraft(one),
    idempotencyDraft(one),
    deprecatedDraft(one),
    ...describedDrafts(one),
    ...limitDrafts(one),
    ...parameterDrafts(one),
  ];
  return all.filter((draft) => draft.needs.length > 0);
}

/** A need of an endpoint’s own statement. */
function own({ plan, setup }: Endpoint, fact: EndpointFact): (name: string, what: string | readonly string[]) => Need {
  return (name, what) => need(name, statementId.endpoint(plan.name, fact), what, setup);
}

/** A need that every accepted request to the endpoint meets. */
const taken = ({ plan, setup }: Endpoint, name: string): Need =>
  need(name, statementId.heading(plan.name), 'taken', setup);

/** The need that a request is refused with this condition, where the endpoint can refuse with it. */
function refusal(one: Endpoint, fact: EndpointFact, condition: Condition, words: string): Need | false {
  const what = `refused ${condition}`;
  const keys = [statementId.endpoint(one.plan.name, fact), statementId.heading(one.plan.name)];
  const traces = keys.map((statement) => ({ statement, what }));
  return answers(one, condition) && needAny(`${words} is refused`, traces, one.setup);
}

/** The traces of the answers of an endpoint: one of them shows that it answers. `full`: of those with a body. */
const answeredBy = (plan: EndpointPlan, full = false): Trace[] =>
  answersOf(plan)
    .filter(({ body }) => !full || body !== null)
    .map((answer) => ({ statement: statementId.step(answer), what: 'done' }));

/** The heading states a method and a path; every request that the endpoint answers tries both. */
function headingDrafts({ plan, setup }: Endpoint): Draft[] {
  const id = statementId.heading(plan.name);
  const needs = [needAny('it answers', [...answeredBy(plan), { statement: id, what: 'taken' }], setup)];
  const of = { id, line: plan.line };
  return [
    { ...of, item: 'endpoints/methods', needs },
    {
      ...of,
      item: 'endpoints/path shapes',
      needs: [...needs, ...textNeeds(plan.path, (name, what) => need(name, id, what, setup))],
    },
  ];
}

/** The needs of the text beside the parameters of a path. */
function textNeeds(path: string, needed: (name: string, what: string) => Need): Need[] {
  const text = textsOf(path).join('');
  return those(
    /[:@]/.test(text)
      ? needed('an escaped `:` or `@` is part of a value', 'escaped mark')
      : text !== '' && needed('the text beside a parameter may be escaped', 'escaped text'),
  );
}

function accessDraft(one: Endpoint): Draft {
  const { access } = one.contract;
  const refused = (condition: Condition, words: string) => refusal(one, 'access', condition, words);
  return {
    id: statementId.endpoint(one.plan.name, 'access'),
    item:
      access.kind === 'scope'
        ? 'authentication/scopes'
        : access.schemes.length > 0
          ? 'authentication/scheme'
          : 'endpoints/methods',
    needs: those(
      own(one, 'access')(
        access.withoutCredentials ? 'a request without credentials is taken' : 'a caller who may call is taken',
        'taken',
      ),
      refused('credentials missing', 'a request without credentials'),
      refused('credentials not accepted', 'a request with credentials that nobody has issued'),
      refused('credentials expired', 'a request with credentials that have expired'),
      refused('scope missing', 'a caller without the scope'),
    ),
  };
}

const NO_ANSWER = 'Descriptions alone depend on it, and no answer is a description in OpenAPI.';

/** The facts about an endpoint that only descriptions of the service have. */
function describedDrafts({ plan: { name, tag, audience }, isDescribed, setup }: Endpoint): Draft[] {
  const drafts: Draft[] = [];
  const item = 'endpoints/methods';
  if (tag !== undefined) {
    const id = statementId.endpoint(name, 'tag');
    const untestable = 'People and tools read it, and no request depends on it.';
    drafts.push({ id, item, needs: [need('descriptions have the tag', id, 'done')], untestable });
  }
  if (audience !== undefined) {
    const id = statementId.endpoint(name, 'audience');
    const what = audience === 'none' ? 'left out' : ['left out', 'shown'];
    const needs = [need('a description has it, or leaves it out', id, what, setup)];
    drafts.push({ id, item, needs, untestable: isDescribed ? null : NO_ANSWER });
  }
  return drafts;
}

function deprecatedDraft(one: Endpoint): Draft {
  const { deprecation } = one.plan;
  const of = own(one, 'deprecated');
  const id = statementId.endpoint(one.plan.name, 'deprecated');
  return {
    id,
    item: 'versioning/deprecation policy',
    needs: those(
      deprecation !== undefined && of('it answers', 'answered'),
      (deprecation?.until ?? null) !== null &&
        need('it is refused from its sunset on', id, 'refused', [...one.setup, 'clock']),
    ),
  };
}

function payloadsDraft(one: Endpoint): Draft {
  const refused = (condition: Condition, words: string) => refusal(one, 'payloads', condition, words);
  return {
    id: statementId.endpoint(one.plan.name, 'payloads'),
    item: 'endpoints/response payloads',
    needs: those(
      answersOf(one.plan).some(({ body }) => body !== null) &&
        needAny('it answers in the media type', answeredBy(one.plan, true), one.setup),
      one.contract.body !== null && taken(one, 'a body of the media type is taken'),
      ...formNeeds(one),
      refused('not acceptable', 'a request that accepts no media type of the answer'),
      refused('unsupported media type', 'a body of another media type'),
      refused('unsupported encoding', 'a body in an encoding that is not taken'),
    ),
  };
}

/** The needs of bodies that may be forms: how a form is decoded, which names may be repeated, and JSON beside it. */
function formNeeds({ plan, contract: { body }, setup }: Endpoint): readonly (Need | false)[] {
  if (!body?.mediaTypes.some((one) => one === FORM_TYPE || one === MULTIPART_TYPE)) return [];
  const types = body.type.members.map(({ type }) => type);
  const of = (name: string, what: string): Need => need(name, statementId.endpoint(plan.name, 'payloads'), what, setup);
  const isRepeatable = (type: ContractType): boolean => type.kind === 'list' || type.kind === 'set';
  const isSeveral = (type: ContractType): boolean => (type.kind === 'list' || type.kind === 'set') && type.max !== 1;
  const twice = !types.every(isRepeatable) && of('a name that occurs twice is refused', 'refused repeated');
  if (isParts(body)) return [twice];
  return [
    of('a form is taken', 'taken form'),
    body.mediaTypes.includes(JSON_TYPE) && of('a body of JSON is taken', 'taken JSON'),
    types.some(isFreeText) && of('a form with an escape is taken', 'taken escapes'),
    types.some(isFreeText) && of('a form with a space as + is taken', 'taken plus'),
    types.some(isSeveral) && of('a list of several items is taken', 'taken repeated'),
    twice,
  ];
}

/** Whether a text may have any characters. */
const isFreeText = (type: ContractType): boolean =>
  type.kind === 'text' && type.format === null && type.pattern === null && type.oneOf === null && (type.max ?? 3) > 2;

function requestDraft(one: Endpoint): Draft {
  const { body } = one.contract;
  const isJson = body?.mediaTypes.includes(JSON_TYPE);
  const refused = (condition: Condition, words: string) => refusal(one, 'request', condition, words);
  return {
    id: statementId.endpoint(one.plan.name, 'request'),
    item: 'endpoints/request payloads',
    needs: body?.bytes
      ? those(
          ...body.mediaTypes.map((type) => own(one, 'request')(`bytes of ${type} are taken`, `taken ${type}`)),
          body.bytes.firstBytes === 'checked' && firstBytesNeed(one, body.bytes.field),
        )
      : body
        ? those(
            taken(one, 'a body with allowed members is taken'),
            refused('invalid request', 'a body with a value that is not allowed'),
            refused('unknown field', 'a body with an unknown member'),
            isJson === true && refused('malformed request', 'a body that is no JSON'),
            (body.mediaTypes.includes(FORM_TYPE) || isParts(body)) &&
              own(one, 'request')('a malformed form is refused', 'refused malformed form'),
            ...body.type.members.flatMap(({ type, field }) =>
              type.kind === 'bytes' && field !== null ? fileNeeds(one, type, field) : [],
            ),
          )
        : [],
  };
}

/** The needs of a file in a form: each media type, and first bytes that are not of it. */
function fileNeeds(one: Endpoint, { mediaTypes, firstBytes }: BytesContract, field: string): Need[] {
  const types = mediaTypes.map((type) => own(one, 'request')(`a file of ${type} is taken`, `taken ${type}`));
  return firstBytes === 'checked' ? [...types, firstBytesNeed(one, field)] : types;
}

const isParts = ({ mediaTypes }: BodyContract): boolean => mediaTypes[0] === MULTIPART_TYPE;

/** The need of bytes that are not of their media type. */
function firstBytesNeed({ setup }: Endpoint, field: string): Need {
  const [resource = '', ...rest] = field.split('.');
  const id = statementId.field(resource, `${rest.join('.')}.type`);
  return need('bytes that do not begin as those of their media type are refused', id, 'refused first bytes', setup);
}

/** The statement about bodies of requests to endpoints that read none. */
function unreadDraft(one: Endpoint): Draft {
  const { unreadBody } = one.contract;
  const of = own(one, 'unread bodies');
  const needs =
    unreadBody === 'refused'
      ? [of('a request with a body is refused', 'refused body not expected')]
      : unreadBody === 'ignored'
        ? [of('a request with a body is taken', 'ignored')]
        : [];
  return { id: statementId.endpoint(one.plan.name, 'unread bodies'), item: 'endpoints/request payloads', needs };
}

function unknownDraft(one: Endpoint): Draft {
  const of = own(one, 'unknown parameters');
  const needs =
    one.contract.unknownParameters === 'refused'
      ? [of('a request with an unknown parameter is refused', 'refused unknown parameter')]
      : [of('a request with an unknown parameter is taken', 'ignored')];
  return { id: statementId.endpoint(one.plan.name, 'unknown parameters'), item: 'endpoints/request payloads', needs };
}

/** Only a path with GET can have HEAD. */
function headDraft(one: Endpoint): Draft {
  const of = own(one, 'HEAD');
  const needs =
    one.plan.method !== 'GET'
      ? []
      : one.plan.head
        ? [of('HEAD is answered without a body', 'taken')]
        : [of('HEAD is refused', 'refused method not allowed')];
  return { id: statementId.endpoint(one.plan.name, 'HEAD'), item: 'endpoints/methods', needs };
}

function conditionalDraft(one: Endpoint): Draft {
  const of = own(one, 'conditional');
  const judged = answersOf(one.plan).some(({ conditional }) => conditional);
  const needs = judged
    ? those(
        one.plan.method === 'GET' &&
          of('a request with the entity tag in If-None-Match is answered 304', 'not modified'),
        of('a request with another entity tag in If-Match is refused', 'refused precondition failed'),
        of('a request whose preconditions hold is taken', 'taken'),
      )
    : [];
  return { id: statementId.endpoint(one.plan.name, 'conditional'), item: 'endpoints/response payloads', needs };
}

/** The treatment of preconditions on a write. */
function preconditionsDraft(one: Endpoint): Draft {
  const of = own(one, 'preconditions');
  const refused = (name: string): Need => of(name, 'refused precondition failed');
  const evaluated = [
    refused('a request with another entity tag in If-Match is refused'),
    of('a request whose preconditions hold is taken', 'held'),
  ];
  const needs: Readonly<Record<PreconditionsKind, Need[]>> = {
    required: [of('a request without If-Match is refused', 'refused precondition missing'), ...evaluated],
    evaluated,
    refused: [refused('a request with a precondition is refused')],
    ignored: [of('a request with another entity tag in If-Match is taken', 'ignored')],
  };
  const kind = one.plan.preconditions;
  return {
    id: statementId.endpoint(one.plan.name, 'preconditions'),
    item: 'endpoints/response payloads',
    needs: kind ? needs[kind] : [],
  };
}

function idempotencyDraft(one: Endpoint): Draft {
  const of = own(one, 'idempotency');
  const refused = (condition: Condition, words: string) => refusal(one, 'idempotency', condition, words);
  const timed = (name: string, what: string): Need =>
    need(name, statementId.endpoint(one.plan.name, 'idempotency'), what, [...one.setup, 'clock']);
  const needs = one.contract.idempotency
    ? those(
        of('a request with a new key is taken', 'taken'),
        of('the same request with the same key is answered as before', 'replayed'),
        of('the same key of another caller is taken', 'taken beside another’s'),
        timed('shortly before its key is forgotten, it is answered as before', 'replayed at the end'),
        timed('once its key is forgotten, it is a new request', 'over'),
        one.contract.idempotency.required
          ? refused('idempotency key missing', 'a request without a key')
          : of('a request without a key is taken', 'taken without a key'),
        refused('idempotency key malformed', 'a request with a malformed key'),
        refused('idempotency key reused', 'another request with the same key'),
      )
    : [];
  return { id: statementId.endpoint(one.plan.name, 'idempotency'), item: 'endpoints/request payloads', needs };
}

/** Whether pages are requested by offset or number, and not by a cursor or an identity. */
function isByPlace(plan: EndpointPlan): boolean {
  const by = stepOf(plan, 'read page')?.page.by;
  return by === 'offset' || by === 'number';
}

function limitDrafts(one: Endpoint): Draft[] {
  const { page, limits } = one.contract;
  const id = (fact: 'pages' | 'Page size' | 'Request size' | 'Time-out' | 'Whole list'): StatementId =>
    statementId.endpoint(one.plan.name, fact);
  const size = own(one, 'Page size');
  const whole = one.plan.inside.some((step) => (step.do === 'list' || step.do === 'group') && step.all);
  return [
    {
      id: id('pages'),
      item: 'limits/pagination bounds',
      needs: page
        ? those(
            own(one, 'pages')('a page with another after it', 'next'),
            own(one, 'pages')('the last of several pages', 'last'),
            isByPlace(one.plan) &&
              own(one, 'pages')('a page with rows that begins after the first row', 'begins after the first row'),
            refusal(one, 'pages', 'page refused', 'a place that no page has'),
          )
        : [],
    },
    {
      id: id('Page size'),
      item: 'limits/pagination bounds',
      needs: page
        ? [
            size(`a page of ${page.size.most} items is given`, 'most'),
            page.size.beyond === 'refused'
              ? size(`a page of ${page.size.most + 1} items is refused`, 'refused page refused')
              : size(`a page of more than ${page.size.most} items is cut`, 'cut'),
          ]
        : [],
    },
    {
      id: id('Page size'),
      item: 'limits/defaults',
      needs: page ? [size(`a page has ${page.size.standard} items unless asked otherwise`, 'otherwise')] : [],
    },
    {
      id: id('Whole list'),
      item: 'limits/pagination bounds',
      needs: whole
        ? [own(one, 'Whole list')('a list with more rows than it may have', ['cut', 'refused page refused'])]
        : [],
    },
    {
      id: id('Request size'),
      item: 'limits/size limits',
      needs: limits.requestSize
        ? those(
            one.contract.body !== null &&
              own(one, 'Request size')(`a body of ${limits.requestSize.bytes} bytes is taken`, 'most'),
            refusal(one, 'Request size', 'request too large', `a body of ${limits.requestSize.bytes + 1} bytes`),
          )
        : [],
    },
    {
      id: id('Time-out'),
      item: 'limits/time-outs',
      needs: those(refusal(one, 'Time-out', 'time-out', 'a request that takes too long')),
      untestable: stepOf(one.plan, 'read body') ? null : 'A caller cannot make the service take long.',
    },
  ];
}
