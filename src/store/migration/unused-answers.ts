import { named } from '../../plan/named.ts';
import { nearest } from '../../text/suggest.ts';
import type { StoredShape } from '../shape.ts';
import type { Answers } from './answers.ts';
import { acceptedAs } from './change-kinds.ts';
import type { Change } from './changes.ts';

/**
 * Finds answers of the operator that have no effect, since a mistyped name would otherwise be ignored. An answer that
 * an earlier migration has used is accepted, unless this migration has a question that it could be meant for. `stored`
 * has the names of the new document.
 */
export function unusedAnswers(
  stored: StoredShape,
  next: StoredShape,
  changes: readonly Change[],
  answers: Answers,
): string[] {
  return [...unusedAcceptances(stored, changes, answers), ...unusedReplacements(stored, next, answers)];
}

function unusedAcceptances(stored: StoredShape, changes: readonly Change[], { accepted }: Answers): string[] {
  const losing = changes.flatMap((change) => acceptedAs(change) ?? []);
  const open = losing.filter((name) => !accepted.has(name));
  return [...accepted].flatMap((name) => {
    if (losing.includes(name)) return [];
    const [resource, field] = name.replace(/^drop /, '').split('.');
    const there = stored.resources.find((one) => one.name === resource);
    if (there && (field === undefined || there.columns.some((column) => column.name === field)))
      return `--accept “${name}”: the document keeps ${name.replace(/^drop /, '')}, so nothing of it is lost. Remove the option.`;
    if (open.length === 0) return [];
    const meant = nearest(name, open);
    return `--accept “${name}”: this migration has no such change. ${meant ? `Did you mean “${meant}”?` : `Changes that lose values: ${open.join(', ')}.`}`;
  });
}

function unusedReplacements(stored: StoredShape, next: StoredShape, { replaced }: Answers): string[] {
  return [...replaced].flatMap(([path, values]) => {
    const [resource = '', field = ''] = path.split('.');
    const before = stored.resources.find((one) => one.name === resource)?.columns.find((one) => one.name === field);
    const known = before?.rule.oneOf ?? [];
    const kept = named(named(next.resources, resource).columns, field).rule.oneOf ?? [];
    const open = known.filter((value) => !kept.includes(value) && !values.has(value));
    if (open.length === 0) return [];
    return [...values.keys()].flatMap((value) => {
      if (known.includes(value)) return [];
      const meant = nearest(value, open);
      return `--replace: the stored rows have no value “${value}” of ${path}. ${meant ? `Did you mean “${meant}”?` : `Removed values: ${open.join(', ')}.`}`;
    });
  });
}
