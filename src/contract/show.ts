import { credentialField, neededWords } from '../plan/callers.ts';
import { STREAM_FACTS, WEBHOOK_FACTS } from '../plan/event-facts.ts';
import { JSON_TYPE } from '../plan/media-types.ts';
import { auditText } from '../plan/rows.ts';
import { scheduleRows, whenText } from '../plan/schedule-facts.ts';
import { unversionedText } from '../plan/versions.ts';
import { signingText } from '../plan/webhook-signing.ts';
import { wordsTexts } from '../plan/words.ts';
import { showDelay, showDuration, showSize } from '../text/units.ts';
import type {
  Contract,
  ErrorPayloadContract,
  EventContract,
  FieldContract,
  MakerContract,
  ResourceContract,
  ScheduleContract,
  SignatureContract,
  StatesContract,
  TransitionContract,
  VersionContract,
} from './contract.ts';
import type {
  AccessContract,
  AnswerContract,
  BodyContract,
  DeprecationContract,
  EndpointContract,
  HeaderContract,
  ParameterContract,
  PreconditionsContract,
} from './endpoint.ts';
import { factRows } from './facts.ts';
import { machinesOf } from './machines.ts';
import { resourcesInWords } from './resources-in-words.ts';
import { SUCCEEDED } from './successes.ts';
import { at, columns, memberRows, typeText } from './words.ts';

/** Prints one version of a contract: each endpoint, then the parts that endpoints share. */
export function showContract(contract: Contract, version: VersionContract): string {
  const parts = [
    `${contract.title} (${contract.document})${contract.address.url === null ? '' : ` at ${contract.address.url}`}`,
    ...version.endpoints.map((one) => showEndpoint(contract, one)),
    ...showParts(contract, version),
  ];
  return parts.filter(Boolean).join('\n\n');
}

/** Prints one endpoint: parameters, body, steps, and all answers in the order of checking, with their lines. */
export function showEndpoint(contract: Contract, endpoint: EndpointContract): string {
  const { name, path, method, head } = endpoint;
  const address = name === `${method} ${path}` ? '' : `, at ${path}`;
  return [
    `${name}${address}${head ? ', and HEAD' : ''}${at(endpoint.lines)}`,
    ...facts(contract, endpoint),
    ...parameterLines(endpoint),
    ...bodyLines(endpoint.body),
    ...stepLines(endpoint),
    ' answers, in the order in which a request is checked',
    ...answerLines(endpoint.answers),
  ].join('\n');
}

function preconditionsText({ ifMatch, ifNoneMatch, ifUnmodifiedSince, to, of }: PreconditionsContract): string {
  const [since, refused] = [
    ifUnmodifiedSince,
    'a request with If-Match, If-None-Match or If-Unmodified-Since is refused',
  ];
  if (ifMatch === 'refused') return refused;
  if (ifMatch === 'ignored') return 'If-Match, If-None-Match and If-Unmodified-Since are ignored';
  const tag = to?.text ?? (of === null ? 'the entity tag of the answer' : `the entity tag of ${of}`);
  const more = ifNoneMatch === 'judged' ? '; If-None-Match is judged' : '';
  return `If-Match is ${ifMatch}, compared to ${tag}${more}${since === 'judged' ? '; If-Unmodified-Since is judged' : ''}`;
}

