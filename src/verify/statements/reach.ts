import { isDraw, some } from '../../expression/tree/expression.ts';
import { answersOf, shownIn } from '../../plan/answered.ts';
import { sightOfCallers } from '../../plan/caller-condition.ts';
import type { SchemePlan } from '../../plan/callers.ts';
import { bytesOfColumn } from '../../plan/files.ts';
import type { KeyPlan } from '../../plan/inside-step.ts';
import { transitionsIn } from '../../plan/machines.ts';
import { JSON_TYPE } from '../../plan/media-types.ts';
import { allNested } from '../../plan/nested-steps.ts';
import type { ResourcePlan, UniquePlan } from '../../plan/rows.ts';
import { assignedBy, effectOf, makesTransition, resourceOf, valuesOf } from '../../plan/slots.ts';
import type { BodyPlan, EndpointPlan, InsideStep, Plan } from '../../plan/step.ts';
import type { Effect } from '../../plan/step-kinds.ts';
import type { ValueRule } from '../../plan/value-forms.ts';
import type { SetupMember } from './statement.ts';

/** How requests hold a field. */
interface FieldInRequests {
  /** Some body must contain it, unless it may be absent or has a default. */
  readonly whole: boolean;
  /** Some body changes it alone, by a merge patch. */
  readonly patch: boolean;
  /** Some body that holds it is JSON: in a form, every value is a text. */
  readonly json: boolean;
}

/** The parts of a plan that callers can reach: fields in requests and answers, and rows that endpoints change. */
export class Reach {
  private readonly plan: Plan;
  private readonly requested = new Map<string, { -readonly [K in keyof FieldInRequests]: boolean }>();
  private readonly shown = new Set<string>();
  private readonly views = new Set<string>();
  /** Every step that a request can lead to, also by a transition that it makes. */
  readonly steps: readonly InsideStep[];

  constructor(plan: Plan) {
    this.plan = plan;
    const then = plan.resources.flatMap((one) => transitionsIn(one.machines).flatMap((each) => each.then));
    const handled = plan.handlers.flatMap((one) => [...one.answers, ...one.failing]);
    const inside = plan.endpoints.flatMap((one) => one.inside);
    this.steps = [...allNested([...inside, ...then, ...handled])];
    for (const endpoint of plan.endpoints) this.endpoint(endpoint);
    for (const resource of plan.resources) for (const event of resource.events) this.view(resource.name, event.view);
  }

  private endpoint(endpoint: EndpointPlan): void {
    const { before } = endpoint;
    const body = before.find((step) => step.do === 'validate body');
    const payload = body?.payload;
    const isJson = before.some((step) => step.do === 'read body' && step.mediaTypes.includes(JSON_TYPE));
    // No request writes the members of a field of bytes: the statements about the request are tried instead.
    const files = body?.parts?.files ?? [];
    const fields = payload?.fields.filter((field) => bytesOfColumn(files, field) === null) ?? [];
    for (const field of payload?.bytes ? [] : fields) {
      const key = `${payload?.resource}.${field}`;
      const known = this.requested.get(key) ?? { whole: false, patch: false, json: false };
      if (isJson) known.json = true;
      if (payload?.optional) known.patch = true;
      else known.whole = true;
      this.requested.set(key, known);
    }
    for (const answer of answersOf(endpoint))
      for (const view of viewsOf(answer.body)) this.view(view.resource, view.name);
  }

  private view(resource: string, name: string): void {
    const key = `${resource}/${name}`;
    if (this.views.has(key)) return;
    this.views.add(key);
    const plan = this.plan.resources.find((one) => one.name === resource);
    for (const member of plan?.views.find((one) => one.name === name)?.members ?? []) {
      this.shown.add(`${resource}.${member.field}`);
      if (member.view) this.view(member.view.resource, member.view.name);
    }
  }

  /** Whether answers or events show rows in this form. */
  shows(resource: string, view: string): boolean {
    return this.views.has(`${resource}/${view}`);
  }

  showsField(resource: string, field: string): boolean {
    return this.shown.has(`${resource}.${field}`);
  }

  /** Whether a field has random values from the service that only the operator sees. */
  isUnseen(resource: string, field: string): boolean {
    if (this.showsField(resource, field)) return false;
    const givings = this.plan.resources.find(({ name }) => name === resource)?.givings ?? [];
    return givings.some((one) => one.field === field && some(one.value, isDraw));
  }

  /** The rule for the values of a stored field. */
  ruleOf(resource: string, field: string): ValueRule | null {
    const plan = this.plan.resources.find((one) => one.name === resource);
    return plan?.columns.find((one) => one.name === field)?.rule ?? null;
  }

  /** How requests hold a field; null where none does. */
  inRequests(resource: string, field: string): FieldInRequests | null {
    return this.requested.get(`${resource}.${field}`) ?? null;
  }

