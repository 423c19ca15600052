import type { RateContract, StreamContract, WebhookContract } from '../../contract/contract.ts';
import type { EndpointContract, PreconditionsContract } from '../../contract/endpoint.ts';
import { successesOf } from '../../contract/successes.ts';
import { unitText } from '../../plan/limits.ts';
import { signingText } from '../../plan/webhook-signing.ts';
import { addTo } from '../../text/lists.ts';
import { showDuration, showSize } from '../../text/units.ts';
import { deliveryText } from '../event-texts.ts';
import type { Reason } from '../not-expressed.ts';
import type { Exporting } from './exporting.ts';
import { boundFact, orderFacts } from './list-facts.ts';
import { markdown } from './text.ts';

/** A kind of fact about requests that OpenAPI has no member for. */
type Topic =
  | 'parameters'
  | 'body'
  | 'size'
  | 'lists'
  | 'time'
  | 'rates'
  | 'conditions of GET'
  | 'preconditions'
  | 'head';

/** The sentences for callers about facts that OpenAPI has no member for. */
export interface CallerFacts {
  /** The sentences that hold for every endpoint that they are about. */
  readonly general: readonly string[];
  /** The other sentences, by the name of their endpoint. */
  readonly own: ReadonlyMap<string, readonly string[]>;
}

/**
 * A fact that all endpoints share is stated once, for the whole API. So is a fact that most endpoints share, if every
 * other endpoint has a sentence of its own.
 */
export function callerFactsOf({ contract: { rates }, version: { endpoints } }: Exporting): CallerFacts {
  const all = endpoints.map((one) => [one.name, topicsOf(one, rates)] as const);
  const texts = new Map<Topic, string[]>();
  for (const [, topics] of all) for (const [topic, text] of topics) addTo(texts, topic, text);
  const general = new Map([...texts].flatMap(([topic, of]) => sharedText(topic, of, endpoints.length)));
  const own = all.map(([name, topics]): [string, string[]] => [
    name,
    [...topics].flatMap(([topic, text]) => (text === '' || text === general.get(topic)?.text ? [] : [text])),
  ]);
  const sentences = [...general.values()].filter(({ text }) => text !== '');
  return {
    general: sentences.map(({ text, everywhere }) =>
      everywhere ? text : `${text} Operations with other rules say so.`,
    ),
    own: new Map(own),
  };
}

interface Shared {
  readonly text: string;
  readonly everywhere: boolean;
}

/** The sentence that all endpoints share, or most of them; none if there is none. */
function sharedText(topic: Topic, texts: readonly string[], endpoints: number): Array<[Topic, Shared]> {
  const counts = [...Map.groupBy(texts, (one) => one)].map(([text, of]) => [text, of.length] as const);
  const [text, count] = counts.reduce((a, b) => (b[1] > a[1] ? b : a));
  if (count === texts.length) return [[topic, { text, everywhere: true }]];
  const saysEach = texts.length === endpoints && !texts.includes('');
  return saysEach && count > texts.length / 2 ? [[topic, { text, everywhere: false }]] : [];
}

/** All facts about requests to an endpoint, each a sentence. */
export const requestFacts = ({ contract }: Exporting, endpoint: EndpointContract): string[] =>
  [...topicsOf(endpoint, contract.rates).values()].filter((one) => one !== '');

/** The sentence of each topic that an endpoint has; empty where the endpoint has nothing of it. */
function topicsOf(endpoint: EndpointContract, rates: readonly RateContract[]): ReadonlyMap<Topic, string> {
  const { body, limits, preconditions, unknownParameters, unreadBody } = endpoint;
  const topics = new Map<Topic, string>([['parameters', `Unknown query parameters are ${unknownParameters}.`]]);
  if (unreadBody !== null) topics.set('body', `A request body is ${unreadBody} where none is described.`);
  if (body && limits.requestSize)
    topics.set('size', `A request body has at most ${showSize(limits.requestSize.bytes)}.`);
  const bound = boundFact(endpoint);
  if (bound !== '') topics.set('lists', bound);
  if (limits.timeout) {
    const time = showDuration(limits.timeout.milliseconds);
    topics.set('time', isStream(endpoint) ? `The stream begins within ${time}.` : `A request takes at most ${time}.`);
  }
  if (rates.length) topics.set('rates', ratesText(endpoint, rates) || 'There are no rate limits.');
  const treatment = preconditions && preconditionsText(endpoint, preconditions);
  if (treatment) topics.set(endpoint.method === 'GET' ? 'conditions of GET' : 'preconditions', treatment);
  if (endpoint.method === 'GET')
    topics.set('head', endpoint.head ? 'HEAD is answered as GET is, without the body.' : '');
  return topics;
}

function ratesText({ limits }: EndpointContract, rates: readonly RateContract[]): string {
  const texts = limits.rates.flatMap(({ rate, everyone }) => {
    const found = rates.find((one) => one.name === rate);
    return found ? [rateText(found, everyone)] : [];
  });
  return texts.length ? `Rate limits: ${texts.join('; ')}.` : '';
}

function rateText({ requests, by, milliseconds, per, row }: RateContract, everyone: boolean): string {
  const bounds = by ? (by.most === null ? `at least ${by.least}` : `${by.least} to ${by.most}`) : '';
  const number = requests ?? bounds;
  const depending = requests === null ? ', depending on the caller' : '';
  return `${number} requests in ${showDuration(milliseconds)} for each ${unitText(per, row?.split('.').at(-1) ?? '', everyone)}${depending}`;
}

