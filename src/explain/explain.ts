import { type Expr, show } from '../expression/tree/expression.ts';
import { describe } from '../expression/tree/types.ts';
import { conditionOfCallers } from '../plan/caller-condition.ts';
import {
  type BasicPlan,
  type CookiePlan,
  isSafe,
  neededWords,
  type SchemePlan,
  setCookie,
  type TokensPlan,
} from '../plan/callers.ts';
import { STREAM_FACTS, WEBHOOK_FACTS } from '../plan/event-facts.ts';
import { countedWhole } from '../plan/every-row.ts';
import type { FilePlan } from '../plan/files.ts';
import { type RatePer, unitText } from '../plan/limits.ts';
import { lineOf, statementId } from '../plan/lines.ts';
import { STAGES } from '../plan/order.ts';
import { type ByHand, eachFact, type Facts, type PlanFacts } from '../plan/plain-fact.ts';
import { auditText } from '../plan/rows.ts';
import { scheduleRows, whenText } from '../plan/schedule-facts.ts';
import type {
  AudiencePlan,
  BeforeStep,
  EndpointPlan,
  ErrorMemberPlan,
  ErrorValuePlan,
  EventPlan,
  HandlerPlan,
  PagePlan,
  ParameterPlan,
  PartsPlan,
  PayloadPlan,
  Plan,
  ResourcePlan,
  SchedulePlan,
  StreamPlan,
  Timing,
  TransitionPlan,
  ValueRule,
  VersionsPlan,
  WebhookPlan,
} from '../plan/step.ts';
import { boundText } from '../plan/value-forms.ts';
import { type DeprecationPlan, day, endingHeaders, endingOf, unversionedText } from '../plan/versions.ts';
import { signingText } from '../plan/webhook-signing.ts';
import { wordsTexts } from '../plan/words.ts';
import { ownMember } from '../text/own-members.ts';
import { counted, showDelay, showDuration, showSize } from '../text/units.ts';
import { explainInside, explainSteps, explainUnique } from './steps.ts';

