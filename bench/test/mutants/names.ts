import type { Compiled } from '../../../src/compiler/compile.ts';
import { transitionsIn } from '../../../src/plan/machines.ts';
import type { Plan } from '../../../src/plan/step.ts';
import { type Choice, each, edit } from './edit.ts';
import type { Place } from './places.ts';

/** The names of a document of one kind: any of them may stand where another does, as far as the compiler takes it. */
type Names = ReadonlyArray<readonly string[]>;

export function namesOf(plan: Plan): Names {
  const { resources, endpoints, errors, schemes } = plan;
  const views = resources.flatMap(({ views }) => views.map(({ name }) => name));
  const transitions = resources.map(({ machines }) => transitionsIn(machines));
  const fields = resources.map(({ columns, derived }) => [...columns, ...derived].map(({ name }) => name));
  return [
    Object.keys({ ...errors.codes, ...errors.conditions }),
    Object.keys(errors.codes),
    ...fields,
    ...transitions.map((of) => [...new Set(of.flatMap(({ from, to }) => [...from, to]))]),
    ...transitions.map((of) => of.map(({ name }) => name)),
    ['created', 'removed'],
    resources.map(({ name }) => name),
    views,
    [...new Set(schemes.flatMap(({ scopes }) => scopes))],
    ...endpoints.map(({ before }) =>
      before.flatMap((step) =>
        step.do === 'read parameters' ? [...step.path, ...step.query, ...step.header].map(({ name }) => name) : [],
      ),
    ),
  ].filter((names) => names.length > 1);
}

/** Each name that a statement uses as another of its kind: the first that makes another document. */
export function otherNames(places: readonly Place[], compiled: Compiled, names: Names): Choice[] {
  const uses = compiled.marks.filter(({ role }) => role === 'use').sort((a, b) => a.from - b.from);
  const seen = new Set<number>();
  return uses.flatMap(({ from, to }) => {
    if (seen.has(from)) return [];
    seen.add(from);
    const place = places.find((one) => one.from <= from && to <= one.to);
    const name = compiled.lines.text.slice(from, to);
    if (!place) return [];
    return names.flatMap((all): Choice[] => {
      const at = all.indexOf(name);
      if (at < 0) return [];
      const others = [...all.slice(at + 1), ...all.slice(0, at)];
      return [{ most: 1, edits: others.map((other) => edit(place.kind, 'another name', from, to, other)) }];
    });
  });
}

/** What callers meet under a name: a declaration of these kinds is renamed, with every use of it. */
const MET =
  /: (?:Event|Code|Field|Scope|Parameter|Version|Payload|Allowed values|Current version|Answer|Request)$|Endpoints: heading$/;

/** Each declared name with a letter more, wherever it stands. */
export function renamed(places: readonly Place[], compiled: Compiled): Choice[] {
  const { marks, lines } = compiled;
  const textOf = ({ from, to }: { from: number; to: number }): string => lines.text.slice(from, to);
  const stands = new Set(
    marks.filter(({ role }) => role === 'declaration' || role === 'use').map(({ from, to }) => `${from} ${to}`),
  );
  const all = [...stands].map((at) => at.split(' ').map(Number)).map(([from = 0, to = 0]) => ({ from, to }));
  const declarations = marks.filter(({ role }) => role === 'declaration').sort((a, b) => a.from - b.from);
  const done = new Set<string>();
  return declarations.flatMap((mark) => {
    const name = textOf(mark);
    const place = places.find((one) => one.from <= mark.from && mark.to <= one.to);
    // Nobody sees what a parameter of a path is called, and what the operator enters is entered by its name.
    const hidden = place?.row.In === 'path' || place?.row['Given by'] === 'operator';
    if (!place || !MET.test(place.kind) || hidden || done.has(name)) return [];
    done.add(name);
    const own = { from: mark.from, to: mark.to };
    const others = all.filter((one) => textOf(one) === name && one.from !== own.from);
    const stretches = [own, ...others].map(({ from, to }) => ({ from, to, by: `${name}x` }));
    return each([{ kind: place.kind, how: 'renamed', stretches }]);
  });
}
