import type { Effective } from '../src/compiler/document/effective.ts';
import type { Model } from '../src/compiler/statements/model.ts';

/** What a reader of a document expects an endpoint's answers to name in Vary: from its model alone, never from the plan. */
export interface Varies {
  /** What has to be named. */
  readonly sure: ReadonlySet<string>;
  /** What may be named. */
  readonly possible: ReadonlySet<string>;
}

/** The request headers that the answers of an endpoint depend on, in lower case. */
export function variesBy({ versioning, authentication, events }: Model, one: Effective): Varies {
  const { endpoint, settings, steps, parameters } = one;
  const { scheme, header, vary } = versioning;
  const version = scheme && scheme.value.kind !== 'path' ? (header?.value ?? 'Accept') : null;
  const sure = new Set<string>();
  const add = (name: string): unknown => sure.add(name.toLowerCase());
  if (version !== null && (vary || endpoint.method === 'GET')) add(version);
  const credentials = settings.access ? authentication.schemes.map((each) => each.header!.value.name) : [];
  if (endpoint.method === 'GET') {
    const answer = steps.at(-1)!;
    if (answer.verb === 'Answer' && (answer.body || answer.members.length || answer.stream)) add('Accept');
    for (const parameter of parameters) if (parameter.in?.value === 'header') add(parameter.name.text);
    if (answer.verb === 'Answer' && answer.stream && events.stream?.resumption?.value !== 'none') add('Last-Event-ID');
    if (new Set(credentials).size === 1) add(credentials[0]!);
  }
  const own = endpoint.method === 'GET' ? credentials.map((name) => name.toLowerCase()) : [];
  return { sure, possible: new Set([...sure, ...own]) };
}

/** Whether a value of Vary names what it has to, and nothing else beside `others`. */
export function fitsVary(value: string, { sure, possible }: Varies, others: readonly string[] = []): boolean {
  const names = value.toLowerCase().split(/, */);
  const known = (name: string): boolean => possible.has(name) || others.includes(name);
  return names.includes('*') || ([...sure].every((name) => names.includes(name)) && names.every(known));
}
