import type { ResourcePlan } from '../../plan/step.ts';
import type { Speech, Versions } from '../versioning/enforce.ts';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Payloads in the words of a version: they are stored in the current one. */
export class Payloads {
  private readonly versions: Versions;
  private readonly resources = new Map<string, ResourcePlan>();
  private readonly about = new Map<string, { readonly resource: string; readonly view: string }>();

  constructor(versions: Versions, resources: readonly ResourcePlan[]) {
    this.versions = versions;
    for (const resource of resources) {
      this.resources.set(resource.name, resource);
      for (const { name, view } of resource.events) this.about.set(name, { resource: resource.name, view });
    }
  }

  /** The payload of an event with its fields called as a version calls them. */
  inVersion(type: string, data: string, speech: Speech): string {
    const about = this.about.get(type);
    if (speech === this.versions.current || !about) return data;
    return JSON.stringify(this.renamed(about.resource, about.view, JSON.parse(data) as Json, speech));
  }

  private renamed(resource: string, view: string, value: Json, speech: Speech): Json {
    if (Array.isArray(value)) return value.map((item) => this.renamed(resource, view, item, speech));
    if (typeof value !== 'object' || value === null) return value;
    const members = this.resources.get(resource)?.views.find((one) => one.name === view)?.members ?? [];
    const out: { [name: string]: Json } = {};
    for (const { field, view: inner } of members) {
      const name = speech.wire(resource, field);
      const shown = memberOf(value, field);
      if (name === null || shown === undefined) continue;
      place(out, name)[name.slice(name.lastIndexOf('.') + 1)] = inner
        ? this.renamed(inner.resource, inner.name, shown, speech)
        : shown;
    }
    return out;
  }
}

/** A member by its name, which may be dotted. */
function memberOf(value: { readonly [name: string]: Json }, name: string): Json | undefined {
  let at: Json | undefined = value;
  for (const part of name.split('.')) at = typeof at === 'object' && at && !Array.isArray(at) ? at[part] : undefined;
  return at;
}

/** The object in which a member of that name stands, made where it is not there. */
function place(out: { [name: string]: Json }, name: string): { [name: string]: Json } {
  let at = out;
  for (const part of name.split('.').slice(0, -1)) {
    at[part] ??= {};
    at = at[part] as { [name: string]: Json };
  }
  return at;
}