/** The treatment of preconditions that are no parameters; null if all are parameters, or are treated differently. */
function preconditionsText({ method }: EndpointContract, preconditions: PreconditionsContract): string | null {
  const { ifMatch, ifNoneMatch, ifUnmodifiedSince } = preconditions;
  const treatments = new Set([ifMatch, ifNoneMatch].filter((one) => one === 'refused' || one === 'ignored'));
  // Where there is no time of modification, If-Unmodified-Since is ignored by RFC 9110 already.
  if (ifUnmodifiedSince === 'refused') treatments.add('refused');
  if (treatments.size !== 1)
    return treatments.size === 0 ? null : 'Some preconditions are refused, and others ignored.';
  const methods = method === 'GET' ? 'GET' : 'methods other than GET';
  return `On ${methods}, \`If-Match\`, \`If-None-Match\` and \`If-Unmodified-Since\` are ${[...treatments].join('')} unless they are parameters.`;
}

/** How the service reads values, as far as schemas do not say it. */
const READING: ReadonlyArray<readonly [reason: Reason, text: string]> = [
  ['trimmed', 'White space around text is removed before the text is checked.'],
  ['body text', 'A JSON body is I-JSON (RFC 7493): UTF-8, and no object has two members of one name.'],
  ['characters', 'Text has no U+0000 and no half of a surrogate pair.'],
  ['exact numbers', 'The service reads all digits of a number.'],
];

/** The facts about the whole API that OpenAPI has no member for, each a sentence. */
export function generalFacts(x: Exporting): string[] {
  const { contract, version } = x;
  const { browsers } = contract;
  const answers = (list: typeof version.elsewhere): string =>
    list.map(({ status, code }) => (code === null ? `${status}` : `${status} \`${code}\``)).join(' or ');
  return [
    ...versionFacts(x),
    ...x.callerFacts.general,
    ...READING.flatMap(([reason, text]) => (x.notes.has(reason) ? [text] : [])),
    ...(browsers
      ? [
          `Pages of ${browsers.origins === 'any' ? 'any origin' : markdown(browsers.origins.join(', '))} may call the API from browsers${browsers.credentials ? ', with credentials' : ''}.`,
        ]
      : []),
    ...(contract.webhook && version.events.some((one) => one.notifiedBy.includes('webhook'))
      ? [`Webhooks: ${deliveryText(contract.webhook)} ${signatureText(contract.webhook)}`]
      : []),
    ...(version.elsewhere.length ? [`Other paths and methods are answered with ${answers(version.elsewhere)}.`] : []),
    ...(contract.errors.wire.length
      ? [`Data that is not an HTTP request is answered with ${answers(contract.errors.wire)}.`]
      : []),
  ];
}

function signatureText({ signature: { scheme, form } }: WebhookContract): string {
  return form ? markdown(`Signature: ${signingText(form)}.`) : `Signed by ${scheme}.`;
}

/** The status of the version, the other versions, and the treatment of a request without a version. */
export function versionFacts({ contract: { versioning, versions }, version }: Exporting): string[] {
  if (!versioning) return [];
  const { without } = versioning;
  const texts = versions.map(({ name, status, deprecated, sunset }) => {
    const facts = [
      ...(status === 'deprecated' ? [] : [status]),
      ...(deprecated === null ? [] : [`deprecated ${deprecated}`]),
      ...(sunset === null ? [] : [`sunset ${sunset}`]),
    ];
    return `${name} (${facts.join(', ') || status})`;
  });
  const unnamed =
    without === 'refused'
      ? 'is refused'
      : `is answered in ${without === 'current version' ? 'the current version' : `version ${without.version}`}`;
  return [
    markdown(`This is version ${version.name}. Versions: ${texts.join('; ')}. A request without a version ${unnamed}.`),
  ];
}

/** The paragraph about one endpoint; empty if there is nothing to say. */
export function endpointFacts(x: Exporting, endpoint: EndpointContract): string {
  const { deprecation } = endpoint;
  const until = deprecation?.until;
  const ended = until ? ` From ${until.date} on, requests are refused with \`${until.code}\`.` : '';
  return [
    ...(deprecation ? [`Deprecated since ${deprecation.from}.${ended}`] : []),
    ...orderFacts(x, endpoint),
    ...(x.callerFacts.own.get(endpoint.name) ?? []),
    ...(isStream(endpoint) ? streamFacts(x.contract.stream) : []),
  ].join(' ');
}

const isStream = (endpoint: EndpointContract): boolean =>
  successesOf(endpoint).some(({ body }) => body?.type.kind === 'stream');

/** How streams of events behave, each fact a sentence. */
export function streamFacts(stream: StreamContract | null): string[] {
  if (!stream) return [];
  const { data, resumption, retry, heartbeat, patience, atOnce } = stream;
  const texts = [data === 'payload' ? '`data` is the payload.' : '`data` has the members type, timestamp and data.'];
  if (resumption)
    texts.push(
      `Events that are at most ${showDuration(resumption.milliseconds)} old can be read again with \`Last-Event-ID\`; for an older id the answer is \`${resumption.code}\`.`,
    );
  if (retry !== null) texts.push(`\`retry\` tells clients to reconnect after ${showDuration(retry)}.`);
  if (heartbeat !== null) texts.push(`A comment every ${showDuration(heartbeat)} shows that the stream is open.`);
  texts.push(`A client that reads nothing for ${showDuration(patience)} is cut off.`);
  if (atOnce) {
    const most = [
      ...(atOnce.caller === null ? [] : [`${atOnce.caller} streams for each caller`]),
      ...(atOnce.nobody === null ? [] : [`${atOnce.nobody} streams for each address without a caller`]),
    ];
    texts.push(`At most ${most.join(' and ')} are open at once; for more the answer is \`${atOnce.code}\`.`);
  }
  return texts;
}