  /** Whether a step creates rows of a resource. */
  creates(resource: string): boolean {
    const audited = this.plan.resources.find(({ name }) => name === resource)?.entriesOf;
    // Entries of an audit are created by the changes that they record.
    if (audited !== undefined) return this.hasStep(audited, ['creates', 'changes', 'moves', 'removes']);
    return this.hasStep(resource, ['creates']);
  }

  /** Whether a step creates or changes rows of a resource. */
  writes(resource: string): boolean {
    return this.creates(resource) || this.hasStep(resource, ['changes', 'moves']);
  }

  private hasStep(resource: string, effects: readonly Effect[]): boolean {
    return this.steps.some((step) => resourceOf(step) === resource && effects.includes(effectOf(step)));
  }

  /** Whether a step changes one of some fields of a row. */
  changes(resource: string, fields: readonly string[]): boolean {
    return this.steps.some(
      (step) =>
        resourceOf(step) === resource &&
        effectOf(step) === 'changes' &&
        assignedBy(step).some((field) => fields.includes(field)),
    );
  }

  /** Whether a step gives a field a value of its own. */
  assigns(resource: string, field: string): boolean {
    return this.steps.some(
      (step) =>
        resourceOf(step) === resource &&
        valuesOf(step, 'values').some((values) => values.some((one) => one.field === field)),
    );
  }

  /** Whether a step, or the removal of another row, removes rows of a resource. */
  removes(resource: string, seen: ReadonlySet<string> = new Set()): boolean {
    if (seen.has(resource)) return false;
    if (this.hasStep(resource, ['removes'])) return true;
    const takers = this.plan.resources.filter((one) => one.takes.some((rule) => rule.resource === resource));
    return takers.some((one) => this.removes(one.name, new Set([...seen, resource])));
  }

  /** Whether a step makes a transition itself, so that it can be refused. */
  moves(resource: string, transition: string): boolean {
    return this.steps.some((step) => makesTransition(step, resource, transition));
  }

  /**
   * Whether requests can create a second row with the values of a unique key: not where the service numbers the rows,
   * and not where every step that writes such a row uses the existing one.
   */
  clashes({ name, columns }: ResourcePlan, { fields, condition }: UniquePlan): boolean {
    if (columns.some((one) => one.sequence !== null && fields.includes(one.name))) return false;
    const isEnsured = (key: KeyPlan): boolean =>
      key.fields.every((field) => fields.includes(field)) && (key.while === null || condition !== null);
    return this.steps.some((step) => {
      if (resourceOf(step) !== name) return false;
      const effect = effectOf(step);
      if (effect === 'moves') return condition !== null;
      if (effect === 'changes') return assignedBy(step).some((field) => fields.includes(field));
      const keys = valuesOf(step, 'keys').flat();
      return effect === 'creates' && !keys.some(isEnsured);
    });
  }

  /** Whether an empty text in a request is read as null. */
  get emptyIsNull(): boolean {
    return this.plan.wire.emptyText === 'null';
  }

  /** The setup members that are needed for rows of a resource: `row`, where no endpoint creates them. */
  rowSetup(resource: string): readonly SetupMember[] {
    return this.creates(resource) ? [] : ['row'];
  }

  /** The schemes by which not every row of a resource can call. */
  conditionalSchemes(resource: string): readonly SchemePlan[] {
    const { schemes, resources } = this.plan;
    return schemes.filter((one) => one.resource === resource && sightOfCallers(resources, one) !== null);
  }

  /** Whether no two rows have the same value in a field. */
  isUnique(resource: string, field: string): boolean {
    const plan = this.plan.resources.find((one) => one.name === resource);
    const isAlone = ({ fields, condition }: UniquePlan): boolean =>
      fields.length === 1 && fields[0] === field && condition === null;
    const sequence = plan?.columns.find((one) => one.name === field)?.sequence;
    return plan?.identity === field || sequence?.per === null || (plan?.uniques.some(isAlone) ?? false);
  }

  /** The setup members that are needed for a caller whom an endpoint accepts. */
  callerSetup({ before }: EndpointPlan): readonly SetupMember[] {
    const authenticate = before.find((step) => step.do === 'authenticate');
    if (!authenticate || authenticate.optional) return [];
    const schemes = this.plan.schemes.filter((one) => authenticate.schemes.includes(one.name));
    // Credentials that an endpoint issues need no setup.
    return schemes.some((one) => setupOf(one).length === 0) ? [] : ['caller'];
  }
}

/** The setup members that credentials of a scheme need: steps issue them, or rows have them. */
export const setupOf = ({ issuedBy, basic }: Pick<SchemePlan, 'issuedBy' | 'basic'>): readonly SetupMember[] =>
  basic || issuedBy.includes('steps') ? [] : ['caller'];

type View = { readonly resource: string; readonly name: string };

const viewsOf = (body: BodyPlan | null): readonly View[] =>
  body?.kind === 'page' ? [body.view] : shownIn(body).flatMap(({ view }) => (view ? [view] : []));
