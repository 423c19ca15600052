import type { AnswerContract, EndpointContract, HeaderContract } from '../../contract/endpoint.ts';
import { problemType } from '../../plan/problem-type.ts';
import { addTo } from '../../text/groups.ts';
import { type JsonObject, present } from '../json.ts';
import { exampleOf, sentAs } from './examples.ts';
import { type Exporting, sending } from './exporting.ts';
import { linksOf } from './links.ts';
import { markdown } from './text.ts';

/** The responses of an operation; answers with the same status are one response. */
export function responsesOf(x: Exporting, endpoint: EndpointContract, body: boolean): JsonObject {
  const byStatus = new Map<number, AnswerContract[]>();
  for (const answer of endpoint.answers) addTo(byStatus, answer.status, answer);
  const sorted = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(
    sorted.map(([status, answers]) => [String(status), responseOf(x, endpoint, answers, body)]),
  );
}

function responseOf(
  x: Exporting,
  endpoint: EndpointContract,
  answers: readonly AnswerContract[],
  body: boolean,
): JsonObject {
  const headers = headersOf(x, answers, endpoint);
  const content = body ? contentOf(x, endpoint, answers) : {};
  const success = answers.some((one) => one.because.kind === 'success');
  const links = success ? linksOf(x, endpoint) : {};
  return present({
    description: descriptionOf(answers),
    headers: Object.keys(headers).length ? headers : undefined,
    content: Object.keys(content).length ? content : undefined,
    links: Object.keys(links).length ? links : undefined,
  });
}

function descriptionOf(answers: readonly AnswerContract[]): string {
  const texts = answers.map(({ code, title, because }) => {
    const reason = title === null || title === because.text ? because.text : `${title} (${because.text})`;
    return code === null ? reason : `${code}: ${reason}`;
  });
  return texts.length === 1 ? markdown(texts[0] ?? '') : texts.map((one) => `- ${markdown(one)}`).join('\n');
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
  const sent = answers.flatMap(
    (one) => x.exchange(at, one.status, one.code)?.answer.headers.get(name.toLowerCase()) ?? [],
  );
  const own = known ? { ...schema, enum: values } : schema;
  return present({
    required: always || undefined,
    schema: own,
    example: sent[0] === undefined ? undefined : sentAs(own, sent[0]),
    'x-ninefold-value': texts.length > 1 ? texts : texts[0],
  });
}

function contentOf(x: Exporting, endpoint: EndpointContract, answers: readonly AnswerContract[]): JsonObject {
  const types = [...new Set(answers.flatMap((one) => (one.body ? [one.body.mediaType] : [])))];
  return Object.fromEntries(
    types.map((mediaType) => {
      const alternatives = answers.filter((one) => one.body?.mediaType === mediaType);
      return [mediaType, mediaTypeOf(x, endpoint, alternatives)];
    }),
  );
}

function mediaTypeOf(x: Exporting, endpoint: EndpointContract, answers: readonly AnswerContract[]): JsonObject {
  const several = schemasOf(x, endpoint, answers);
  const codes = codesOf(answers);
  const examples = new Map(answers.flatMap((one) => exampleOf(x, endpoint, one)).map((one) => [one.name, one.value]));
  const stream = answers.find((one) => one.body?.type.kind === 'stream');
  return present({
    schema: several.length === 1 ? several[0] : { anyOf: several },
    examples: examples.size ? Object.fromEntries([...examples].map(([name, value]) => [name, { value }])) : undefined,
    'x-ninefold-codes': codes.length ? codes : undefined,
    ...(stream ? streamOf(x, stream, endpoint.name) : {}),
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
    const { problemType: of } = payload;
    const type = of === null ? {} : { type: { enum: codes.map((code) => problemType(of, code)) } };
    const properties = { ...type, status: { enum: status }, code: { enum: codes } };
    return { allOf: [schema, { type: 'object', properties }] };
  });
}

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
