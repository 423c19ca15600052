import { showDuration } from '../text/units.ts';
import type {
  Contract,
  ErrorPayloadContract,
  EventContract,
  FieldContract,
  ResourceContract,
  StatesContract,
  TransitionContract,
  VersionContract,
} from './contract.ts';
import { at, columns, memberRows, typeText } from './words.ts';

/** Prints the parts of a contract that endpoints share. */
export function showParts(contract: Contract, version: VersionContract): string[] {
  return [
    ...version.shapes.map(({ name, type, lines }) =>
      [`${name}, as it is shown${at(lines)}`, ...columns(memberRows(type), '  ')].join('\n'),
    ),
    // Clients observe no rows of a resource without fields and states.
    ...contract.resources
      .filter((one) => one.fields.length || one.states)
      .map((one) => showResource(one, isShown(version, one.name))),
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
  const { name, visible, fields, rules, states, lines } = resource;
  const seen = visible ? `visible where ${visible.text}` : shown ? 'visible to everyone' : 'never shown';
  const head = `${name}: rows are ${seen}${at(lines)}`;
  return [
    head,
    ...columns(
      fields.map((one) => [one.name, fieldText(one) + at(one.lines)]),
      '  ',
    ),
    ...rules.map((rule) => `  ${rule.text}${rule.code === null ? '' : `, else ${rule.code}`}${at(rule.lines)}`),
    ...(states ? showStates(name, states) : []),
  ].join('\n');
}

function fieldText({ type, optional, given }: FieldContract): string {
  const sources = given.map(({ by, moment, value }) => {
    if (by === 'moment') return `on ${moment} ${value?.text}`;
    if (by === 'request') return value ? `request, else ${value.text}` : by;
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
  const from = timed && (timed.instant ? timed.instant.text : timed.transition);
  const time = timed ? `, by itself ${showDuration(timed.afterMilliseconds)} after ${from}` : '';
  const how = `${guard ? ` when ${guard.text}` : ''}${time}${code === null ? '' : `, else ${code}`}`;
  const by = madeBy.length ? `; made by ${madeBy.map((each) => each.name).join(', ')}` : '';
  return [
    `    ${one.name}: ${one.from.join(', ')} → ${one.to}${how}${by}${at(one.lines)}`,
    ...one.follows.map((step) => `      then ${step.text}${at(step.lines)}`),
  ];
}

function showEvents(events: readonly EventContract[]): string {
  if (events.length === 0) return '';
  const rows = events.map((one) => [
    one.name,
    `${eventText(one)}; payload ${typeText(one.payload)}; by ${one.notifiedBy.join(' and ')}${at(one.lines)}`,
  ]);
  return ['Events', ...columns(rows, '  ')].join('\n');
}

function eventText({ resource, when }: EventContract): string {
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
  const { receivers, signature, timeoutMilliseconds, attempts, delays, orderPer, delivery, keptMilliseconds, lines } =
    webhook;
  const hears = receivers?.hears.map(({ resource, where }) => `${resource}${where ? ` where ${where.text}` : ''}`);
  const who = receivers
    ? `rows of ${receivers.resource}, at ${receivers.url}, for ${receivers.events ?? 'every event'}, of ${hears?.join('; ')}`
    : 'registered by the operator, each for chosen events';
  const rows = [
    ['receivers', who],
    ['signature', `${signature.scheme}, in ${signature.headers.join(', ')}`],
    ['time-out', showDuration(timeoutMilliseconds)],
    ['attempts', `${attempts}${delays.length ? `, after ${delays.map(showDuration).join(', ')}` : ''}`],
    ['order', orderPer === null ? 'none' : `per ${orderPer}`],
    ['delivery', delivery],
    ['kept', keptMilliseconds === null ? 'for good' : `${showDuration(keptMilliseconds)} after delivery`],
  ];
  return [`Webhooks${at(lines)}`, ...columns(rows, '  ')].join('\n');
}

function showStream({ stream }: Contract): string {
  if (!stream) return '';
  const { data, resumption, retry, heartbeat, patience, atOnce, lines } = stream;
  const each = (most: number | null): string => (most === null ? 'any number' : `${most}`);
  const open = atOnce
    ? `${each(atOnce.caller)} for each caller, ${each(atOnce.nobody)} for each address without one, else ${atOnce.code}`
    : 'any number';
  const rows = [
    ['data', data],
    ['resumption', resumption ? `within ${showDuration(resumption.milliseconds)}, else ${resumption.code}` : 'none'],
    ['retry', retry === null ? 'none' : showDuration(retry)],
    ['heartbeat', heartbeat === null ? 'none' : showDuration(heartbeat)],
    ['patience', showDuration(patience)],
    ['at once', open],
  ];
  return [`Stream${at(lines)}`, ...columns(rows, '  ')].join('\n');
}

function showSchemes({ schemes, browsers }: Contract): string {
  const whose = ({ caller, while: condition }: Contract['schemes'][number]): string =>
    condition ? `${caller} while ${condition.text}` : caller;
  const rows = schemes.map((one) => [
    one.name,
    `${one.kind} in ${one.header}; the caller is a ${whose(one)}; issued by ${one.issuedBy.join(' and ')}${at(one.lines)}`,
  ]);
  const scopes = schemes.flatMap((one) => one.scopes.map((scope) => ['', `scope ${scope.name}${at(scope.lines)}`]));
  const origins =
    browsers &&
    `  pages of ${browsers.origins === 'any' ? 'any origin' : browsers.origins.join(', ')} may call, with${browsers.credentials ? '' : 'out'} credentials${at(browsers.lines)}`;
  if (!rows.length && !origins) return '';
  return ['Credentials', ...columns([...rows, ...scopes], '  '), ...(origins ? [origins] : [])].join('\n');
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
    const text = [one.status, ...days, ...names, one === shown ? 'shown here' : ''].filter(Boolean).join('; ');
    return [one.name ?? '', text + at(one.lines)];
  });
  return [`Versions, by ${how}; without one: ${without}${at(versioning.lines)}`, ...columns(rows, '  ')].join('\n');
}
