import type { Resolved } from '../../model/resolve.ts';
import { stepsEverywhere } from '../endpoints/everywhere.ts';
import { ensured, requestedBy, type Write, writesOf } from '../endpoints/written.ts';
import type { Giving, Resource } from './model.ts';

/** What a verb does to rows: an Ensure may create, and a Remove every removes. */
const DOES: Readonly<Record<Write['verb'], 'Create' | 'Change' | 'Move' | 'Remove'>> = {
  Create: 'Create',
  Ensure: 'Create',
  Change: 'Change',
  Move: 'Move',
  Remove: 'Remove',
  'Remove every': 'Remove',
};

/** True if the steps of an endpoint do one of `verbs` to rows of the resource: then a request can break its rules. */
export function doneByRequests(
  r: Resolved,
  resource: string,
  verbs: ReadonlyArray<(typeof DOES)[Write['verb']]>,
): boolean {
  return written(r, resource).some(({ step }) => verbs.includes(DOES[step.verb]));
}

/**
 * True if a request can make two rows have the same values of `fields`: then the refusal needs a code. What an Ensure
 * looks for is exact, so that it may come upon a row that is the same only ignoring case.
 */
export function sharedByRequests(r: Resolved, resource: Resource, fields: readonly string[], exact: boolean): boolean {
  const writes = written(r, resource.name.text);
  return writes.some(({ step, ensures, gives }) => {
    if (step.verb === 'Create' || step.verb === 'Ensure') return !exact || !ensures.includes(fields.join(' '));
    return gives.some((field) => fields.includes(field));
  });
}

/** A step that writes rows of a resource, with the fields that it gives and the unique keys that it ensures. */
interface Written {
  readonly step: Write;
  readonly gives: readonly string[];
  readonly ensures: readonly string[];
}

const written = (r: Resolved, resource: string): readonly Written[] => r.once(writtenAnywhere).get(resource) ?? [];

/** What the steps of all endpoints do to the rows of each resource. */
function writtenAnywhere(r: Resolved): Map<string, Written[]> {
  const out = new Map<string, Written[]>();
  const resources = new Map(r.model.resources.list.map((one) => [one.name.text, one]));
  for (const { one, rows } of r.once(stepsEverywhere))
    for (const { step, resource: name } of writesOf(one.steps, new Map(rows))) {
      const resource = resources.get(name ?? '');
      if (!resource) continue;
      const keys = step.verb === 'Ensure' ? ensured(step, resource, one) : [];
      const given = 'with' in step ? [...requestedBy(step, one), ...step.with.map((each) => each.field.text)] : [];
      const gives = [...given, ...givenAt(resource, step)];
      const list = out.get(resource.name.text) ?? [];
      out.set(resource.name.text, list);
      list.push({ step, gives, ensures: keys.map((key) => key.join(' ')) });
    }
  return out;
}

/** The fields that are given a value of themselves when a row is changed or moved. */
function givenAt(resource: Resource, step: Write): string[] {
  if (step.verb !== 'Move' && step.verb !== 'Change') return [];
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
