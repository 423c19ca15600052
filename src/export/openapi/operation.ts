import type { AnswerContract, BodyContract, EndpointContract, HeaderContract } from '../../contract/endpoint.ts';
import { formType } from '../../contract/forms.ts';
import { problemTypeOf } from '../../contract/problem-types.ts';
import { SUCCEEDED, successesOf } from '../../contract/successes.ts';
import type { ContractType, ObjectContract } from '../../contract/types.ts';
import { FORM_TYPE, MULTIPART_TYPE } from '../../plan/media-types.ts';
import { addTo } from '../../text/lists.ts';
import { showSize } from '../../text/units.ts';
import { facts, type Json, type JsonObject, present } from '../json.ts';
import type { Reason } from '../not-expressed.ts';
import type { Use } from '../schema.ts';
import { endpointFacts } from './caller-facts.ts';
import { ANSWERED, exampleOf, sentAs, successOf } from './examples.ts';
import { type Exporting, sending } from './exporting.ts';
import { linksOf } from './links.ts';
import { parametersOf } from './parameters.ts';
import { joined, markdown, paragraphs, phraseOf, summarised } from './text.ts';

/** Converts an endpoint to an operation. */
export function operationOf(x: Exporting, endpoint: EndpointContract): JsonObject {
  const parameters = parametersOf(x, endpoint);
  const prose = x.prose('endpoint', endpoint.name);
  const { summary, rest } = summarised(prose ?? '');
  return present({
    tags: [x.tag(endpoint.tag ?? x.groups.get(endpoint.name) ?? x.contract.title)],
    summary: summary ?? endpoint.name,
    description: paragraphs(
      rest || successText(x, endpoint),
      endpointFacts(x, endpoint),
      x.internals ? stepsText(endpoint) : undefined,
    ),
    operationId: x.operations.get(endpoint.name),
    deprecated: x.version.status === 'deprecated' || endpoint.deprecation !== undefined || undefined,
    security: securityOf(x, endpoint),
    parameters: parameters.length ? parameters : undefined,
    requestBody: requestOf(x, endpoint),
    responses: responsesOf(x, endpoint),
    ...extensionsOf(x, endpoint),
  });
}

/** Describes the answers to requests that succeed. */
function successText(x: Exporting, endpoint: EndpointContract): string {
  const texts = successesOf(endpoint).map(
    ({ status, body }) => `${status} ${bodyText(x, endpoint, body?.type ?? null)}`,
  );
  return markdown(`Answers ${[...new Set(texts)].join(', or ')}.`);
}

function bodyText(x: Exporting, { page }: EndpointContract, type: ContractType | null): string {
  if (type === null) return 'without a body';
  const row = x.rowIn(type);
  if (page) return `with a page of ${row ?? 'the list'}`;
  switch (type.kind) {
    case 'shape':
      return `with ${row ?? 'an object'}`;
    case 'list':
    case 'set':
      return row === null ? 'with a list' : `with a list of ${row}`;
    case 'rows':
      return row === null ? 'with a stream of rows' : `with a stream of ${row}`;
    case 'stream':
      return `with a stream of the events ${type.events.join(', ')}`;
    case 'csv':
      return 'with CSV';
    case 'bytes':
      return `with a file of the type ${joined(type.mediaTypes, 'or')}`;
    case 'description':
      return `with a description of ${type.content === 'every endpoint' ? 'the service' : 'what the caller may call'}, ${type.format}`;
    default:
      return type.kind === 'object'
        ? `with ${joined(
            type.members.map(({ name }) => name),
            'and',
          )}`
        : 'with a value';
  }
}

function stepsText(endpoint: EndpointContract): string {
  const { steps } = endpoint;
  const successes = successesOf(endpoint);
  const lines = steps.map(({ text, under }) => (under.length ? `${under.join('; ')}: ${text}` : text));
  const answered = successes.map(({ status, because }) => `answer ${status}${because.text.slice(SUCCEEDED.length)}`);
  const all = [...lines, ...answered];
  return all.map((line, i) => `${i + 1}. ${markdown(line)}`).join('\n');
}

/**
 * The accepted security schemes, with the needed scopes; empty if there are no credentials. Scopes of which one is
 * enough are alternatives, of each scheme that has them.
 */
