import type { Type } from '../../expression/tree/types.ts';
import { scalarEnd } from '../../http/json.ts';
import { objectWriter } from '../../http/nested-json.ts';
import type { EmittedPlan, Plan, ResourcePlan } from '../../plan/step.ts';
import { wordFor } from '../../plan/words.ts';
import type { ApiVersion } from '../context/request-context.ts';
import type { Versions } from '../versioning/versions.ts';
import { wordsOfType } from '../versioning/words.ts';

/** Members as JSON, by their fields; null for those that are left out. */
type Members = ReadonlyMap<string, string | null>;

/** Writes payloads in a version; they are stored in the current one. */
export class Payloads {
  private readonly versions: Versions;
  private readonly resources = new Map<string, ResourcePlan>();
  private readonly about = new Map<string, { readonly resource: string; readonly view: string }>();

  private readonly emitted: ReadonlyMap<string, EmittedPlan>;

  constructor(versions: Versions, { resources, emitted = [] }: Pick<Plan, 'resources' | 'emitted'>) {
    this.versions = versions;
    this.emitted = new Map(emitted.map((event) => [event.name, event]));
    for (const resource of resources) {
      this.resources.set(resource.name, resource);
      for (const { name, view } of resource.events) this.about.set(name, { resource: resource.name, view });
    }
  }

  /**
   * Returns the payload of an event with the field names and the words of a version; members of `told` replace those of the payload.
   */
  inVersion(type: string, data: string, apiVersion: ApiVersion, told: Members | null = null): string {
    const emitted = this.emitted.get(type);
    if (emitted && apiVersion !== this.versions.current) return inWordsOf(emitted, data, apiVersion);
    const about = this.about.get(type);
    if ((apiVersion === this.versions.current && !told) || !about) return data;
    return this.renamed(about.resource, about.view, data, apiVersion, told);
  }

  /**
   * Renames members, and gives the values of enumerations their words: the text of any other value is kept, since
   * JSON.parse would lose digits of numbers and the order of maps.
   */
  private renamed(
    resource: string,
    view: string,
    text: string,
    apiVersion: ApiVersion,
    told: Members | null = null,
  ): string {
    if (text.startsWith('[')) {
      const items = partsOf(text).map((item) => this.renamed(resource, view, item, apiVersion));
      return `[${items.join(',')}]`;
    }
    if (!text.startsWith('{')) return text;
    const members = this.resources.get(resource)?.views.find((one) => one.name === view)?.members ?? [];
    const written = members.flatMap(({ field, value, view: inner }) => {
      const name = apiVersion.wire(resource, field);
      if (name === null) return [];
      const write = (object: ReadonlyMap<string, string>): string | null => {
        const own = told?.get(field);
        if (own !== undefined) return own;
        const shown = memberOf(object, field);
        if (shown === null) return null;
        return inner
          ? this.renamed(inner.resource, inner.name, shown, apiVersion)
          : reworded(shown, value.type, apiVersion);
      };
      return [{ name, write }];
    });
    return objectWriter(written)(membersOf(text));
  }
}

/** Returns the payload of an event that a step has emitted, with the words of a version. */
function inWordsOf({ members }: EmittedPlan, data: string, apiVersion: ApiVersion): string {
  const write = objectWriter(
    members.map(({ name, type }) => ({
      name,
      write: (object: ReadonlyMap<string, string>): string | null => {
        const text = object.get(name);
        return text === undefined ? null : reworded(text, type, apiVersion);
      },
    })),
  );
  return write(membersOf(data));
}

/** Returns JSON with the words of a version in place of the values of an enumeration. */
function reworded(text: string, type: Type, apiVersion: ApiVersion): string {
  const words = wordsOfType(type, apiVersion);
  if (words && text.startsWith('"')) return JSON.stringify(wordFor(words, JSON.parse(text) as string));
  if (type.kind !== 'list' && type.kind !== 'map') return text;
  if (text.startsWith('['))
    return `[${partsOf(text)
      .map((item) => reworded(item, type.of, apiVersion))
      .join(',')}]`;
  if (!text.startsWith('{')) return text;
  const parts = partsOf(text).map((part) => {
    const value = scalarEnd(part, 0) + 1;
    return part.slice(0, value) + reworded(part.slice(value), type.of, apiVersion);
  });
  return `{${parts.join(',')}}`;
}

/** Returns the text of a member by its name, which may be dotted; null where it is absent. */
function memberOf(object: ReadonlyMap<string, string>, name: string): string | null {
  const [first = '', ...rest] = name.split('.');
  const text = object.get(first) ?? null;
  if (rest.length === 0) return text;
  return text?.startsWith('{') ? memberOf(membersOf(text), rest.join('.')) : null;
}

/** The members of an object in JSON, each as it is written. */
function membersOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    partsOf(text).map((part) => {
      const end = scalarEnd(part, 0);
      return [JSON.parse(part.slice(0, end)) as string, part.slice(end + 1)];
    }),
  );
}

/**
 * Returns the items of an array or the members of an object, as texts. The JSON was written by the service, without
 * white space.
 */
function partsOf(text: string): string[] {
  const out: string[] = [];
  for (let from = 1; from < text.length - 1; ) {
    const to = endOf(text, from);
    out.push(text.slice(from, to));
    from = to + 1;
  }
  return out;
}

/** Returns the end of the item or member that begins at an index: the next comma, or the end of the array or object. */
function endOf(text: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const sign = text[at]!;
    if (depth === 0 && (sign === ',' || sign === '}' || sign === ']')) break;
    if (sign === '{' || sign === '[') depth++;
    if (sign === '}' || sign === ']') depth--;
    at = sign === '"' ? scalarEnd(text, at) : at + 1;
  }
  return at;
}
