import { isObject } from '../../text/own-members.ts';
import type { Json, JsonObject } from '../json.ts';
import { componentName, Names } from '../json-schema.ts';

/** The operations of each path. */
type Operations = Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;

/** A value, and the name that it would have among the components. */
type Named = readonly [name: string, value: Json];

/** A value shorter than this, as JSON, is not worth a reference. */
const WORTH = 40;

/** Values that occur more than once, each once among the components. */
class Pool {
  readonly components: Record<string, Json> = {};
  private readonly kind: string;
  private readonly references = new Map<string, Json>();

  constructor(kind: string, all: readonly Named[]) {
    this.kind = kind;
    const counts = new Map<string, number>();
    for (const [, value] of all) counts.set(JSON.stringify(value), (counts.get(JSON.stringify(value)) ?? 0) + 1);
    const names = new Names();
    for (const [name, value] of all) {
      const text = JSON.stringify(value);
      if (this.references.has(text) || text.length < WORTH || (counts.get(text) ?? 0) < 2) continue;
      const own = names.once(`${componentName(name)}-`).replace(/-$/, '');
      this.components[own] = value;
      this.references.set(text, { $ref: `#/components/${this.kind}/${own}` });
    }
  }

  /** A reference to a value, or the value itself if it occurs once. */
  readonly refer = (value: Json): Json => this.references.get(JSON.stringify(value)) ?? value;
}

/**
 * Parameters, responses, and headers and examples of responses that occur more than once, each once among the
 * components, and the paths with references to them.
 */
export function shareComponents(paths: Operations): { readonly paths: JsonObject; readonly components: JsonObject } {
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const responses = operations.flatMap((one) => entries(one.responses));
  const headers = new Pool(
    'headers',
    responses.flatMap(([, one]) => entries(member(one, 'headers'))),
  );
  const examples = new Pool(
    'examples',
    responses.flatMap(([, one]) => examplesIn(one)),
  );
  const withReferences = (response: Json): Json => {
    if (!isJsonObject(response)) return response;
    const { headers: own, content } = response;
    const media = (one: Json): Json =>
      isJsonObject(one) ? { ...one, ...within(one, 'examples', examples.refer) } : one;
    return {
      ...response,
      ...(own === undefined ? {} : { headers: mapped(own, headers.refer) }),
      ...(content === undefined ? {} : { content: mapped(content, media) }),
    };
  };
  const shared = new Pool(
    'responses',
    responses.map(([status, one]) => [`Status${status}`, withReferences(one)]),
  );
  const parameters = new Pool(
    'parameters',
    operations.flatMap((one) => list(one.parameters)).map((one) => [`${member(one, 'name')}`, one]),
  );
  const operationOf = (one: JsonObject): JsonObject => ({
    ...one,
    ...(one.parameters === undefined ? {} : { parameters: list(one.parameters).map(parameters.refer) }),
    ...within(one, 'responses', (response) => shared.refer(withReferences(response))),
  });
  const items = Object.entries(paths).map(([path, item]) => {
    const all = Object.entries(item).map(([method, one]) => [method, operationOf(one)] as const);
    return [path, Object.fromEntries(all)] as const;
  });
  const pools = Object.entries({ responses: shared, parameters, examples, headers });
  const used = pools.flatMap(([kind, pool]) => (Object.keys(pool.components).length ? [[kind, pool.components]] : []));
  return { paths: Object.fromEntries(items), components: Object.fromEntries(used) };
}

const isJsonObject = (value: Json | undefined): value is JsonObject => isObject(value);

const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

const entries = (value: Json | undefined): Named[] => (isJsonObject(value) ? Object.entries(value) : []);

const member = (value: Json | undefined, name: string): Json | undefined =>
  isJsonObject(value) ? value[name] : undefined;

const mapped = (value: Json, to: (one: Json) => Json): JsonObject =>
  Object.fromEntries(entries(value).map(([name, one]) => [name, to(one)]));

/** A member with its values mapped; no member where there is none. */
const within = (value: JsonObject, name: string, to: (one: Json) => Json): JsonObject =>
  value[name] === undefined ? {} : { [name]: mapped(value[name], to) };

const examplesIn = (response: Json): Named[] =>
  entries(member(response, 'content')).flatMap(([, media]) => entries(member(media, 'examples')));