function securityOf({ contract }: Exporting, { access }: EndpointContract): Json {
  const { needs } = access;
  const all = contract.schemes
    .filter(({ name }) => access.schemes.includes(name))
    .flatMap(({ name, scopes }) => {
      const own = scopes.flatMap((one) => (needs?.scopes.includes(one.name) ? [one.name] : []));
      const alternatives = needs && !needs.all ? own.map((one) => [one]) : [own];
      return alternatives.map((needed) => ({ [name.replace(/[^A-Za-z0-9._-]+/g, '-')]: needed }));
    });
  return all.length > 0 && access.withoutCredentials ? [{}, ...all] : all;
}

function requestOf(x: Exporting, endpoint: EndpointContract): JsonObject | undefined {
  const { body, name } = endpoint;
  if (!body) return undefined;
  const { bytes } = body;
  if (bytes) {
    x.notes.add('bytes', name);
    // The media type says all that OpenAPI says of bytes.
    const content = { 'x-ninefold-max-bytes': bytes.max, 'x-ninefold-first-bytes': bytes.firstBytes };
    const checked = bytes.firstBytes === 'checked' ? ' The first bytes have to be those of the media type.' : '';
    return {
      description: `At most ${showSize(bytes.max)}.${checked}`,
      required: true,
      content: Object.fromEntries(body.mediaTypes.map((one) => [one, content])),
    };
  }
  const use = { way: 'in', patch: body.patch, text: false, at: `${name} body` } as const;
  const schema = x.schemas.object(body.type, use);
  const isForm = (mediaType: string): boolean => mediaType === FORM_TYPE;
  const sent = successOf(x, endpoint)?.request.body;
  const examples = sent === undefined ? {} : { examples: { [ANSWERED]: { value: sent } } };
  if (body.mediaTypes.includes(MULTIPART_TYPE)) return partsOf(x, endpoint, body);
  if (!body.mediaTypes.every(isForm)) x.notes.add('body text');
  if (body.mediaTypes.some(isForm)) x.notes.add('form text', name);
  if (body.patch) x.notes.add('merge', name);
  const contentOf = (mediaType: string, i: number): JsonObject => {
    if (!isForm(mediaType)) return { schema, ...examples };
    // Where JSON is accepted, the example was sent as JSON.
    return { ...formOf(x, formType(body.type), use), ...(i === 0 && examples) };
  };
  return present({
    description: body.patch ? 'Members that are left out keep their values (RFC 7396).' : undefined,
    required: body.required || undefined,
    content: Object.fromEntries(body.mediaTypes.map((one, i) => [one, contentOf(one, i)])),
    'x-ninefold-patch': body.patch || undefined,
  });
}

/** A form of several parts: a file has the media types of its field, and the items of a list repeat its name. */
function partsOf(x: Exporting, { name }: EndpointContract, { type, patch, required }: BodyContract): JsonObject {
  const use = { way: 'in', patch, text: false, at: `${name} body` } as const;
  x.notes.add('parts', name);
  if (patch) x.notes.add('merge', name);
  const files = type.members.flatMap(({ name: part, type: of }) =>
    of.kind === 'bytes' ? [[part, { contentType: of.mediaTypes.join(', ') }] as const] : [],
  );
  const content = present({
    schema: x.schemas.object(formType(type), use),
    encoding: files.length > 0 ? Object.fromEntries(files) : undefined,
  });
  return present({
    description: patch ? 'Parts that are left out keep their values.' : undefined,
    required: required || undefined,
    content: { [MULTIPART_TYPE]: content },
    'x-ninefold-patch': patch || undefined,
  });
}

/** The schema of a form, in which the items of a list repeat its name. */
function formOf(x: Exporting, type: ObjectContract, use: Use): JsonObject {
  const lists = type.members.filter((one) => one.type.kind === 'list' || one.type.kind === 'set');
  const encoding = lists.map(({ name }) => [name, { style: 'form', explode: true }] as const);
  return present({
    schema: x.schemas.object(type, use),
    encoding: encoding.length ? Object.fromEntries(encoding) : undefined,
  });
}

