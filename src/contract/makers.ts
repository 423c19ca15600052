import { statementId } from '../plan/lines.ts';
import { transitionsIn } from '../plan/machines.ts';
import { allNested } from '../plan/nested-steps.ts';
import { whyNotAdded } from '../plan/rows.ts';
import { assignedBy, effectOf, resourceOf, transitionsOf, valuesOf } from '../plan/slots.ts';
import type { InsideStep, ResourcePlan } from '../plan/step.ts';
import { addTo } from '../text/lists.ts';
import type { HandlerContract, MakerContract } from './contract.ts';
import { mergeLines, type PlanReader } from './plan-reader.ts';
import type { Lines } from './types.ts';
import { changedRow, createdRow, movedRow, removedRow, type Write } from './writes.ts';

/** Something that happens: a write of rows, a transition, an event that a step emits, or the run of a handler. */
type Fact = `${'transition' | 'emitted' | 'run'} ${string}` | WriteFact;
type WriteFact = `created ${string}` | `removed ${string}` | `changed ${string}`;

/**
 * The origins of what happens: endpoints, transitions, the answers and failures of handlers, schedules, and the operator
 * where the document lets it give values.
 */
export class Makers {
  private readonly r: PlanReader;
  private readonly makers = new Map<Fact, MakerContract[]>();

  constructor(r: PlanReader) {
    this.r = r;
    const { endpoints, resources, handlers, schedules = [] } = r.plan;
    for (const one of endpoints) this.steps('endpoint', one.name, one.inside);
    for (const resource of resources)
      for (const { name, then } of transitionsIn(resource.machines)) {
        const key = `${resource.name}.${name}`;
        const written = this.factsOf(movedRow(resource, name, []));
        const lines = r.lines(statementId.transition(resource.name, name));
        this.add('transition', key, [...written.map((fact) => [fact, lines] as const), ...this.factsIn(then)]);
      }
    for (const one of handlers) this.steps('handler', one.name, [...one.answers, ...one.failing]);
    for (const one of schedules) this.steps('schedule', one.name, one.steps);
    this.add(
      'operator',
      'operator',
      resources.flatMap((resource) => this.given(resource)),
    );
  }

  transition(resource: string, name: string): readonly MakerContract[] {
    return this.makers.get(`transition ${resource}.${name}`) ?? [];
  }

  emitted(event: string): readonly MakerContract[] {
    return this.makers.get(`emitted ${event}`) ?? [];
  }

  /** The makers of an event about rows; null where its transitions name them, or where time alone makes it. */
  event({ name }: ResourcePlan, { on, fields }: ResourcePlan['events'][number]): readonly MakerContract[] | null {
    if (on === 'created' || on === 'removed') return this.makers.get(`${on} ${name}`) ?? [];
    return on === 'changed'
      ? joined(fields.flatMap((field) => this.makers.get(`changed ${name}.${field}`) ?? []))
      : null;
  }

  /** The handlers after which steps run. */
  handlers(): HandlerContract[] {
    return this.r.plan.handlers
      .filter(({ answers, failing }) => answers.length + failing.length > 0)
      .map(({ name }) => ({ name, runBy: this.makers.get(`run ${name}`) ?? [] }));
  }

  private steps(kind: MakerContract['kind'], name: string, steps: readonly InsideStep[]): void {
    this.add(kind, name, this.factsIn(steps));
  }

  private add(kind: MakerContract['kind'], name: string, facts: ReadonlyArray<readonly [Fact, Lines]>): void {
    for (const [fact, of] of Map.groupBy(facts, ([fact]) => fact))
      addTo(this.makers, fact, { kind, name, lines: mergeLines(...of.map(([, lines]) => lines)) });
  }

  private factsIn(steps: readonly InsideStep[]): Array<readonly [Fact, Lines]> {
    return [...allNested(steps)].flatMap((step) => {
      const lines = this.r.lines(step.line);
      return [...this.named(step), ...this.writes(step).flatMap((one) => this.factsOf(one))].map(
        (fact) => [fact, lines] as const,
      );
    });
  }

  /** The transitions, the events and the handlers that a step names. */
  private named(step: InsideStep): Fact[] {
    return [
      ...transitionsOf(step).map((by): Fact => `transition ${resourceOf(step)}.${by}`),
      ...valuesOf(step, 'event').map((name): Fact => `emitted ${name}`),
      ...valuesOf(step, 'handler').map((name): Fact => `run ${name}`),
    ];
  }

  /** The writes of a step to its own rows. Of a move, the transition itself writes the state. */
  private writes(step: InsideStep): Write[] {
    const name = resourceOf(step);
    if (name === null) return [];
    const resource = this.r.resource(name);
    switch (effectOf(step)) {
      case 'creates':
        return [createdRow(resource)];
      case 'changes':
        return [changedRow(resource, assignedBy(step))];
      case 'moves':
        return [{ ...removedRow(resource), kind: 'changed', fields: new Set(assignedBy(step)) }];
      case 'removes':
        return [removedRow(resource)];
      default:
        return [];
    }
  }

  /** A write, and the writes to rows of others that follow from it: removals and cleared references. */
  private factsOf(write: Write, met = new Set<string>()): WriteFact[] {
    const resource = this.r.resource(write.resource);
    const { name, takes, clears } = resource;
    if (write.kind === 'created') return [`created ${name}`];
    if (write.kind === 'changed') return [...write.fields].map((field): WriteFact => `changed ${name}.${field}`);
    if (met.has(name)) return [];
    met.add(name);
    return [
      `removed ${name}`,
      ...takes.flatMap((one) => this.factsOf(removedRow(this.r.resource(one.resource)), met)),
      ...clears.flatMap((one) => this.factsOf(changedRow(this.r.resource(one.resource), [one.field]), met)),
    ];
  }

  /** The writes for which the document lets the operator give values. */
  private given(resource: ResourcePlan): Array<readonly [Fact, Lines]> {
    const { name, columns, identity } = resource;
    const given = columns.filter(({ from }) => from.operator).map((column) => column.name);
    const fieldsOf = (fields: readonly string[]): Lines =>
      this.r.lines(...fields.map((field) => statementId.field(name, field)));
    const made = whyNotAdded(resource) === null ? this.factsOf(createdRow(resource)) : [];
    return [
      ...made.map((fact) => [fact, fieldsOf(given)] as const),
      ...given.flatMap((field) => {
        // The identity of a row never changes.
        const changed = field === identity ? [] : this.factsOf(changedRow(resource, [field]));
        return changed.map((fact) => [fact, fieldsOf([field])] as const);
      }),
    ];
  }
}

/** Each maker once, with the lines of all. */
const joined = (makers: readonly MakerContract[]): MakerContract[] =>
  [...Map.groupBy(makers, ({ kind, name }) => `${kind} ${name}`).values()].flatMap(([first, ...others]) =>
    first ? [{ ...first, lines: mergeLines(first.lines, ...others.map(({ lines }) => lines)) }] : [],
  );
