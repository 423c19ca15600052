import { basename } from 'node:path';
import type { Contract, ProseContract, VersionContract } from '../../contract/contract.ts';
import { successesOf } from '../../contract/successes.ts';
import { FORM_TYPE, MULTIPART_TYPE } from '../../plan/media-types.ts';
import { ClientNames } from './client-names.ts';
import { signatureConstants, webhookEvents, webhookFeatures } from './events.ts';
import { exampleOf } from './example.ts';
import { indented } from './layout.ts';
import { methodsOf } from './methods.ts';
import { OmittedFacts } from './omitted-facts.ts';
import { Refusals } from './refusals.ts';
import { rowOf } from './requests.ts';
import { type Feature, runtimeText, wholeRuntime } from './runtime-text.ts';
import { Schemes } from './schemes.ts';
import { type Group, treeOf } from './tree.ts';
import { hasLongNumbers, Types } from './types.ts';
import { comment, key, paragraphsOf, pascal, quote, withArticle } from './words.ts';
import type { Writing } from './writing.ts';

/** A client of one version of a service, as one file of TypeScript without dependencies. */
export function clientOf(contract: Contract, version: VersionContract): string {
  const w = writingOf(contract, version);
  stateFeatures(w);
  const shapes = shapesOf(w);
  const tree = treeOf(contract, version);
  const client = clientFunction(w, tree);
  const declared = w.declared.splice(0);
  const { form } = contract.webhook?.signature ?? {};
  const notified = webhookEvents(w);
  if (notified) for (const one of webhookFeatures(form)) w.features.add(one);
  const events = w.declared.splice(0);
  const head = headOf(w, exampleOf(w, tree));
  const lines = [
    ...head,
    '',
    ...shapes,
    ...declared,
    ...events,
    ...client,
    '',
    '// Refusals',
    '',
    ...problemOf(w),
    ...w.refusals.declarations(),
    '',
    ...w.refused,
    '// Credentials and headers',
    '',
    ...w.schemes.declarations(),
    ...constantsOf(w),
    '',
    ...(notified && form ? signatureConstants(form) : []),
  ];
  const runtime = runtimeText(w.features);
  const own = w.refusals.coded ? runtime : runtime.replaceAll(/\bCode\b/g, 'Status');
  return `${lines.join('\n')}\n${own}`;
}

/** The context in which a client of one version is generated. */
export function writingOf(contract: Contract, version: VersionContract): Writing {
  const names = new ClientNames(`${wholeRuntime()} ${OWN}`);
  return {
    contract,
    version,
    types: new Types(names),
    refusals: new Refusals(contract, version, names),
    schemes: new Schemes(contract),
    features: new Set<Feature>(),
    omitted: new OmittedFacts(),
    matched: new Set(version.endpoints.flatMap((one) => (rowOf(one)?.matched ? [rowOf(one)?.tag ?? ''] : []))),
    declared: [],
    refused: [],
  };
}

/** Names that every generated client declares, independent of the document. */
const OWN =
  'Client createClient Problem Code Status CommonCode CommonStatus BodyCode BodyStatus STATUS STATUSES AGAIN SCHEMES HEADERS Credentials WebhookEvent BODY_TYPE HEARTBEAT RETRY SIGNED_HEADERS SIGNED_TEXT basicCredentials codeIn client';

function stateFeatures(w: Writing): void {
  const { contract, version, features, omitted: notSaid } = w;
  if (w.schemes.any) features.add('schemes');
  if (contract.schemes.some((one) => one.cookie)) {
    features.add('origin');
    if (contract.browsers?.credentials) features.add('included');
  }
  if (w.refusals.coded) features.add('coded');
  if (contract.errors.payload) features.add('payload');
  const sent = [
    ...version.shapes.map((one) => one.type),
    ...version.endpoints.flatMap((one) => successesOf(one).flatMap(({ body }) => body?.type ?? [])),
    ...version.events.map((one) => one.payload),
  ];
  if (sent.some(hasLongNumbers)) features.add('exact');
  notSaid.add('bounds');
  notSaid.add('checks');
  notSaid.add('elsewhere');
  notSaid.add('headers');
  notSaid.add('unread');
  if (contract.wire.text !== null) notSaid.add('texts');
  if (contract.schemes.some(({ cookie, basic }) => cookie ?? basic)) notSaid.add('cookies');
  if (version.endpoints.some(({ preconditions }) => preconditions)) notSaid.add('dates');
  if (version.events.length > 0) notSaid.add('events');
  if (version.endpoints.some(({ lists }) => lists)) notSaid.add('lists');
  if (version.endpoints.some(({ tag }) => tag !== undefined)) notSaid.add('tags');
  if (!w.refusals.coded) notSaid.add('codes');
  if (contract.resources.length > 0) notSaid.add('rows');
  if (contract.resources.some((one) => one.states)) notSaid.add('states');
  if (contract.rates.length > 0 || version.endpoints.some((one) => one.limits.timeout ?? one.limits.requestSize))
    notSaid.add('rates');
  if (contract.versioning) notSaid.add('versions');
  if (version.deprecated !== null) notSaid.add('deprecated');
  if (contract.browsers) notSaid.add('browsers');
  if (contract.schemes.some((one) => one.token)) notSaid.add('tokens');
  if (contract.webhook) notSaid.add('webhooks');
  if (contract.stream) notSaid.add('streams');
  if (contract.unsettled.length > 0) notSaid.add('unsettled');
  if (version.endpoints.some(({ method, preconditions }) => method === 'GET' && preconditions?.ifMatch === 'judged'))
    notSaid.add('If-Match of GET');
}