function facts(contract: Contract, endpoint: EndpointContract): string[] {
  const { limits, idempotency, preconditions, page, unreadBody } = endpoint;
  const rates = limits.rates.map(
    ({ rate, everyone }) => rateText(contract, rate) + (everyone ? ', whoever calls' : ''),
  );
  const rows: string[][] = [['access', accessText(contract, endpoint.access) + at(endpoint.access.lines)]];
  if (rates.length) rows.push(['rates', rates.join('; ') + at(limits.rates.flatMap((one) => one.lines))]);
  if (limits.timeout) rows.push(['time-out', showDuration(limits.timeout.milliseconds) + at(limits.timeout.lines)]);
  if (limits.requestSize)
    rows.push(['size', `at most ${showSize(limits.requestSize.bytes)} of body${at(limits.requestSize.lines)}`]);
  if (unreadBody) rows.push(['body', `none is read; one that is sent is ${unreadBody}`]);
  if (idempotency) {
    const { header, required, keptMilliseconds, answersBelow, replayed, lines } = idempotency;
    const marked = replayed ? `; a repeated one has ${replayed.name}: ${replayed.value}` : '';
    const kept = `answers below ${answersBelow} are kept ${showDuration(keptMilliseconds)} for each caller`;
    rows.push(['idempotency', `by ${header}${required ? '' : ', if it is sent'}; ${kept}${marked}${at(lines)}`]);
  }
  if (preconditions) {
    rows.push(['conditions', preconditionsText(preconditions) + at(preconditions.lines)]);
  }
  if (page) {
    const { size, by, links } = page;
    const linked = links.length ? `; Link with ${links.join(', ')}` : '';
    const more = size.beyond === 'refused' ? 'more is refused' : 'more is left out';
    rows.push(['pages', `by ${by}; ${size.standard} items, at most ${size.most}, ${more}${linked}${at(page.lines)}`]);
  }
  const { deprecation } = endpoint;
  if (deprecation) rows.push(['deprecated', deprecationText(deprecation) + at(deprecation.lines)]);
  if (endpoint.tag !== undefined) rows.push(['tag', endpoint.tag]);
  if (endpoint.audience) rows.push(['audience', audienceText(contract, endpoint.audience)]);
  if (endpoint.everyRow) rows.push(['counts', everyRowText(endpoint.everyRow)]);
  const headers = (endpoint.answers.at(-1)?.headers ?? []).filter((one) => EVERYWHERE.has(one.name));
  if (headers.length) rows.push(['headers', `${headers.map(headerText).join(', ')}, as soon as they are known`]);
  return columns(rows, ' ');
}

const deprecationText = ({ from, until }: DeprecationContract): string =>
  `from ${from}${until ? `; from ${until.date} on, requests are refused as ${until.code}` : ''}`;

function audienceText({ schemes }: Contract, audience: NonNullable<EndpointContract['audience']>): string {
  if (audience === 'none') return 'none: no description shows the endpoint';
  const callers = schemes.filter((one) => audience.schemes.includes(one.name)).map((one) => one.caller);
  return audience.needs ? `callers with ${neededWords(audience.needs)}` : `any ${[...new Set(callers)].join(' or ')}`;
}

const everyRowText = (resources: readonly string[]): string =>
  `every row of ${resources.join(', ')}, also rows that the caller may not see`;

function rateText({ rates }: Contract, name: string): string {
  const rate = rates.find((one) => one.name === name);
  return rate ? `${name}: ${rate.requests ?? rate.by?.expression} in ${showDuration(rate.milliseconds)}` : name;
}

function accessText({ schemes }: Contract, access: AccessContract): string {
  const accepted = schemes.filter((one) => access.schemes.includes(one.name));
  const how = accepted.map((one) => credentialField(one, `{${one.name}}`).join(': ')).join(' or ');
  if (access.needs) return `${neededWords(access.needs)}, by ${how}`;
  if (access.kind === 'any caller') return `any ${accepted.map((one) => one.caller).join(' or ')}, by ${how}`;
  return how ? `anyone; credentials by ${how} are judged` : 'anyone';
}

function parameterLines({ parameters, unknownParameters }: EndpointContract): string[] {
  const rows = parameters.map((one) => [one.in, one.name, parameterText(one) + at(one.lines)]);
  return [` parameters; unknown ones are ${unknownParameters}`, ...columns(rows, '  ')];
}

function parameterText(one: ParameterContract): string {
  const absent = one.otherwise ? `optional, else ${one.otherwise.text}` : one.required ? 'always' : 'optional';
  return [
    one.role === 'stated' ? '' : `${one.role}:`,
    `${typeText(one.type)}, ${absent}`,
    one.refersTo === null ? '' : `names a row of ${one.refersTo}`,
    one.keeps ? `keeps rows where ${one.keeps.text}` : '',
    one.refused === null ? '' : `else ${one.refused}`,
  ]
    .filter(Boolean)
    .join('; ')
    .replace(':; ', ': ');
}

function bodyLines(body: BodyContract | null): string[] {
  if (!body) return [];
  if (body.bytes) {
    const { field, max, firstBytes } = body.bytes;
    const size = `at most ${showSize(max)}, first bytes ${firstBytes}`;
    return [` body as ${body.mediaTypes.join(' or ')}: the bytes of ${field}, ${size}${at(body.lines)}`];
  }
  const isJson = body.mediaTypes.includes(JSON_TYPE);
  const kind = body.patch ? (isJson ? ', a merge patch' : ', whose absent members keep their values') : '';
  const optional = body.required ? '' : ', optional';
  const { unknown } = body.type;
  return [
    ` body as ${body.mediaTypes.join(' or ')}${kind}${optional}; unknown members are ${unknown}${at(body.lines)}`,
    ...columns(memberRows(body.type), '  '),
  ];
}