/** `x-ninefold-` members with facts about an endpoint that OpenAPI cannot express. */
function extensionsOf(x: Exporting, endpoint: EndpointContract): Record<string, Json | undefined> {
  const { idempotency, preconditions, page, body } = endpoint;
  const own = (reason: Reason, value: unknown): Json | undefined => {
    if (value === null || value === undefined) return undefined;
    x.notes.add(reason);
    return facts(value);
  };
  x.notes.add('order');
  if (endpoint.writes) x.notes.add('writes');
  return {
    'x-ninefold-steps': endpoint.steps.length ? own('steps', endpoint.steps) : undefined,
    'x-ninefold-answers': endpoint.answers.map(({ status, code, because }) => facts({ status, code, because })),
    'x-ninefold-unknown-parameters': own('unknown parameters', endpoint.unknownParameters),
    'x-ninefold-unread-body': body ? undefined : own('unread body', endpoint.unreadBody),
    'x-ninefold-limits': own('limits', endpoint.limits),
    'x-ninefold-idempotency': own('idempotency', idempotency),
    'x-ninefold-preconditions': own('preconditions', preconditions),
    'x-ninefold-page': own('pages', page),
    'x-ninefold-deprecation': own('deprecation', endpoint.deprecation),
    'x-ninefold-audience': own('audience', endpoint.audience),
    'x-ninefold-writes': endpoint.writes || undefined,
    'x-ninefold-every-row': own('every row', endpoint.everyRow),
  };
}

/** The responses of an operation; answers with the same status are one response. */
function responsesOf(x: Exporting, endpoint: EndpointContract): JsonObject {
  const byStatus = new Map<number, AnswerContract[]>();
  for (const answer of endpoint.answers) addTo(byStatus, answer.status, answer);
  const sorted = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(sorted.map(([status, answers]) => [String(status), responseOf(x, endpoint, answers)]));
}

function responseOf(x: Exporting, endpoint: EndpointContract, answers: readonly AnswerContract[]): JsonObject {
  const headers = headersOf(x, answers, endpoint);
  const content = contentOf(x, endpoint, answers);
  const links = linksOf(x, endpoint, answers);
  return present({
    description: answersText(x, answers),
    headers: Object.keys(headers).length ? headers : undefined,
    content: Object.keys(content).length ? content : undefined,
    links: Object.keys(links).length ? links : undefined,
  });
}

/** The codes of answers with their titles; for answers without a code, the standard’s phrase for their status. */
function answersText({ internals }: Exporting, answers: readonly AnswerContract[]): string {
  const texts = answers.map(({ status, code, title, because }) => {
    const text = title ?? phraseOf(status);
    const cause = internals && because.text !== text ? ` (${because.text})` : '';
    return code === null ? markdown(text + cause) : `\`${code}\`: ${markdown(text + cause)}`;
  });
  const [first = '', ...others] = new Set(texts);
  return others.length ? [first, ...others].map((one) => `- ${one}`).join('\n') : first;
}

/** The headers of all answers with one status. A header that some of them lack is optional. */
function headersOf(x: Exporting, answers: readonly AnswerContract[], { name: at }: EndpointContract): JsonObject {
  const names = [...new Set(answers.flatMap((answer) => answer.headers.map((one) => one.name)))];
  return Object.fromEntries(names.map((name) => [name, headerOf(x, name, answers, at)]));
}

const TYPES: Readonly<Record<string, JsonObject>> = {
  location: { type: 'string', format: 'uri-reference' },
  'retry-after': { type: 'integer', minimum: 0 },
};

function headerOf(x: Exporting, name: string, answers: readonly AnswerContract[], at: string): JsonObject {
  const each = answers.flatMap((answer) => answer.headers.filter((one): one is HeaderContract => one.name === name));
  const always = answers.every((answer) =>
    answer.headers.some((one) => one.name === name && one.presence === 'always'),
  );
  const values = [...new Set(each.flatMap((one) => (one.value === null ? [] : [one.value])))];
  const known = values.length > 0 && each.every((one) => one.value !== null);
  const texts = [...new Set(each.flatMap((one) => (one.expression ? [one.expression.text] : [])))];
  if (texts.length) x.notes.add('computed header', `${at} ${name}`);
  const schema = TYPES[name.toLowerCase()] ?? { type: 'string' };
  const own = known ? { ...schema, enum: values } : schema;
  // Values that a document computes, and links, differ between endpoints; of other headers, one example is enough.
  const isOwn = name === 'Link' || (texts.length > 0 && name !== 'ETag');
  const sent = isOwn
    ? answers.flatMap((one) => x.exchange(at, one.status, one.code)?.answer.headers.get(name.toLowerCase()) ?? [])[0]
    : x.headerSent(name, values);
  return present({
    required: always || undefined,
    schema: own,
    example: sent === undefined ? undefined : sentAs(own, sent),
    'x-ninefold-value': texts.length > 1 ? texts : texts[0],
  });
}

