import type { Giving } from '../../language/resources.ts';
import { allSteps } from '../document/all-steps.ts';
import { removalEffects } from '../document/removal-effects.ts';
import type { Resolved } from '../document/resolve.ts';
import { ensuredRules, requestedBy, ruleText, writesOf } from '../document/writes.ts';
import type { RowWrite, Step } from '../statements/endpoints.ts';
import type { Resource, UniqueRule } from '../statements/resources.ts';

type WriteKind = RowWrite['does'];

/**
 * Whether the steps of an endpoint do one of `verbs` to rows of the resource, so that a request can break its rules.
 * Rows that are removed with others count as removed, and rows that lose a reference count as changed.
 */
export function isWritten(r: Resolved, resource: string, verbs: readonly WriteKind[]): boolean {
  return written(r, resource).some(({ does }) => verbs.includes(does));
}

/**
 * Whether a request can make two rows break the rule, by its fields or by its condition, which reads the fields `read`:
 * then the refusal needs a code. An Ensure that looks rows up exactly may meet a row that is the same only ignoring
 * case.
 */
export function canCollide(r: Resolved, resource: Resource, rule: UniqueRule, read: Iterable<string>): boolean {
  const concerned = new Set([...rule.fields, ...read]);
  return written(r, resource.name.text).some(({ does, ensures, gives }) => {
    if (does === 'Create') return !ensures.includes(ruleText(rule, true));
    return gives.some((field) => concerned.has(field));
  });
}

/** One write to rows of a resource, with the fields that are given and the names of the unique rules that are ensured. */
interface Written {
  readonly does: WriteKind;
  readonly gives: readonly string[];
  readonly ensures: readonly string[];
}

const written = (r: Resolved, resource: string): readonly Written[] => r.once(allWrites).get(resource) ?? [];

/** The writes of all endpoints to the rows of each resource. */
function allWrites(r: Resolved): Map<string, Written[]> {
  const out = new Map<string, Written[]>();
  const resources = new Map(r.model.resources.list.map((one) => [one.name.text, one]));
  const add = (
    resource: string,
    does: WriteKind,
    gives: Iterable<string> = [],
    ensures: readonly string[] = [],
  ): void => {
    const list = out.get(resource) ?? [];
    out.set(resource, list);
    list.push({ does, gives: [...gives], ensures });
  };
  for (const { one, rows } of r.once(allSteps))
    for (const { step, does, resource: name } of writesOf(one.steps, new Map(rows))) {
      const resource = resources.get(name ?? '');
      if (!resource) continue;
      const ensures =
        step.verb === 'Ensure'
          ? ensuredRules(step, resource, one).map((rule) => ruleText(rule, step.ignoringCase.value))
          : [];
      const assigned = 'with' in step ? [...requestedBy(step, one), ...step.with.map((each) => each.field.text)] : [];
      const gives = [...assigned, ...givenAt(resource, step)];
      add(resource.name.text, does, gives, ensures);
      if (does !== 'Remove') continue;
      const { removed, cleared } = removalEffects(r, resource.name.text);
      for (const other of removed) if (other !== resource.name.text) add(other, 'Remove');
      for (const [name, fields] of cleared) {
        const other = resources.get(name);
        if (other) add(name, 'Change', [...fields, ...givenAt(other, { verb: 'Change' })]);
      }
    }
  return out;
}

/** The fields whose source gives them a value when a row is changed or moved. */
function givenAt(resource: Resource, step: Step | { readonly verb: 'Change' }): string[] {
  if (step.verb !== 'Move' && step.verb !== 'Change' && step.verb !== 'Issue') return [];
  const by = step.verb === 'Move' ? (step.by?.text ?? null) : 'change';
  const at = (giving: Giving): boolean => {
    if (giving.from === 'transitions') return step.verb === 'Move';
    return (
      giving.from === 'moment' &&
      giving.moment.text !== 'create' &&
      (by === null || ['change', by].includes(giving.moment.text))
    );
  };
  return resource.fields.filter((field) => field.givenBy?.value.some(at)).map((field) => field.name.text);
}