function stepLines({ steps }: Pick<EndpointContract, 'steps'>): string[] {
  if (steps.length === 0) return [];
  const text = steps.map((one, i) => {
    const under = one.under.length ? `${one.under.join('; ')}: ` : '';
    return `  ${String(i + 1).padStart(2)}. ${under}${one.text}${at(one.lines)}`;
  });
  return [' does', ...text];
}

function answerLines(answers: readonly AnswerContract[]): string[] {
  return columns(
    answers.map((one) => [String(one.status), one.code ?? '', answerText(one) + at(one.lines)]),
    '  ',
  );
}

/** Headers that all answers of an endpoint have, printed once per endpoint. */
const EVERYWHERE: ReadonlySet<string> = new Set([
  'RateLimit-Policy',
  'RateLimit',
  'Vary',
  'Deprecation',
  'Sunset',
  'Access-Control-Allow-Origin',
  'Access-Control-Allow-Credentials',
  'Access-Control-Expose-Headers',
]);

function answerText({ because, headers, body, status }: AnswerContract): string {
  const own = headers.filter((one) => !EVERYWHERE.has(one.name));
  const named = own.map(headerText).join(', ');
  const shown = body && status < 300 ? `${typeText(body.type)}${body.nullable ? ' or null' : ''}` : null;
  const where = because.text.slice(SUCCEEDED.length);
  const what = because.kind === 'success' ? `${shown ?? 'nothing'}${where}` : because.text;
  return `${what}${named && `; ${named}`}`;
}

function headerText({ name, value, expression, presence }: HeaderContract): string {
  const source = expression ? ` ${expression.text}` : value === null ? '' : ` ${value}`;
  return `${name}${source}${presence === 'sometimes' ? ' (sometimes)' : ''}`;
}

/** Prints the parts of a contract that endpoints share. */
function showParts(contract: Contract, version: VersionContract): string[] {
  return [
    ...version.shapes.map(({ name, type, lines }) =>
      [`${name}, as it is shown${at(lines)}`, ...columns(memberRows(type), '  ')].join('\n'),
    ),
    // Clients observe no rows of a resource without fields and states.
    ...resourcesInWords(contract.resources, version)
      .filter((one) => one.fields.length || one.states)
      .map((one) => showResource(one, isShown(version, one.name))),
    ...(contract.schedules ?? []).map(showSchedule),
    showEvents(version.events),
    showWebhook(contract),
    showStream(contract),
    showSchemes(contract),
    showErrors(contract),
    showVersions(contract, version),
  ];
}

/** Whether any answer or event may show a row of a resource. */
const isShown = ({ shapes }: VersionContract, resource: string): boolean =>
  shapes.some((one) => one.resource === resource);

function showResource(resource: ResourceContract, shown: boolean): string {
  const { name, visible, fields, rules, lines } = resource;
  const seen = visible ? `visible where ${visible.text}` : shown ? 'visible to everyone' : 'never shown';
  const head = `${name}: rows are ${seen}${at(lines)}`;
  return [
    head,
    ...columns(
      fields.map((one) => [one.name, fieldText(one) + at(one.lines)]),
      '  ',
    ),
    ...rules.map((rule) => `  ${rule.text}${rule.code === null ? '' : `, else ${rule.code}`}${at(rule.lines)}`),
    ...machinesOf(resource).flatMap((machine) => showStates(name, machine)),
    ...(resource.audit ? [`  ${auditText(resource.audit)}${at(resource.audit.lines)}`] : []),
  ].join('\n');
}

function fieldText({ type, optional, given }: FieldContract): string {
  const sources = given.map(({ by, moment, value }) => {
    if (by === 'moment') return `on ${moment} ${value?.text}`;
    if (by === 'request') return value ? `request, else ${value.text}` : by;
    if (by === 'audit') return `${by} ${moment}`;
    return value ? `${by}, ${value.text}` : `${by}${moment === null ? '' : ` per ${moment}`}`;
  });
  const from = sources.length ? `; given by ${sources.join(', ')}` : '';
  return `${typeText(type)}${optional ? ', optional' : ''}${from}`;
}

function showStates(resource: string, { field, initial, final, transitions, lines }: StatesContract): string[] {
  return [
    `  ${resource}.${field} starts as ${initial}; final: ${final.join(', ') || 'none'}${at(lines)}`,
    ...transitions.flatMap(showTransition),
  ];
}