function contentOf(x: Exporting, endpoint: EndpointContract, answers: readonly AnswerContract[]): JsonObject {
  const typesOf = ({ body: one }: AnswerContract): readonly string[] =>
    one?.type.kind === 'bytes' ? one.type.mediaTypes : one ? [one.mediaType] : [];
  const types = [...new Set(answers.flatMap(typesOf))];
  return Object.fromEntries(
    types.map((mediaType) => {
      const alternatives = answers.filter((one) => typesOf(one).includes(mediaType));
      return [mediaType, mediaTypeOf(x, endpoint, alternatives)];
    }),
  );
}

function mediaTypeOf(x: Exporting, endpoint: EndpointContract, answers: readonly AnswerContract[]): JsonObject {
  const several = schemasOf(x, endpoint, answers);
  const codes = codesOf(answers);
  const examples = new Map(answers.flatMap((one) => exampleOf(x, endpoint, one)).map((one) => [one.name, one.value]));
  const stream = answers.find((one) => one.body?.type.kind === 'stream');
  const rows = answers.flatMap(({ body }) => (body?.type.kind === 'rows' ? [body.type] : []))[0];
  return present({
    schema: several.length === 1 ? several[0] : { anyOf: several },
    examples: examples.size ? Object.fromEntries([...examples].map(([name, value]) => [name, { value }])) : undefined,
    'x-ninefold-codes': codes.length ? codes : undefined,
    ...(stream ? streamOf(x, stream, endpoint.name) : {}),
    ...(rows && x.format === '3.2' ? { itemSchema: x.schemas.of(rows.of, sending(endpoint.name)) } : {}),
  });
}

const codesOf = (answers: readonly AnswerContract[]): string[] => [
  ...new Set(answers.flatMap((one) => (one.code === null ? [] : [one.code]))),
];

/** The distinct schemas of bodies with one status; errors of the same form are merged, with all their codes. */
function schemasOf(x: Exporting, { name }: EndpointContract, answers: readonly AnswerContract[]): JsonObject[] {
  const byForm = new Map<string, { readonly schema: JsonObject; readonly answers: AnswerContract[] }>();
  for (const answer of answers) {
    if (!answer.body) continue;
    const use = sending(`${name} ${answer.status} `);
    const { type, nullable } = answer.body;
    const schema = nullable ? x.schemas.orNull(type, use) : x.schemas.of(type, use);
    const form = JSON.stringify(schema);
    const known = byForm.get(form);
    if (known) known.answers.push(answer);
    else byForm.set(form, { schema, answers: [answer] });
  }
  return [...byForm.values()].map(({ schema, answers: all }) => {
    const codes = codesOf(all);
    const { payload } = x.contract.errors;
    if (codes.length === 0 || payload?.kind !== 'RFC 9457') return schema;
    const status = [...new Set(all.map((one) => one.status))];
    const types = [...new Set(codes.flatMap((code) => problemTypeOf(x.contract.errors, code) ?? []))];
    const type = types.length === 0 ? {} : { type: oneOf(types) };
    const properties = { ...type, status: oneOf(status), code: oneOf(codes) };
    return { allOf: [schema, { type: 'object', properties }] };
  });
}

/** The schema of one of several values. */
const oneOf = (values: readonly Json[]): JsonObject =>
  values.length === 1 ? { const: values[0] ?? null } : { enum: values };

/** The events of a stream, which OpenAPI can express since 3.2. */
function streamOf(x: Exporting, { body }: AnswerContract, at: string): JsonObject {
  if (body?.type.kind !== 'stream') return {};
  const { events } = body.type;
  if (x.format === '3.1') {
    x.notes.add('stream events', at);
    return { 'x-ninefold-stream-events': events };
  }
  const schemas = events.map((name): JsonObject => {
    const event = x.version.events.find((one) => one.name === name);
    return {
      type: 'object',
      properties: {
        event: { type: 'string', enum: [name] },
        data: present({
          type: 'string',
          contentMediaType: 'application/json',
          contentSchema: event ? x.schemas.of(event.payload, sending(name)) : undefined,
        }),
        id: { type: 'string' },
      },
      required: ['event', 'data'],
    };
  });
  return { itemSchema: schemas.length === 1 && schemas[0] ? schemas[0] : { anyOf: schemas } };
}
