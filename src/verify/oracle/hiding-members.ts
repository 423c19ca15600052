import { type Expr, some } from '../../expression/tree/expression.ts';
import { loweringOf } from '../../plan/lowering.ts';
import { named } from '../../plan/named.ts';
import type { Plan } from '../../plan/step.ts';

/** The fields of a view whose values depend on rows that not everyone may see: each reader is shown its own. */
export function hidingMembers(
  { resources }: Pick<Plan, 'resources'>,
  resource: string,
  view: string,
): ReadonlySet<string> {
  const of = (name: string) => named(resources, name);
  const isHidden = (part: Expr): boolean => part.op === 'query' && of(part.resource).visible !== null;
  const hides = (owner: string, name: string, within: readonly string[]): string[] =>
    named(of(owner).views, name).members.flatMap((member) => {
      if (some(loweringOf(of, 'caller').lower(member.value), isHidden)) return [member.field];
      const shown = member.view;
      if (!shown || within.includes(`${shown.resource} ${shown.name}`)) return [];
      const inner = hides(shown.resource, shown.name, [...within, `${shown.resource} ${shown.name}`]);
      return of(shown.resource).visible !== null || inner.length > 0 ? [member.field] : [];
    });
  return new Set(hides(resource, view, [`${resource} ${view}`]));
}

/** The resources of whose rows a view shows something that not everyone may see. */
export function hiddenRows({ resources }: Pick<Plan, 'resources'>, resource: string, view: string): Set<string> {
  const of = (name: string) => named(resources, name);
  const found = new Set<string>();
  const seen = new Set<string>();
  const add = (name: string): void => {
    if (of(name).visible !== null) found.add(name);
  };
  const collect = (owner: string, name: string): void => {
    if (seen.has(`${owner} ${name}`)) return;
    seen.add(`${owner} ${name}`);
    for (const member of named(of(owner).views, name).members) {
      some(loweringOf(of, 'caller').lower(member.value), (part) => {
        if (part.op === 'query') add(part.resource);
        return false;
      });
      if (!member.view) continue;
      add(member.view.resource);
      collect(member.view.resource, member.view.name);
    }
  };
  collect(resource, view);
  return found;
}
