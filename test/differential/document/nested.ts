import { type Draft, type Field, type Resource, type Typed, transitionsOf } from './draft.ts';
import { Expressions, membersOf, type Named } from './expressions.ts';
import { constant } from './fields.ts';
import { orderOf } from './orders.ts';

/** The names that steps may use. */
interface Known {
  readonly names: readonly Named[];
  readonly sent: readonly string[];
}

const deeper = (steps: readonly string[]): string[] => steps.map((step) => `   ${step}`);

/** Makes up steps that hold others, and what follows from moves. */
export class Nested {
  private readonly draft: Draft;

  constructor(draft: Draft) {
    this.draft = draft;
  }

  private get random() {
    return this.draft.random;
  }

  private tests(known: Known, caller: boolean): Expressions {
    return new Expressions(this.draft, { kind: 'step', ...known, sighted: true, caller });
  }

  /** Steps that are taken now and then, or over and over. */
  steps(known: Known, caller: boolean): string[] {
    const { random, draft } = this;
    const lists = known.names.filter(
      ({ typed }) => typed.kind === 'list' && !typed.nullable && typed.of!.kind === 'string',
    );
    if (lists.length && random.chance(0.4)) {
      const item = draft.name('item');
      const inside = {
        ...known,
        names: [...known.names, { text: item, typed: { kind: 'string', nullable: false } as Typed }],
      };
      return [`For each \`${item}\` in \`${random.pick(lists).text}\`:`, ...deeper([this.require(inside, caller)])];
    }
    if (random.chance(0.5)) {
      const steps = [`If \`${this.tests(known, caller).test(1)}\`:`, ...deeper(this.inner(known, caller))];
      return random.chance(0.4) ? [...steps, 'Otherwise:', ...deeper(this.inner(known, caller))] : steps;
    }
    return this.inner(known, caller);
  }

  private inner(known: Known, caller: boolean): string[] {
    const changed = this.random.chance(0.6) ? this.changeEach(null) : null;
    return changed ?? [this.require(known, caller)];
  }

  private require(known: Known, caller: boolean): string {
    return `Require \`${this.tests(known, caller).either()}\`, else ${this.draft.code('step', 'refused')}.`;
  }

  /** Changes each of some rows: all that a condition selects, or those that point at a row that has moved. */
  private changeEach(moved: Resource | null): string[] | null {
    const { random, draft } = this;
    const points = (one: Resource): Field[] =>
      one.fields.filter((field) => moved && field.typed.kind === 'row' && field.typed.resource === moved.name);
    const fit = draft.resources.flatMap((one) => {
      const how = !moved || points(one).length ? changes(draft, one) : null;
      return how === null ? [] : [{ resource: one, how }];
    });
    if (fit.length === 0) return null;
    const { resource, how } = random.pick(fit);
    const row = draft.name('each');
    const place = {
      kind: 'rows',
      names: membersOf(draft, '', resource.name),
      sent: [],
      sighted: !moved,
      caller: false,
    } as const;
    const where = moved ? `${random.pick(points(resource)).name} == moved` : new Expressions(draft, place).test(1);
    const order = orderOf(random, resource, where);
    const change = `Change \`${row}\`${how}.`;
    return [`For each \`${row}\`: ${resource.name} where \`${where}\`, ${order}:`, ...deeper([change])];
  }

  /** Lets steps follow from some of a resource’s moves. */
  reactions(resource: Resource): void {
    for (const transition of transitionsOf(resource)) {
      if (!this.random.chance(0.3)) continue;
      const own = changes(this.draft, resource);
      const others = this.changeEach(resource);
      const steps = [
        ...(others ?? []),
        ...(own !== null && this.random.chance(0.5) ? [`Change \`moved\`${own}.`] : []),
      ];
      const machine = resource.machines.find(({ transitions }) => transitions.includes(transition));
      if (steps.length) machine!.reactions.set(transition.name, steps);
    }
  }

  /** A row found by an order, or none. */
  find(resource: Resource, name: string): string {
    const { random, draft } = this;
    const place = {
      kind: 'rows',
      names: membersOf(draft, '', resource.name),
      sent: [],
      sighted: true,
      caller: false,
    } as const;
    const where = new Expressions(draft, place).either();
    return `Find \`${name}\`: ${resource.name} where \`${where}\`, ${orderOf(random, resource, where)}, or none.`;
  }
}

/** What a Change of a row may say after its name; null where it would say nothing. */
function changes(draft: Draft, resource: Resource): string | null {
  const assigned = resource.fields.flatMap((field) => {
    const value = field.given.includes('steps') ? constant(draft, field) : null;
    return value === null || value === 'uuid()' ? [] : [`${field.name} \`${value}\``];
  });
  if (assigned.length) return ` with ${draft.random.pick(assigned)}`;
  return resource.fields.some((field) => field.given.some((one) => one.startsWith('on change'))) ? '' : null;
}

/** A resource whose rows tie two others together, with endpoints that tie and untie. */
export function makeTie(draft: Draft): { one: Resource; two: Resource; tie: Resource } {
  const { random } = draft;
  const [one, two] = [random.pick(draft.resources), random.pick(draft.resources)];
  const reference = (name: string, to: Resource): Field => ({
    name,
    typed: { kind: 'row', nullable: false, resource: to.name },
    type: to.name,
    format: 'none',
    allowed: 'any',
    given: ['steps'],
    unique: 'no',
  });
  const typed: Typed = { kind: 'integer', nullable: false };
  const common = { format: 'none', allowed: 'any', unique: 'no' };
  const id: Field = { ...common, name: 'id', typed, type: 'integer', given: ['sequence'], unique: 'identity' };
  const fields = [id, reference('left', one), reference('right', two)];
  if (random.chance(0.5))
    fields.push({
      ...common,
      name: 'made',
      typed: { kind: 'timestamp', nullable: false },
      type: 'timestamp',
      given: ['on create `now()`'],
    });
  const tie: Resource = {
    name: 'Tie',
    path: '/ties',
    fields,
    identity: id,
    machines: [],
    visible: 'everyone',
    hides: false,
    derived: [],
    views: [],
    bullets: [
      `Unique: left and right, else ${draft.code('rule', 'tied')}`,
      random.chance(0.7) ? 'Removed with: left, right' : `Keeps: left, right, else ${draft.code('rule', 'kept')}`,
      `Shown: id, left as ${one.identity.name}, right as ${two.identity.name}`,
    ],
    shown: ['id', 'left', 'right'],
    created: false,
  };
  draft.resources.push(tie);
  if (random.chance(0.6)) {
    const name = draft.name('tied');
    const rows = `Tie.filter(${name}x, ${name}x.left == this)`;
    const many: Typed = { kind: 'list', nullable: false, of: { kind: 'row', nullable: false, resource: two.name } };
    one.derived.push({
      name,
      typed: many,
      type: `list of ${two.name}`,
      text: `${rows}.map(${name}x, ${name}x.right)`,
      asks: false,
    });
    one.tied = { field: name, as: two.identity.name };
  }
  return { one, two, tie };
}
