import type { Effective } from '../../src/compiler/document/effective.ts';
import { Resolved } from '../../src/compiler/document/resolve.ts';
import { EVERYWHERE, reachable } from '../../src/compiler/errors/reach.ts';
import type { Origins } from '../../src/compiler/statements/authentication.ts';
import { everyStep, type Step } from '../../src/compiler/statements/endpoints.ts';
import type { Model } from '../../src/compiler/statements/model.ts';
import type { Resource } from '../../src/compiler/statements/resources.ts';
import { COMMON_1, type Condition } from '../../src/plan/conditions.ts';
import type { Said, Turn } from '../talk/side.ts';

/** One line of the errors: the document's own, or one of the published list that it adopts. */
export interface Outcome {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  /** The cells of further columns; null stands for `none`. */
  readonly more: ReadonlyMap<string, string | null>;
  /** The conditions it stands for; a step or a rule that says so is none. */
  readonly conditions: ReadonlySet<Condition>;
}

/** A request and what was answered. */
export interface Exchange {
  readonly request: Extract<Turn, { say: 'request' }>['request'];
  readonly said: Said;
}

/** Where a request leads, in which version, where it names one that answers. */
export interface Place {
  /** The endpoint; null where the path or the method leads nowhere. */
  readonly endpoint: Effective | null;
  /** True where a HEAD is answered as the GET. */
  readonly head: boolean;
  /** The methods of the path; empty where there is nothing at it. */
  readonly methods: readonly string[];
  /** The version that is named or stands for none; null where there is none that answers. */
  readonly version: string | null;
}

/** A document as whoever calls its service may read it: from its model alone, never from the plan. */
export class Document {
  readonly model: Model;
  private readonly resolved: Resolved;

  constructor(model: Model) {
    this.model = model;
    this.resolved = new Resolved(model, { findings: [], marks: [] });
  }

  get endpoints(): readonly Effective[] {
    return this.resolved.effective;
  }

  resource(name: string): Resource {
    return this.model.resources.list.find((one) => one.name.text === name)!;
  }

  place(method: string, target: string, headers: Exchange['request']['headers']): Place {
    const segments = target.split('/').slice(1);
    const there = this.endpoints.filter((one) => matches(one.endpoint.path, segments));
    const asGet = there.some((one) => one.endpoint.method === 'GET' && one.settings.head?.value === 'as GET');
    const methods = [...new Set(there.map((one) => one.endpoint.method)), ...(asGet ? ['HEAD'] : [])];
    const head = method === 'HEAD' && asGet;
    const taken = there.filter((one) => one.endpoint.method === (head ? 'GET' : method));
    const [endpoint = null] = taken.sort((a, b) => named(a.endpoint.path) - named(b.endpoint.path));
    return { endpoint, head, methods, version: this.version(headers) };
  }

  /** What the errors say of a condition. */
  of(condition: Condition): Outcome[] {
    const { rows, common } = this.model.errors;
    const row = rows.find((one) => one.when.some((when) => when.value === condition));
    if (row) return [this.coded(row.code.text)];
    const adopted = common && COMMON_1.get(condition);
    if (!adopted) return [];
    const blank = new Map(this.model.errors.columns.map(({ name, heading }) => [name, this.blank(heading.text)]));
    return [{ ...adopted, more: blank, conditions: new Set([condition]) }];
  }

  coded(code: string): Outcome {
    const row = this.model.errors.rows.find((one) => one.code.text === code)!;
    const more = new Map(
      this.model.errors.columns.map(({ name, heading }) => [name, row.more[name]?.value ?? this.blank(heading.text)]),
    );
    for (const [name, said] of Object.entries(row.more)) if (said) more.set(name, said.value);
    const conditions = row.when.map((when) => when.value).filter((when) => !when.endsWith('says so')) as Condition[];
    return { code, status: row.status!.value, title: row.title!.value, more, conditions: new Set(conditions) };
  }