/** Describes the plan of a document, or of one endpoint, for people. Line numbers refer to the document. */
export function explainPlan(plan: Plan, endpoint: EndpointPlan | null): string {
  if (endpoint) return explainEndpoint(plan, endpoint);
  const parts = [
    `${plan.title} (${plan.document})${explainAddress(plan)}`,
    ...plan.resources.map((resource) => explainResource(resource, plan.resources)),
    ...plan.endpoints.map((one) => explainEndpoint(plan, one)),
    explainPasswords(plan),
    explainSchemes(plan),
    explainBrowsers(plan),
    ...plan.handlers.map(explainHandler),
    ...(plan.schedules ?? []).map(explainSchedule),
    explainErrors(plan),
    explainEmitted(plan),
    explainWebhook(plan),
    explainStream(plan),
    explainVersions(plan),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function explainAddress({ address }: Plan): string {
  if (address.url !== null) return ` at ${address.url}`;
  return address.used ? ' at the address that the operator gives' : '';
}

function explainResource(resource: ResourcePlan, resources: readonly ResourcePlan[]): string {
  const lines = [`${resource.name}`];
  const audit = resources.find(({ name }) => name === resource.entriesOf)?.audit;
  for (const column of resource.columns) {
    if (column.name.startsWith(' ')) continue;
    const facts = audit?.facts.filter(({ entry }) => entry === column.name) ?? [];
    const givings = resource.givings.filter((giving) => giving.field === column.name);
    const sources = [
      column.from.operator ? 'given by the operator' : '',
      column.from.transitions ? 'given by transitions' : '',
      column.from.steps ? 'given by steps' : '',
      column.sequence ? `numbered from 1${column.sequence.per ? ` per ${column.sequence.per}` : ''}` : '',
      ...facts.map(({ fact, of }) => `audit ${fact}${of === null ? '' : ` ${of}`}`),
      ...givings.map((giving) => `on ${giving.moment} ${show(giving.value)}`),
      column.otherwise ? `else ${show(column.otherwise)}` : '',
    ].filter(Boolean);
    const identity = column.name === resource.identity ? ', identity' : '';
    const of = column.references === undefined ? '' : `, references to ${column.references}`;
    const type = column.reference
      ? `reference to ${column.reference}`
      : `${column.secret ? 'secret, ' : column.password ? 'password, ' : ''}${describeRule(column.rule)}${of}`;
    lines.push(
      `  ${column.name}: ${type}${column.nullable ? ', optional' : ''}${identity}${sources.length ? `; ${sources.join('; ')}` : ''}`,
    );
  }
  lines.push(`  visible: ${resource.visible ? show(resource.visible) : 'to everyone'}`);
  for (const one of resource.derived) lines.push(`  ${one.name}: derived, ${show(one.value)}`);
  for (const view of resource.views) {
    const members = view.members.map(
      (member) => show(member.value).replace(/^this\./, '') + (member.view ? ` as ${member.view.name}` : ''),
    );
    lines.push(`  shown${view.name === resource.name ? '' : ` as ${view.name}`}: ${members.join(', ') || 'never'}`);
  }
  for (const rule of resource.holds) lines.push(`  holds: ${show(rule.test)}${rule.code ? `, else ${rule.code}` : ''}`);
  for (const rule of resource.overlaps) {
    const by = rule.by.length ? ` by ${rule.by.join(' and ')}` : '';
    const condition = rule.condition ? ` while ${show(rule.condition)}` : '';
    const code = rule.code ? `, else ${rule.code}` : '';
    lines.push(`  no overlap: ${show(rule.start)} to ${show(rule.end)}${by}${condition}${code}`);
  }
  for (const rule of resource.takes) lines.push(`  its removal removes ${rule.resource} by ${rule.field}`);
  for (const { resource: other, field } of resource.clears) {
    const holder = resources.find(({ name }) => name === other);
    const many = holder?.columns.some((one) => one.name === field && one.references !== undefined);
    lines.push(`  its removal ${many ? 'takes it out of' : 'clears'} ${other}.${field}`);
  }
  for (const rule of resource.uniques)
    lines.push(
      `  unique: ${explainUnique({ ...rule, while: rule.condition })}${rule.code ? `, else ${rule.code}` : ''}`,
    );
  for (const rule of resource.keptBy)
    lines.push(`  kept by ${rule.resource}.${rule.field}${rule.code ? `, else ${rule.code}` : ''}`);
  for (const machine of resource.machines) {
    const field = resource.machines.length > 1 ? ` in ${machine.field}` : '';
    for (const one of machine.transitions) lines.push(...explainTransition(one, field));
    lines.push(`  starts as ${machine.initial}${field}`);
  }
  if (resource.audit) lines.push(`  ${auditText(resource.audit)}`);
  for (const event of resource.events)
    lines.push(`  event ${event.name}: ${explainEvent(event)}, as ${event.view}, by ${event.to.join(' and ')}`);
  return lines.join('\n');
}

function explainTransition(one: TransitionPlan, field: string): string[] {
  const timed = one.timed ? ` by itself ${explainTiming(one.timed)}` : '';
  const guard = one.guard ? ` when ${show(one.guard)}` : '';
  const code = one.code ? `, else ${one.code}` : '';
  return [
    `  ${one.name}: ${one.from.join(', ')} → ${one.to}${field}${guard}${timed}${code}`,
    ...explainSteps(one.then, '    '),
  ];
}

function explainTiming({ after, instant, move }: Timing): string {
  return showDelay(after, instant ? show(instant) : move);
}

function explainEvent({ on, by, fields, timed }: EventPlan): string {
  if (timed) return `at ${show(timed.instant)}${timed.condition ? ` while ${show(timed.condition)}` : ''}`;
  if (on === 'moves') return `moves by ${by.join(', ')}`;
  return on === 'changed' ? `changed in ${fields.join(', ')}` : on;
}

function explainEndpoint(plan: Plan, endpoint: EndpointPlan): string {
  const numbered = (texts: Array<[string, number | null]>): string[] =>
    texts.map(([text, line], i) => `  ${String(i + 1).padStart(2)}. ${text}${line === null ? '' : `  (line ${line})`}`);
  const { after } = endpoint;
  const ignoring =
    endpoint.preconditions === 'ignored'
      ? lineOf(plan.lines, statementId.endpoint(endpoint.name, 'preconditions'))
      : undefined;
  const whole = countedWhole(endpoint, plan.resources);
  return [
    `${endpoint.name}${endpoint.head ? ', and HEAD' : ''}  (line ${endpoint.line})`,
    ...(ignoring === undefined
      ? []
      : [` If-Match, If-None-Match and If-Unmodified-Since are ignored  (line ${ignoring})`]),
    ...(endpoint.deprecation ? [explainDeprecation(plan, endpoint.name, endpoint.deprecation)] : []),
    ...(endpoint.tag === undefined
      ? []
      : [` tag ${endpoint.tag}  (line ${lineOf(plan.lines, statementId.endpoint(endpoint.name, 'tag'))})`]),
    ...(endpoint.audience ? [explainAudience(plan, endpoint.name, endpoint.audience)] : []),
    ...(whole.length ? [` counts every row of ${whole.join(', ')}, also rows that the caller may not see`] : []),
    ` before: ${STAGES.before}`,
    ...numbered(endpoint.before.map((step) => [explainBefore(plan, step, endpoint.method), step.line])),
    ` inside: ${STAGES.inside}`,
    ...explainSteps(endpoint.inside, '  '),
    ` after: ${STAGES.after}`,
    ...(after ? numbered([[explainInside(after), after.line]]) : ['   the answer that the steps have ended in']),
  ].join('\n');
}

function explainAudience({ schemes, lines }: Plan, endpoint: string, audience: AudiencePlan): string {
  const line = `(line ${lineOf(lines, statementId.endpoint(endpoint, 'audience'))})`;
  if (audience === 'none') return ` no description shows the endpoint  ${line}`;
  const callers = new Set(schemes.flatMap((one) => (audience.schemes.includes(one.name) ? [one.resource] : [])));
  const who = audience.needs ? `callers with ${neededWords(audience.needs)}` : `any ${[...callers].join(' or ')}`;
  return ` descriptions show the endpoint to ${who} alone  ${line}`;
}

function explainDeprecation(plan: Plan, endpoint: string, deprecation: DeprecationPlan): string {
  const names = endingHeaders(endingOf(deprecation)).map(([name]) => name);
  const headers = names.length ? `; answers have ${names.join(' and ')}` : '';
  const line = lineOf(plan.lines, statementId.endpoint(endpoint, 'deprecated'));
  return ` deprecated from ${day(deprecation.from)}${headers}  (line ${line})`;
}

const COUNTED: Partial<Record<RatePer, string>> = { nobody: 'address of a request without a caller' };

function explainBefore(plan: Plan, step: BeforeStep, method: string): string {
  switch (step.do) {
    case 'limit': {
      const rate = plan.rates[step.rate];
      if (!rate) throw new Error(`The plan has no rate ${step.rate}`);
      const row = rate.row ? show(rate.row) : '';
      const what = step.callers ? 'address, whoever calls' : (COUNTED[rate.per] ?? unitText(rate.per, row));
      const most = typeof rate.count === 'number' ? rate.count : show(rate.count);
      return `count the ${what}: ${most} requests in ${showDuration(rate.milliseconds)}, more are refused`;
    }
    case 'authenticate':
      return `authenticate ${plan.schemes
        .filter((scheme) => step.schemes.includes(scheme.name))
        .map((scheme) => explainCaller(scheme, plan.resources))
        .join(
          ', or ',
        )}${step.optional ? '; without one, the caller is nobody' : ''}${explainOrigins(plan, step, method)}`;
    case 'require scope':
      return `require ${neededWords(step)}`;
    case 'choose version':
      return plan.versions
        ? `choose the version by ${explainScheme(plan.versions)}; without it ${unversionedText(plan.versions.without)}`
        : 'choose the version';
    case 'check sunset':
      return `refuse requests from ${day(step.at)} on, else ${step.code}`;
    case 'negotiate':
      return `check that ${[step.offered, ...(step.others ?? [])].join(' or ')} is accepted`;
    case 'read body':
      return `${step.bytes ? 'check the head of' : 'read'} a body of at most ${showSize(step.most)} as ${step.mediaTypes.join(' or ')}${step.optional ? ', if there is one' : ''}${step.later ? '; other bodies wait for the step that validates the body' : ''}`;
    case 'refuse body':
      return `refuse a body (past ${showSize(step.most)} as too large)`;
    case 'read parameters':
      return `read parameters: ${[...step.path.map((p) => `{${p.name}} ${explainParameter(p)}`), ...step.query.map((p) => `${p.name} ${explainParameter(p)}`), ...step.header.map((p) => `header ${p.name} ${explainParameter(p)}`)].join('; ') || 'none'}; unknown ones are ${step.unknown}`;
    case 'validate body':
      if (step.payload?.bytes) return explainBytes(step.payload, step.payload.bytes);
      return `${step.parts ? explainParts(step.parts) : ''}check ${explainBody(step)}; unknown ones are ${step.unknown}${step.later ? '; faults wait for the step that validates the body' : ''}`;
    case 'read page':
      return explainPage(step.page);
    case 'claim key':
      return `claim the idempotency key in ${step.header}${step.optional ? ', if it is sent' : ''}; answers below ${step.below} are kept ${showDuration(step.kept)}${step.replayed ? `, and repeated with ${step.replayed.name}: ${step.replayed.value}` : ''}`;
  }
}

function explainBytes({ resource }: PayloadPlan, { field, checked }: FilePlan): string {
  const first = checked ? '; the first bytes have to be those of its media type' : '';
  return `receive and store the body as the bytes of ${resource}.${field}${first}`;
}

/** The receiving of a form of several parts. */
function explainParts({ files, most }: PartsPlan): string {
  const stored = files.map(({ field, most: of, checked }) => {
    const first = checked ? ', the first bytes have to be those of its media type' : '';
    return `${field} (at most ${showSize(of)}${first})`;
  });
  const kept = stored.length > 0 ? `, store the bytes of ${stored.join(', ')} while they arrive` : '';
  return `receive the parts${kept}; all that is no file has at most ${showSize(most)}; `;
}

function explainBody({ payload, parameters }: Extract<BeforeStep, { do: 'validate body' }>): string {
  const fields = payload && `the fields of ${payload.resource}${explainPlace(payload)}: ${payload.fields.join(', ')}`;
  const own = parameters.map((one) => `${one.name} ${explainParameter(one)}`).join('; ');
  const parts = [fields && fields + (payload?.optional ? ', each optional' : ''), own && `the members ${own}`];
  return parts.filter(Boolean).join('; ');
}

function explainPlace({ member, items }: PayloadPlan): string {
  if (member === null) return '';
  return items ? ` in each of ${items.min} to ${items.max} items of ${member}` : ` in ${member}`;
}

function explainPage({ by, limit, place, standard, most, beyond, link, payload }: PagePlan): string {
  const size = `${limit} (${standard}, at most ${most}${beyond === 'left out' ? ', more is left out' : ''})`;
  const links = link.length ? `; links ${link.join(', ')}` : '';
  const form = payload ? payload.map((one) => `${one.name}: ${one.value}`).join(', ') : 'the items alone';
  return `read the page by ${by}: ${size} and ${place}; answered as ${form}${links}`;
}

function explainParameter(parameter: ParameterPlan): string {
  const absent = parameter.otherwise ? `, absent ${show(parameter.otherwise)}` : ', optional';
  const required = parameter.required ? '' : absent;
  return `(${parameter.password ? 'password, ' : ''}${describeRule(parameter.rule)}${required}${parameter.code ? `, else ${parameter.code}` : ''})`;
}

export function describeRule(rule: ValueRule): string {
  const keys = rule.keys ? `${describeRule(rule.keys)} → ` : '';
  if (rule.items) return `${rule.kind} of ${rule.min ?? 0} to ${rule.max} (${keys}${describeRule(rule.items)})`;
  const bounds =
    rule.max === null
      ? ''
      : ` ${boundText(rule, rule.min ?? 0)} to ${boundText(rule, rule.max)}${rule.kind === 'text' ? ' characters' : ''}`;
  const pattern = rule.pattern === null ? '' : ` /${rule.pattern}/`;
  const whole = rule.whole === null ? '' : ` in whole ${showDuration(rule.whole).replace('1 ', '')}s`;
  return `${rule.format ?? rule.kind}${bounds}${whole}${pattern}${rule.oneOf ? ` one of ${rule.oneOf.join(', ')}` : ''}`;
}

function explainHandler(handler: HandlerPlan): string {
  const fields = (list: HandlerPlan['takes']): string =>
    list.map((one) => `${one.name}: ${describeRule(one.rule)}${one.nullable ? ', optional' : ''}`).join('; ') ||
    'nothing';
  const attempts = handler.kind === 'outside' ? `; ${counted(handler.delays.length + 1, 'attempt')}` : '';
  const lines = [
    `handler ${handler.name}: ${handler.kind}, ${handler.file}, within ${showDuration(handler.within)}${attempts}`,
    `  takes ${fields(handler.takes)}`,
    `  gives ${fields(handler.gives)}`,
    `  fails with ${handler.fails.join(', ') || 'none'}`,
  ];
  if (handler.answers.length) lines.push('  when it answers:', ...explainSteps(handler.answers, '    '));
  if (handler.failing.length) lines.push('  when it fails:', ...explainSteps(handler.failing, '    '));
  return lines.join('\n');
}

function explainSchedule(schedule: SchedulePlan): string {
  return [
    `schedule ${schedule.name}: ${whenText(schedule)}  (line ${schedule.line})`,
    ...scheduleRows(schedule).map(([name, text]) => `  ${name}: ${text}`),
    '  runs once among all nodes, in one transaction:',
    ...explainSteps(schedule.steps, '    '),
  ].join('\n');
}

function explainWebhook(plan: Plan): string {
  const { webhook } = plan;
  if (!webhook) return '';
  const delays = webhook.delays.length ? `, after ${webhook.delays.map(showDuration).join(', ')}` : '';
  const facts = explainFacts(WEBHOOK_FACTS, webhook, {
    signature: webhook.signing ? signingText(webhook.signing) : '',
    delays: counted(webhook.delays.length + 1, 'attempt') + delays,
    delivery: '',
  });
  const gone = webhook.gone ? '; the status 410 removes the receiver' : '';
  const { retryAfter } = webhook;
  const after = retryAfter === undefined ? '' : `; Retry-After is heeded, at most ${showDuration(retryAfter)}`;
  return `Webhooks\n  ${facts}${gone}${after}${explainReceivers(webhook)}`;
}

/** The words of the facts of a part; `byHand`: those of the irregular facts, empty for none. */
const explainFacts = <F extends Facts>(facts: F, of: PlanFacts<F>, byHand: ByHand<F, string>): string =>
  eachFact<F, string>(facts, ({ member, fact }) => fact.says?.(ownMember(of, member)) ?? '', byHand)
    .filter((words) => words !== '')
    .join('; ');

function explainReceivers({ receivers }: WebhookPlan): string {
  if (!receivers) return '';
  const { resource, url, events, secret, hears } = receivers;
  const of = hears.map(({ name, where }) => `${name}${where ? ` where ${show(where)}` : ''}`).join('; ');
  return `\n  receivers: the rows of ${resource} at ${url} for ${events ?? 'every event'}, signed with ${secret}; told of ${of}`;
}

function explainAtOnce(atOnce: StreamPlan['atOnce']): string {
  if (!atOnce) return 'any number for each caller';
  const { caller, nobody, code } = atOnce;
  const callers = caller === null ? [] : [`${caller} for each caller`];
  const others = nobody === null ? [] : [`${nobody} for each address without a caller`];
  return `at most ${[...callers, ...others].join(' and ')}, else ${code}`;
}

/** The events that steps emit. */
function explainEmitted({ emitted = [] }: Plan): string {
  const lines = emitted.map(({ name, to, members, visible }) => {
    const given = members.map((member) => `${member.name} (${describe(member.type).replace(/^an? /, '')})`).join(', ');
    const seen = to.includes('stream') ? `; visible ${visible ? `where ${show(visible)}` : 'to everyone'}` : '';
    return `  event ${name}: emitted with ${given}, by ${to.join(' and ')}${seen}`;
  });
  return lines.length > 0 ? ['Emitted events', ...lines].join('\n') : '';
}

function explainStream({ stream }: Plan): string {
  if (!stream) return '';
  const { resumption, atOnce } = stream;
  const facts = explainFacts(STREAM_FACTS, stream, {
    format: '',
    resumption: resumption
      ? `readers come back within ${showDuration(resumption.milliseconds)}, else ${resumption.code}`
      : 'readers do not come back to where they were',
    atOnce: explainAtOnce(atOnce),
  });
  return `Stream\n  ${facts}`;
}

function explainScheme({ by, vary }: VersionsPlan): string {
  const source = by.kind === 'header' ? by.header : by.kind === 'path' ? by.prefix : `${by.template} in Accept`;
  return source + (vary === null ? '' : `, with Vary: ${vary}`);
}

function explainVersions(plan: Plan): string {
  if (!plan.versions) return '';
  const dayOf = (at: number | null): string => (at === null ? 'none' : day(at));
  const older = plan.versions.older.map((one) => {
    const names = Object.entries(one.names).map(([field, name]) =>
      name === null ? `${field} absent` : `${field} is ${name}`,
    );
    const differences = [...names, ...wordsTexts(one.words)];
    const state = one.retired ? 'retired' : 'deprecated';
    const life =
      one.retired || one.deprecated !== null
        ? `${state} ${dayOf(one.deprecated)}, sunset ${dayOf(one.sunset)}`
        : 'supported';
    return `  ${one.name}: ${life}${differences.length ? `; ${differences.join('; ')}` : ''}`;
  });
  return [`Versions\n  ${plan.versions.current}: current`, ...older].join('\n');
}

/** Describes the resource of callers, their credentials, the header, and the condition for their rows. */
function explainCaller(plan: SchemePlan, resources: readonly ResourcePlan[]): string {
  const { resource, header, scheme, tokens, cookie } = plan;
  const what = plan.basic ? 'user name and password' : tokens ? 'token' : 'key';
  const condition = conditionOfCallers(resources, plan);
  const restriction = condition ? `, while ${show(condition)}` : '';
  const place = cookie ? `the cookie ${cookie.name}` : `${header}:${scheme === null ? '' : ` ${scheme}`} …`;
  return `the ${resource} by its ${what} in ${place}${restriction}`;
}

/** The origins from which requests that write are accepted. */
const ownOr = ({ origins }: Pick<BasicPlan, 'origins'>): string =>
  ['the service’s own origin', ...(origins.length ? [origins.join(', ')] : [])].join(' or ');

/** Describes the origins from which requests with a cookie, or for one, or by HTTP Basic are accepted. */
function explainOrigins({ schemes }: Plan, { schemes: taken, sets = [] }: Authenticate, method: string): string {
  if (isSafe(method)) return '';
  return schemes
    .flatMap(({ name, cookie, basic }) => {
      if (basic && taken.includes(name))
        return [`; first a request of a browser by HTTP Basic has to come from ${ownOr(basic)}`];
      if (!cookie || !(taken.includes(name) || sets.includes(name))) return [];
      const which = sets.includes(name) ? 'a request that is to set' : 'a request with';
      return [`; first ${which} the cookie ${cookie.name} has to come from ${ownOr(cookie)}`];
    })
    .join('');
}

type Authenticate = Extract<BeforeStep, { do: 'authenticate' }>;

/** Describes a cookie as answers set it, and when the service removes it. */
function explainCookie(cookie: CookiePlan): string {
  const removed = cookie.removed ? 'removed by the answer that refuses its credentials' : 'kept when it is refused';
  return `set as ${setCookie(cookie, '…')}; ${removed}`;
}

/** Describes the requirements for credentials of each scheme. */
function explainSchemes({ schemes, resources }: Plan): string {
  if (schemes.length === 0) return '';
  const lines = schemes.flatMap((scheme) => {
    const issued = scheme.basic
      ? explainBasic(scheme.basic)
      : `issued by ${scheme.issuedBy.map((by) => (by === 'steps' ? by : `the ${by}`)).join(' and ')}`;
    const scopes = `scopes ${scheme.scopes.join(', ') || 'none'}`;
    return [
      `  ${scheme.name}: ${scheme.kind}; ${explainCaller(scheme, resources)}; ${issued}; ${scopes}`,
      ...(scheme.cookie ? [`    ${explainCookie(scheme.cookie)}`] : []),
      ...(scheme.tokens ? [`    ${explainTokens(scheme.tokens)}`] : []),
    ];
  });
  return ['Schemes', ...lines].join('\n');
}

/** Describes how the row of a user name is found, and the challenge. */
const explainBasic = ({ realm, field, ignoresCase, password }: BasicPlan): string =>
  `${field} is the user name${ignoresCase ? ', ignoring case' : ''}, ${password} the password; realm “${realm}”, charset UTF-8`;

function explainTokens(tokens: TokensPlan): string {
  const { keys, lifetime, longest, scopes } = tokens;
  return [
    `${tokens.algorithm}, keys ${keys === 'operator' ? 'given by the operator' : `from ${keys.url}, kept ${showDuration(keys.kept)}`}`,
    `issuer ${tokens.issuer}`,
    `audience ${tokens.audience}`,
    `good for ${lifetime === null ? (longest === null ? 'as long as it says' : `at most ${showDuration(longest)}`) : showDuration(lifetime)}`,
    `clock skew ${tokens.skew ? showDuration(tokens.skew) : 'none'}`,
    `${tokens.field} is claim ${tokens.claim}`,
    ...(scopes ? [`scopes in claim ${scopes.claim}${scopes.form === 'list' ? ', as a list' : ''}`] : []),
    ...tokens.claims.map(({ name, nullable }) => `claim ${name}${nullable ? ' where it is there' : ''}`),
    ...(tokens.type ? [`typed ${tokens.type}`] : []),
  ].join('; ');
}

/** Describes the permissions of pages of other origins (CORS). */
function explainBrowsers({ browsers }: Plan): string {
  if (!browsers) return '';
  const origins = browsers.origins === 'any' ? 'any' : browsers.origins.join(', ');
  const kept = browsers.kept ? `kept ${showDuration(browsers.kept * 1000)}` : 'not kept';
  const shown = browsers.shown.length ? `showing ${browsers.shown.join(', ')}` : 'showing no headers';
  return `Browser origins\n  ${origins}; with${browsers.credentials ? '' : 'out'} credentials; preflight ${kept}; ${shown}`;
}

/** Describes how passwords are stored. */
function explainPasswords({ passwords }: Plan): string {
  if (!passwords) return '';
  return `Passwords\n  hashed by scrypt, N ${passwords.cost}, r ${passwords.blocks}, p ${passwords.lanes}`;
}

function explainPayload({ errors: { payload } }: Plan): string[] {
  if (payload.kind === 'RFC 9457') return payload.type ? [`  as problem details of the type ${payload.type}`] : [];
  if (payload.kind === 'none') return ['  with a status and no body'];
  return [`  as ${payload.mediaType}: {${explainMembers(payload.members)}}`];
}

function explainMembers(members: readonly ErrorMemberPlan[]): string {
  return members.map((member) => `${member.name}: ${explainValue(member.value)}`).join(', ');
}

function explainValue(value: ErrorValuePlan): string {
  if (value.kind === 'value') return show(value.value);
  if (value.kind === 'object' || value.kind === 'objects') {
    const object = `{${explainMembers(value.members)}}`;
    return value.kind === 'object' ? object : `[for each fault ${object}]`;
  }
  const pair = (one: { value: Expr; key: Expr | null }): string =>
    `${show(one.value)}${one.key ? ` by ${show(one.key)}` : ''}`;
  return `[for each fault ${pair(value)}${value.otherwise ? `, else ${pair(value.otherwise)}` : ''}]`;
}

/** Describes the outcome of each error, and the form of error payloads. */
function explainErrors(plan: Plan): string {
  const general = Object.entries(plan.errors.conditions);
  const coded = new Set(general.map(([, one]) => `${one.status} ${one.code}`));
  const codes = Object.values(plan.errors.codes).filter((one) => !coded.has(`${one.status} ${one.code}`));
  return [
    'Errors',
    ...explainPayload(plan),
    ...general.map(([when, one]) => `  ${one.status} ${one.code}: ${when}: ${one.title}`),
    ...codes.map((one) => `  ${one.status} ${one.code}: ${one.title}`),
  ].join('\n');
}
