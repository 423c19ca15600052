import { documentOf } from '../compiler/print-model.ts';
import type { Endpoint } from '../compiler/statements/endpoints.ts';
import type { Model, Paragraphs } from '../compiler/statements/model.ts';
import { LIMIT_BULLETS, LIMITS } from '../language/limits.ts';
import { RESOURCES } from '../language/resources.ts';
import { nothing } from '../language/statement.ts';
import { LineIndex, type Span } from '../syntax/span.ts';
import { acts } from '../text/visible.ts';
import { accessBy, withoutCredentials } from './access.ts';
import { annotated, type Note } from './annotated.ts';
import { authenticationOf } from './authentication.ts';
import { answerNotes, endpointOf, namedSchemas, partOf, type Taken } from './endpoints.ts';
import { errorsOf } from './errors.ts';
import { eventsOf } from './events.ts';
import { type Facts, factsOf } from './facts.ts';
import { Ledger, type Unsaid } from './ledger.ts';
import { Node } from './node.ts';
import { operationsOf } from './operations.ts';
import { EndpointPaths } from './paths.ts';
import { Places } from './places.ts';
import { purposeOf, versioningOf } from './purpose.ts';
import { type Imported, ResourceNames, resourceOf } from './resources.ts';
import type { Source } from './source.ts';
import { Tags } from './tags.ts';
import { freeText, proseOf } from './text.ts';

/** A document that states what a file states, and the facts that it does not have. */
export interface ImportedDocument {
  readonly text: string;
  readonly unsaid: readonly Unsaid[];
  readonly facts: Facts;
}

/** Makes a document of a description by OpenAPI. Nothing that the file does not state is in it. */
export function importOpenApi({ root: data, version }: Source): ImportedDocument {
  const ledger = new Ledger();
  const root = new Node({ root: data, version, ledger }, data, '#');
  const places = new Places();
  const prose: Paragraphs[] = [];
  const notes = new Map<string, Note[]>();
  root.stateMembers(version === '2.0' ? 'swagger' : 'openapi');

  const operations = operationsOf(root);
  const names = new ResourceNames();
  const resources = new Map<string, Imported>();
  for (const [pointer, { schema, isShown }] of namedSchemas(operations)) {
    const one = resourceOf(names.of(nameIn(pointer)), schema, isShown, places);
    if (one.resource.fields.length === 0) schema.leave('object');
    if (one.resource.fields.length === 0) continue;
    resources.set(pointer, one);
    describe(schema, ['description'], one.resource.name, prose);
  }
  const authentication = authenticationOf(root, places);
  const accessOf = accessBy(authentication.schemes);
  const paths = new EndpointPaths();
  const tags = new Tags(places);
  const endpoints = operations.flatMap((operation): Taken[] => {
    const path = paths.take(operation);
    if (!path) return [];
    const own = withoutCredentials(operation, authentication.schemes);
    const endpoint = endpointOf(own, path, resources, accessOf, places);
    if (operation.method === 'QUERY' && !hasBody(endpoint)) {
      operation.node.leave('queryBody');
      return [];
    }
    describe(operation.node, ['summary', 'description'], endpoint.span, prose);
    notes.set(`\`${endpoint.name}\``, answerNotes(operation, resources));
    return [{ operation, endpoint: tags.given(endpoint, operation) }];
  });
  const list = [...resources.values()].map(({ resource }) => resource);
  const headings = tags.headings(
    root,
    list.map(({ name }) => name.text),
    (node, name, tag) => {
      const heading = list.find((one) => one.name.text === name)?.name ?? tag.span;
      describe(node, ['summary', 'description'], heading, prose);
    },
  );
  const title = root.find('info', 'title');
  if (isSame(title?.value, titleOf(title?.value))) title?.state();
  places.set('#/info/title', 'title');
  const model: Model = {
    lines: new LineIndex(''),
    title: { text: titleOf(title?.value), from: 0, to: 0 },
    purpose: purposeOf(root, places),
    resources: { rules: nothing(RESOURCES), list },
    states: { none: false, machines: [] },
    endpoints: { ...partOf(endpoints, places), tags: headings },
    authentication,
    events: eventsOf(root, places),
    errors: errorsOf(operations, names, places),
    limits: NO_LIMITS,
    versioning: versioningOf(root, places),
    absences: [],
    prose,
  };
  const printed = documentOf(model, 'open');
  const unsaid = ledger.everyUnsaid(data);
  return { text: annotated(printed, places, notes, unsaid), unsaid, facts: factsOf(root, operations) };
}

const NO_LIMITS = {
  ...nothing(LIMIT_BULLETS),
  ...(Object.fromEntries(
    Object.values(LIMITS).flatMap((one) => ('member' in one ? [[one.member, null]] : [])),
  ) as object),
  rates: [],
  uncounted: [],
  own: [],
} as unknown as Model['limits'];

/** Whether an endpoint states members of its body. */
const hasBody = ({ settings: { request }, parameters }: Endpoint): boolean =>
  (request !== null && request.value !== 'none') || parameters.some((one) => one.in?.value === 'body');

const nameIn = (pointer: string): string => decodeURIComponent(pointer.slice(pointer.lastIndexOf('/') + 1));

/** The title of the document; a title is on one line. */
const titleOf = (title: unknown): string =>
  freeText(typeof title === 'string' ? title : '')
    .replace(/^#+|#+$/g, '')
    .trim();

/** Whether the document has a text of the file but for white space. */
const isSame = (value: unknown, text: string): boolean =>
  typeof value === 'string' && value.replace(/\s+/g, ' ').trim() === text;

/** Adds the descriptions of a node to the prose below a heading. */
function describe(node: Node, keys: readonly string[], heading: Span, prose: Paragraphs[]): void {
  const own = keys.flatMap((key) => node.get(key) ?? []).filter(({ value }) => typeof value === 'string');
  const texts = [...new Set(own.map(({ value }) => (value as string).trim()))];
  const text = proseOf(texts);
  // A text that is not shown as it is written is listed.
  for (const one of own) if (!acts((one.value as string).replace(/[\r\n\t]/g, ' '))) one.state();
  const at = prose.findIndex((one) => one.heading.from === heading.from);
  const above = prose[at];
  if (text === '' || text === above?.text) return;
  if (above) prose[at] = { ...above, text: `${above.text}\n\n${text}` };
  else prose.push({ heading, text, span: heading });
}