  /** Everything that a request to an endpoint can be refused with; of what is nowhere, what can be said there. */
  outcomes({ endpoint, methods }: Place): Outcome[] {
    if (!endpoint) return this.of(EVERYWHERE[methods.length ? 1 : 0]!);
    return [
      ...reachable(this.resolved, endpoint).flatMap((condition) => this.of(condition)),
      ...[...this.codesAt(endpoint)].map((code) => this.coded(code)),
    ];
  }

  /** The codes that the statements of an endpoint name, those of what follows, and of the rules of what is written. */
  private codesAt(one: Effective): Set<string> {
    const codes = new Set(one.parameters.flatMap((parameter) => parameter.otherwise?.text ?? []));
    const { machines } = this.model.states;
    const followers = machines.flatMap((machine) => machine.reactions.flatMap((after) => [...everyStep(after.steps)]));
    const moves = one.every.some((step) => step.verb === 'Move');
    const steps = moves ? [...one.every, ...followers] : one.every;
    for (const step of steps) for (const code of this.codesOf(step)) codes.add(code);
    const writes = one.every.some((step) => WRITES.includes(step.verb));
    if (writes) for (const resource of this.model.resources.list) for (const code of rules(resource)) codes.add(code);
    return codes;
  }

  private *codesOf(step: Step): Generator<string> {
    if ('code' in step && step.code) yield step.code.text;
    if (step.verb === 'Move')
      for (const machine of this.model.states.machines)
        for (const { name, otherwise } of machine.transitions)
          if ((!step.by || step.by.text === name.text) && otherwise && otherwise.value !== 'none')
            yield otherwise.value.text;
    if (step.verb === 'Run')
      for (const fails of this.model.endpoints.handlers.find((one) => one.name.text === step.handler.text)?.fails
        ?.value ?? [])
        yield fails.text;
    const stream = step.verb === 'Answer' && step.stream ? this.model.events.stream : null;
    for (const said of [stream?.resumption?.value, stream?.atOnce?.value])
      if (typeof said === 'object' && said.code) yield said.code.text;
  }

  private blank(heading: string): string | null {
    return this.model.errors.blanks.find((one) => one.column.text === heading)?.value ?? null;
  }

  /** The version that a request names, if it answers. */
  private version(headers: Exchange['request']['headers']): string | null {
    const { scheme, current, without, versions } = this.model.versioning;
    if (!scheme) return null;
    const { value } = scheme;
    if (!('header' in value)) throw new Error('only versions in a header are judged');
    const sent = headers.find(([one]) => one.toLowerCase() === value.header.toLowerCase())?.[1].trim();
    const version = sent ?? (without?.value === 'refused' ? null : current!.value);
    const known = [current!.value, ...versions.filter((one) => one.state !== 'retired').map((one) => one.name)];
    return version !== null && known.includes(version) ? version : null;
  }

  /** What browsers of other origins may do; null where they may nothing. */
  get origins(): Origins | null {
    const { origins, schemes } = this.model.authentication;
    const stated = [origins, ...schemes.map((one) => one.origins)].find((one) => one && one.value !== 'none')?.value;
    return !stated || stated === 'none' ? null : stated;
  }
}

const WRITES: readonly Step['verb'][] = ['Create', 'Ensure', 'Change', 'Move', 'Remove', 'Remove every'];

function* rules(resource: Resource): Generator<string> {
  for (const { unique } of resource.fields)
    if (unique?.value.kind === 'yes' && unique.value.code) yield unique.value.code.text;
  for (const rule of [...resource.uniques, ...resource.keeps, ...resource.holds, ...resource.overlaps])
    if (rule.code) yield rule.code.text;
}

/** How many segments of a path are named; a path with fewer stands before one with more. */
const named = (path: string): number => path.split('/').filter((part) => part.startsWith('{')).length;

function matches(path: string, segments: readonly string[]): boolean {
  const parts = path.split('/').slice(1);
  return (
    parts.length === segments.length &&
    parts.every((part, i) => (part.startsWith('{') ? segments[i] !== '' : part === decoded(segments[i]!)))
  );
}

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
