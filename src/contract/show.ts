import { showDuration, showSize } from '../text/units.ts';
import type { Contract, VersionContract } from './contract.ts';
import type {
  AccessContract,
  AnswerContract,
  BodyContract,
  EndpointContract,
  HeaderContract,
  ParameterContract,
  PreconditionsContract,
} from './endpoint.ts';
import { showParts } from './show-parts.ts';
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
    const { header, keptMilliseconds, answersBelow, lines } = idempotency;
    const kept = `answers below ${answersBelow} are kept ${showDuration(keptMilliseconds)} for each caller`;
    rows.push(['idempotency', `by ${header}; ${kept}${at(lines)}`]);
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
  const headers = (endpoint.answers.at(-1)?.headers ?? []).filter((one) => EVERYWHERE.has(one.name));
  if (headers.length) rows.push(['headers', `${headers.map(headerText).join(', ')}, as soon as they are known`]);
  return columns(rows, ' ');
}

function rateText({ rates }: Contract, name: string): string {
  const rate = rates.find((one) => one.name === name);
  return rate ? `${name}: ${rate.requests} in ${showDuration(rate.milliseconds)}` : name;
}

function accessText({ schemes }: Contract, access: AccessContract): string {
  const accepted = schemes.filter((one) => access.schemes.includes(one.name));
  const how = accepted
    .map((one) => `${one.header}: ${one.word === null ? '' : `${one.word} `}{${one.name}}`)
    .join(' or ');
  if (access.kind === 'scope') return `the scope ${access.scope}, by ${how}`;
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
  const kind = body.patch ? ', a merge patch' : '';
  const optional = body.required ? '' : ', optional';
  const { unknown } = body.type;
  return [
    ` body as ${body.mediaTypes.join(' or ')}${kind}${optional}; unknown members are ${unknown}${at(body.lines)}`,
    ...columns(memberRows(body.type), '  '),
  ];
}

function stepLines({ steps }: EndpointContract): string[] {
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
  const what = because.kind === 'success' ? (shown ?? 'nothing') : because.text;
  return `${what}${named && `; ${named}`}`;
}

function headerText({ name, value, expression, presence }: HeaderContract): string {
  const source = expression ? ` ${expression.text}` : value === null ? '' : ` ${value}`;
  return `${name}${source}${presence === 'sometimes' ? ' (sometimes)' : ''}`;
}