function showTransition(one: TransitionContract): string[] {
  const { timed, guard, code, madeBy } = one;
  const from = timed?.instant?.text ?? timed?.transition ?? '';
  const time = timed ? `, by itself ${showDelay(timed.afterMilliseconds, from)}` : '';
  const how = `${guard ? ` when ${guard.text}` : ''}${time}${code === null ? '' : `, else ${code}`}`;
  return [
    `    ${one.name}: ${one.from.join(', ')} → ${one.to}${how}${makersText(madeBy)}${at(one.lines)}`,
    ...one.follows.map((step) => `      then ${step.text}${at(step.lines)}`),
  ];
}

const makersText = (madeBy: readonly MakerContract[] = []): string =>
  madeBy.length
    ? `; made by ${madeBy.map(({ kind, name }) => (kind === 'operator' ? 'the operator' : name)).join(', ')}`
    : '';

function showSchedule(schedule: ScheduleContract): string {
  const { name, skippedTimes, repeatedTimes, missedAfterMilliseconds, withinMilliseconds, lines } = schedule;
  const rows = scheduleRows({
    ...schedule,
    skipped: skippedTimes,
    repeated: repeatedTimes,
    missedAfter: missedAfterMilliseconds,
    within: withinMilliseconds,
  });
  return [`Schedule ${name}, ${whenText(schedule)}${at(lines)}`, ...columns(rows, '  '), ...stepLines(schedule)].join(
    '\n',
  );
}

function showEvents(events: readonly EventContract[]): string {
  if (events.length === 0) return '';
  const rows = events.map((one) => [
    one.name,
    `${eventText(one)}${makersText(one.madeBy)}; payload ${typeText(one.payload)}${seenText(one)}; by ${one.notifiedBy.join(' and ')}${at(one.lines)}`,
  ]);
  return ['Events', ...columns(rows, '  ')].join('\n');
}

/** The words for the readers of a stream who see an event that a step emits. */
function seenText({ visible }: EventContract): string {
  if (visible === undefined) return '';
  return visible === null ? '; visible to everyone' : `; visible where ${visible.text}`;
}

function eventText({ resource, when }: EventContract): string {
  if (when.kind === 'emitted') return 'a step emits it';
  if (when.kind === 'at') {
    const condition = when.condition ? ` while ${when.condition.text}` : '';
    return `at ${when.instant?.text} of ${resource}${condition}`;
  }
  if (when.kind === 'moves') return `${resource} moves by ${when.transitions.join(', ')}`;
  if (when.kind === 'changed') return `${resource} changes in ${when.fields.join(', ')}`;
  return `${resource} is ${when.kind}`;
}

function showWebhook({ webhook }: Contract): string {
  if (!webhook) return '';
  const { receivers, signature, attempts, delays, delivery, gone, retryAfterMilliseconds: after, lines } = webhook;
  const hears = receivers?.hears.map(({ resource, where }) => `${resource}${where ? ` where ${where.text}` : ''}`);
  const who = receivers
    ? `rows of ${receivers.resource}, at ${receivers.url}, for ${receivers.events ?? 'every event'}, of ${hears?.join('; ')}`
    : 'registered by the operator, each for chosen events';
  const rows = [
    ['receivers', who],
    ...factRows(WEBHOOK_FACTS, webhook, {
      signature: ['signature', signatureWords(signature)],
      delays: ['attempts', `${attempts}${delays.length ? `, after ${delays.map(showDuration).join(', ')}` : ''}`],
      delivery: ['delivery', delivery],
    }),
    ...(gone ? [['status 410', 'removes the receiver']] : []),
    ...(after === undefined ? [] : [['Retry-After', `heeded, at most ${showDuration(after)}`]]),
  ];
  return [`Webhooks${at(lines)}`, ...columns(rows, '  ')].join('\n');
}

function signatureWords({ scheme, headers, form }: SignatureContract): string {
  return form ? signingText(form) : `${scheme}, in ${headers.join(', ')}`;
}

function showStream({ stream }: Contract): string {
  if (!stream) return '';
  const { resumption, atOnce, lines } = stream;
  const each = (most: number | null): string => (most === null ? 'any number' : `${most}`);
  const open = atOnce
    ? `${each(atOnce.caller)} for each caller, ${each(atOnce.nobody)} for each address without one, else ${atOnce.code}`
    : 'any number';
  const back = resumption ? `within ${showDuration(resumption.milliseconds)}, else ${resumption.code}` : 'none';
  const rows = factRows(STREAM_FACTS, stream, {
    format: null,
    resumption: ['resumption', back],
    atOnce: ['at once', open],
  });
  return [`Stream${at(lines)}`, ...columns(rows, '  ')].join('\n');
}

