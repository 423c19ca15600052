import { documentOf } from '../compiler/print-model.ts';
import type { Model, Paragraphs } from '../compiler/statements/model.ts';
import { ERRORS } from '../language/errors.ts';
import { LIMIT_BULLETS, LIMITS } from '../language/limits.ts';
import { RESOURCES } from '../language/resources.ts';
import { nothing } from '../language/statement.ts';
import { LineIndex, type Span } from '../syntax/span.ts';
import { accessBy } from './access.ts';
import { annotated, type Note } from './annotated.ts';
import { authenticationOf } from './authentication.ts';
import { endpointOf, namedSchemas, partOf } from './endpoints.ts';
import { Ledger, type Unsaid } from './ledger.ts';
import { Node } from './node.ts';
import { operationsOf } from './operations.ts';
import { EndpointPaths } from './paths.ts';
import { Places } from './places.ts';
import { purposeOf, versioningOf } from './purpose.ts';
import { type Imported, ResourceNames, resourceOf } from './resources.ts';
import type { Source } from './source.ts';
import { freeText, proseOf } from './text.ts';

/** A document that states what a file states, and the facts that it does not have. */
export interface ImportedDocument {
  readonly text: string;
  readonly unsaid: readonly Unsaid[];
}

/** Makes a document of a description by OpenAPI. Nothing that the file does not state is in it. */
export function importOpenApi({ root: data, version }: Source): ImportedDocument {
  const ledger = new Ledger();
  const root = new Node({ root: data, version, ledger }, data, '#');
  const places = new Places();
  const prose: Paragraphs[] = [];
  const notes = new Map<string, Note[]>();
  root.state(version === '2.0' ? 'swagger' : 'openapi');

  const operations = operationsOf(root);
  const names = new ResourceNames();
  const resources = new Map<string, Imported>();
  for (const [pointer, { schema, isShown }] of namedSchemas(operations)) {
    const one = resourceOf(names.of(nameIn(pointer)), schema, isShown, places);
    if (one.resource.fields.length === 0) continue;
    schema.state('type');
    resources.set(pointer, one);
    describe(schema, ['description'], one.resource.name, prose);
  }
  const authentication = authenticationOf(root, places);
  const accessOf = accessBy(authentication.schemes);
  const paths = new EndpointPaths();
  const taken = operations.flatMap((operation) => {
    const path = paths.take(operation);
    return path ? [{ operation, path }] : [];
  });
  const endpoints = taken.map(({ operation, path }) => {
    const endpoint = endpointOf(operation, path, resources, accessOf, places);
    describe(operation.node, ['summary', 'description'], endpoint.span, prose);
    return endpoint;
  });
  const title = root.find('info', 'title');
  title?.state();
  places.set('#/info/title', 'title');
  const model: Model = {
    lines: new LineIndex(''),
    title: { text: titleOf(title?.value), from: 0, to: 0 },
    purpose: purposeOf(root, places),
    resources: { rules: nothing(RESOURCES), list: [...resources.values()].map(({ resource }) => resource) },
    states: { none: false, machines: [] },
    endpoints: partOf(
      endpoints,
      taken.map(({ operation }) => operation),
      places,
    ),
    authentication,
    events: { none: false, list: [], webhook: null, stream: null },
    errors: { ...nothing(ERRORS), blanks: [], rows: [], columns: [], payloads: [] },
    limits: NO_LIMITS,
    versioning: versioningOf(root, places),
    absences: [],
    prose,
  };
  const printed = documentOf(model, 'open');
  const unsaid = ledger.everyUnsaid(data);
  return { text: annotated(printed, places, notes, unsaid), unsaid };
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

const nameIn = (pointer: string): string => decodeURIComponent(pointer.slice(pointer.lastIndexOf('/') + 1));

/** The title of the document; a title is on one line. */
const titleOf = (title: unknown): string =>
  freeText(typeof title === 'string' ? title : '')
    .replace(/^#+|#+$/g, '')
    .trim();

/** Adds the descriptions of a node as prose below a heading. */
function describe(node: Node, keys: readonly string[], heading: Span, prose: Paragraphs[]): void {
  const own = keys.flatMap((key) => node.get(key) ?? []).filter(({ value }) => typeof value === 'string');
  const texts = [...new Set(own.map(({ value }) => (value as string).trim()))];
  const text = proseOf(texts);
  for (const one of own) one.state();
  if (text !== '') prose.push({ heading, text, span: heading });
}
