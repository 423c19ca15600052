import type { Effective } from '../../src/compiler/document/effective.ts';
import { Resolved } from '../../src/compiler/document/resolve.ts';
import { reachable } from '../../src/compiler/errors/reach.ts';
import type { Step } from '../../src/compiler/statements/endpoints.ts';
import type { Model } from '../../src/compiler/statements/model.ts';
import type { Resource } from '../../src/compiler/statements/resources.ts';
import type { Contract as Published } from '../../src/contract/contract.ts';
import { contractOf } from '../../src/contract/contract-of.ts';
import { COMMON_1, type Condition, type Outcome } from '../../src/plan/conditions.ts';
import type { Plan } from '../../src/plan/step.ts';

/** What a document states about one endpoint, as a client may read it. */
export interface Stated {
  readonly name: string;
  readonly method: string;
  readonly path: readonly string[];
  readonly effective: Effective;
  /** The general conditions that can arise here. */
  readonly conditions: readonly Condition[];
  /** The codes that its own steps, transitions and parameters name, and the rules of what it writes, in their order. */
  readonly codes: readonly string[];
  readonly answer: Extract<Step, { verb: 'Answer' }>;
}

/** Where a request leads. */
export type Place = { readonly endpoint: Stated } | { readonly allow: readonly string[] } | null;

/**
 * A document as a contract: read from its model alone, never from the plan or from what enforces it. `published` is what
 * `ninefold contract` makes of it, so that answers are judged by both, and each is judged by the other.
 */
export class Contract {
  readonly model: Model;
  readonly published: Published | null;
  private readonly resolved: Resolved;
  readonly endpoints: readonly Stated[];

  constructor(model: Model, plan: Plan | null = null) {
    this.model = model;
    this.published = plan && contractOf(plan);
    this.resolved = new Resolved(model, { findings: [], marks: [] });
    this.endpoints = this.resolved.effective.map((effective) => this.stated(effective));
  }

  endpoint(name: string): Stated {
    return this.endpoints.find((one) => one.name === name)!;
  }

  resource(name: string): Resource {
    return this.model.resources.list.find((one) => one.name.text === name)!;
  }

  /** The endpoint of a method and a target; the methods, where only the path is known; null where nothing is there. */
  place(method: string, target: string): Place {
    const segments = segmentsOf(target);
    if (!segments) return null;
    const there = this.endpoints.filter((one) => matches(one.path, segments));
    const found = there.find((one) => one.method === method);
    if (found) return { endpoint: found };
    return there.length ? { allow: there.map((one) => one.method) } : null;
  }

  /** What a condition is answered with: the document's own row, else the list that it adopts. */
  outcome(condition: Condition): Outcome | null {
    const { rows, common } = this.model.errors;
    const row = rows.find((one) => one.when.some((when) => when.value === condition));
    if (row) return { code: row.code.text, status: row.status!.value, title: row.title!.value };
    return common ? (COMMON_1.get(condition) ?? null) : null;
  }

  /** What a code of the document's table is answered with. */
  coded(code: string): Outcome {
    const row = this.model.errors.rows.find((one) => one.code.text === code)!;
    return { code, status: row.status!.value, title: row.title!.value };
  }

  /** Every outcome that a request to an endpoint can have, beside its answer. */
  outcomes(endpoint: Stated): Outcome[] {
    const conditions = endpoint.conditions.flatMap((condition) => this.outcome(condition) ?? []);
    return [...conditions, ...endpoint.codes.map((code) => this.coded(code))];
  }

  /** Every code that anything in the document can be answered with. */
  codes(): string[] {
    const everywhere = (['no such endpoint', 'method not allowed'] as const).flatMap(
      (one) => this.outcome(one)?.code ?? [],
    );
    const all = this.endpoints.flatMap((one) => this.outcomes(one).map((outcome) => outcome.code));
    return [...new Set([...everywhere, ...all, ...this.model.errors.rows.map((row) => row.code.text)])];
  }

  private stated(effective: Effective): Stated {
    const { endpoint, steps, parameters } = effective;
    const answer = steps.find((step) => step.verb === 'Answer')!;
    const codes = [
      ...parameters.flatMap((parameter) => parameter.otherwise?.text ?? []),
      ...steps.flatMap((step) => this.codesOf(step, steps)),
    ];
    return {
      name: endpoint.name,
      method: endpoint.method,
      path: endpoint.path.split('/').slice(1),
      effective,
      conditions: reachable(this.resolved, effective),
      codes: [...new Set(codes)],
      answer: answer as Stated['answer'],
    };
  }

  /** The codes that a step raises: what it names, what its transition names, and the rules of what it writes. */
  codesOf(step: Step, steps: readonly Step[]): string[] {
    if (step.verb === 'Find' || step.verb === 'Require') return step.code ? [step.code.text] : [];
    if (step.verb === 'Create' || step.verb === 'Ensure') return this.ruleCodes(step.resource.text);
    if (step.verb === 'Remove every') return this.keepCodes(step.resource.text);
    if (step.verb === 'Remove') return this.keepCodes(rowResource(step.row.text, steps)!);
    if (step.verb === 'Change') return this.ruleCodes(rowResource(step.row.text, steps)!);
    if (step.verb !== 'Move') return [];
    const resource = rowResource(step.row.text, steps)!;
    const machine = this.model.states.machines.find((one) => one.resource.text === resource)!;
    const otherwise = machine.transitions.find((one) => one.name.text === step.by?.text)?.otherwise?.value;
    return [...(otherwise && otherwise !== 'none' ? [otherwise.text] : []), ...this.ruleCodes(resource)];
  }

  private ruleCodes(name: string): string[] {
    const { uniques, fields } = this.resource(name);
    const single = fields.flatMap(({ unique }) =>
      unique?.value.kind === 'yes' ? (unique.value.code?.text ?? []) : [],
    );
    return [...uniques.flatMap((rule) => rule.code?.text ?? []), ...single];
  }

  private keepCodes(name: string): string[] {
    return this.model.resources.list.flatMap(({ keeps, fields }) =>
      keeps
        .filter((rule) => rule.fields.some((field) => references(fields, field.text) === name))
        .flatMap((rule) => rule.code?.text ?? []),
    );
  }
}

/** The resource of the row that a step has given a name. */
export function rowResource(row: string, steps: readonly Step[]): string | null {
  for (const step of steps) if ('as' in step && 'resource' in step && step.as?.text === row) return step.resource.text;
  return null;
}

function references(fields: Resource['fields'], name: string): string | null {
  const type = fields.find((field) => field.name.text === name)?.type?.value;
  return type?.kind === 'reference' ? type.resource.text : null;
}

/** The segments of a target's path, decoded (RFC 3986); null where it is none. */
function segmentsOf(target: string): string[] | null {
  const absolute = /^https?:\/\/[^/?#]+/i.exec(target);
  const local = absolute ? target.slice(absolute[0].length) || '/' : target;
  const [path = ''] = local.split('?');
  if (!path.startsWith('/') || path.includes('#')) return null;
  try {
    return path.slice(1).split('/').map(decodeURIComponent);
  } catch {
    return null;
  }
}

function matches(path: readonly string[], segments: readonly string[]): boolean {
  return (
    path.length === segments.length &&
    path.every((part, i) => (part.startsWith('{') ? segments[i] !== '' : part === segments[i]))
  );
}