function headOf({ contract, version, omitted: notSaid }: Writing, example: readonly string[]): string[] {
  const named = version.name === null ? '' : `, version ${version.name}`;
  const prose = (about: ProseContract['about'], before: string): string => {
    const found = contract.prose.find((one) => one.about === about);
    return found ? `${before}${found.text.trim().replace(/\.?$/, '.')}` : '';
  };
  const state =
    version.status === 'deprecated'
      ? [`This version is deprecated${version.sunset === null ? '' : `: it ends on ${version.sunset}`}.`]
      : [];
  return [
    ...comment([
      `A client of ${contract.title}${named}.${prose('purpose', ' Purpose: ')}${prose('domain', ' Domain: ')}`,
      `\`ninefold export client\` generated this file from ${basename(contract.document)}: change the document, not this file.`,
      ...state,
      example,
      'A call returns a result. If `ok` is true, `data` is the answer; otherwise `error` is the refusal of the service. Other failures throw: a `ConnectionError` if no complete answer arrived, an `UnexpectedAnswerError` if the answer is not one that the document describes, or the reason of the signal that aborted the call.',
      'The document states these facts, which the client does not express:',
      ...notSaid.list(),
    ]),
  ];
}

/** The forms in which rows are shown. */
function shapesOf({ contract, version, types }: Writing): string[] {
  for (const { name, resource, view } of version.shapes)
    types.shape(name, pascal(resource === view ? resource : `${resource} ${view}`));
  return version.shapes.flatMap((one) => {
    const prose = contract.prose.find(({ about, name }) => about === 'resource' && name === one.resource);
    const about =
      one.resource !== one.view
        ? [`${withArticle(one.resource)}, shown as ${one.view}.`]
        : prose
          ? paragraphsOf(prose.text)
          : [`${withArticle(one.resource)}.`];
    types.interface(types.shapeName(one.name), one.type, about, 'out');
    return types.take();
  });
}

function clientFunction(w: Writing, tree: Group): string[] {
  const members = groupLines(w, tree);
  const { features, version } = w;
  const self = features.has('pages');
  const about = [`A client of ${w.contract.title}.`];
  if (version.status === 'deprecated') about.push('@deprecated There is a newer version of the service.');
  return [
    ...comment(about),
    'export function createClient(options: ClientOptions) {',
    '  const sender = new Sender(options);',
    self ? '  const client = {' : '  return {',
    ...indented(members, '    '),
    '  };',
    ...(self ? ['  return client;'] : []),
    '}',
    '',
    'export type Client = ReturnType<typeof createClient>;',
  ];
}

function groupLines(w: Writing, { methods, groups }: Group): string[] {
  return [
    ...methods.flatMap((one) => methodsOf(w, one)),
    ...groups.flatMap(([name, group]) => [`${name}: {`, ...indented(groupLines(w, group)), '},']),
  ];
}

function problemOf({ types, refusals }: Writing): string[] {
  const problem = refusals.problem();
  if (!problem) return [];
  types.interface('Problem', problem, ['The payload of a refusal.'], 'out');
  return types.take();
}

/** The media types of bodies whose calls state them. */
const OWN_TYPES: readonly string[] = [FORM_TYPE, MULTIPART_TYPE];

function constantsOf({ contract, version, features }: Writing): string[] {
  const by = contract.versioning?.by;
  const named = by?.kind === 'header' && version.name !== null ? [`${key(by.header)}: ${quote(version.name)}`] : [];
  const headers = [`Accept: ${quote(version.mediaType)}`, ...named].join(', ');
  const bodies = version.endpoints.flatMap(({ body }) =>
    body && !body.bytes && !OWN_TYPES.includes(body.mediaTypes[0] ?? '') ? [body.mediaTypes] : [],
  );
  const usual = bodies.every((types) => types.includes('application/json')) ? 'application/json' : bodies[0]?.[0];
  const { stream } = contract;
  const milliseconds = (value: number | null | undefined): string => (value == null ? 'undefined' : String(value));
  return [
    '/** The headers of every request. */',
    `const HEADERS: Readonly<Record<string, string>> = { ${headers} };`,
    '',
    `const BODY_TYPE = ${quote(usual ?? 'application/json')};`,
    ...(features.has('stream')
      ? [
          '',
          '/** The interval of the heartbeats of a stream, in milliseconds. */',
          `const HEARTBEAT: number | undefined = ${milliseconds(stream?.heartbeat)};`,
          '',
          '/** The pause before an interrupted stream is opened again, in milliseconds. */',
          `const RETRY: number | undefined = ${milliseconds(stream?.retry)};`,
        ]
      : []),
  ];
}