function showSchemes({ schemes, browsers }: Contract): string {
  const whose = ({ caller, while: condition }: Contract['schemes'][number]): string =>
    condition ? `${caller} while ${condition.text}` : caller;
  const rows = schemes.map((one) => [
    one.name,
    `${one.kind} in ${placeText(one)}; the caller is a ${whose(one)}; ${sourceText(one)}${at(one.lines)}`,
  ]);
  const scopes = schemes.flatMap((one) => one.scopes.map((scope) => ['', `scope ${scope.name}${at(scope.lines)}`]));
  const claims = schemes.flatMap(({ token }) =>
    (token?.claims ?? []).map((one) => [
      '',
      `claim ${one.name}: ${typeText(one.type)}${one.required ? '' : ', optional'}${at(one.lines)}`,
    ]),
  );
  const origins =
    browsers &&
    `  pages of ${browsers.origins === 'any' ? 'any origin' : browsers.origins.join(', ')} may call, with${browsers.credentials ? '' : 'out'} credentials${at(browsers.lines)}`;
  if (!rows.length && !origins) return '';
  return ['Credentials', ...columns([...rows, ...scopes, ...claims], '  '), ...(origins ? [origins] : [])].join('\n');
}

function sourceText({ issuedBy, basic }: Contract['schemes'][number]): string {
  if (!basic) return `issued by ${issuedBy.join(' and ')}`;
  const { realm, userName, ignoresCase, origins } = basic;
  const writes = `writes of browsers from ${['the service’s own origin', ...origins].join(', ')} alone`;
  return `${userName} is the user name${ignoresCase ? ', ignoring case' : ''}; realm “${realm}”; ${writes}`;
}

function placeText({ header, cookie }: Contract['schemes'][number]): string {
  if (!cookie) return header;
  const { name, sameSite, maxAge, removedWhenRefused, origins } = cookie;
  const age = maxAge === null ? 'no Max-Age' : `Max-Age ${showDuration(maxAge * 1000)}`;
  const refused = removedWhenRefused ? 'removed when refused' : 'kept when refused';
  const writes = `writes from ${['the service’s own origin', ...origins].join(', ')} alone`;
  return `the cookie ${name} (Secure, HttpOnly, SameSite ${sameSite}, ${age}, ${refused}; ${writes})`;
}

/** Prints the members of errors; members that only errors with faults have come last. */
function errorText({ type, withFaults }: ErrorPayloadContract): string {
  const always = new Set(type.members.map(({ name }) => name));
  const [members, others] = [
    withFaults.members.filter(({ name }) => always.has(name)),
    withFaults.members.filter(({ name }) => !always.has(name)),
  ];
  const text = typeText({ ...withFaults, members });
  return others.length > 0 ? `${text}, with faults also ${typeText({ ...withFaults, members: others })}` : text;
}

function showErrors({ errors: { payload, codes } }: Contract): string {
  const form = payload
    ? `as ${payload.mediaType}${payload.problemType ? ` of the type ${payload.problemType}` : ''}: ${errorText(payload)}${at(payload.lines)}`
    : 'with a status and no body';
  const rows = codes.map((one) => [String(one.status), one.code, one.title + at(one.lines)]);
  return [`Errors, ${form}`, ...columns(rows, '  ')].join('\n');
}

function showVersions({ versioning, versions }: Contract, shown: VersionContract): string {
  if (!versioning) return '';
  const { by, without } = versioning;
  const how = by.kind === 'header' ? `header ${by.header}` : by.kind === 'path' ? by.prefix : `Accept: ${by.template}`;
  const rows = versions.map((one) => {
    const days = [one.deprecated && `deprecated ${one.deprecated}`, one.sunset && `sunset ${one.sunset}`];
    const names = one.renamed.map(({ field, name }) => (name === null ? `${field} absent` : `${field} is ${name}`));
    const text = [one.status, ...days, ...names, ...wordsTexts(one.words), one === shown ? 'shown here' : '']
      .filter(Boolean)
      .join('; ');
    return [one.name ?? '', text + at(one.lines)];
  });
  return [
    `Versions, by ${how}; without one: ${unversionedText(without)}${at(versioning.lines)}`,
    ...columns(rows, '  '),
  ].join('\n');
}
