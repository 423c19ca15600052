import { renamedPlan } from '../../src/diff/renamed.ts';
import { mapData } from '../../src/plan/map-data.ts';
import type { Plan } from '../../src/plan/step.ts';
import { parametersOf } from '../../src/verify/blame/refusing.ts';

/** A plan whose fields that no request holds and no answer shows are called by their places. */
export function withoutUnmetFields(plan: Plan): Plan {
  const parameters = plan.endpoints.flatMap((one) => parametersOf(one).flatMap(([, { field }]) => field ?? []));
  const met = new Set([...fieldsOfBodies(plan), ...parameters]);
  const older = (plan.versions?.older ?? []).flatMap(({ names }) => Object.keys(names));
  const webhook = JSON.stringify(plan.webhook) + JSON.stringify(plan.handlers);
  const fields = plan.resources.flatMap(({ name, columns, identity, views, machines }) =>
    columns.flatMap((column, i): Array<[string, string]> => {
      const path = `${name}.${column.name}`;
      const isShown = views.some(({ members }) => members.some(({ field }) => field === column.name));
      const isNamed = met.has(path) || older.includes(path) || webhook.includes(`"${column.name}"`);
      const isKnown =
        isShown || isNamed || column.name === identity || machines.some(({ field }) => field === column.name);
      return isKnown || column.from.operator ? [] : [[path, `#${i}`]];
    }),
  );
  return renamedPlan(plan, { fields: new Map(fields), resources: new Map(), codes: new Map() });
}

/** The fields, each as `Order.note`, that bodies hold. */
export const fieldsOfBodies = ({ endpoints }: Plan): string[] =>
  endpoints.flatMap(({ before }) =>
    before.flatMap((step) =>
      step.do === 'validate body' && step.payload
        ? step.payload.fields.map((field) => `${step.payload?.resource}.${field}`)
        : [],
    ),
  );

/** A plan in whose expressions what a macro calls the items of its list goes by how deep it stands. */
export const withoutLocalNames = (plan: Plan): Plan =>
  mapData(plan, (was, copy) => {
    if (was.op !== 'each' || typeof was.name !== 'string') return;
    const [from, to] = [was.name, `item${depthOf(copy.body)}`];
    copy.name = to;
    copy.body = mapData(copy.body, (inner, other) => {
      if (inner.op === 'name' && inner.name === from) other.name = to;
    });
  });

/** How many macros stand within one another in an expression. */
function depthOf(part: unknown): number {
  if (Array.isArray(part)) return Math.max(0, ...part.map(depthOf));
  if (typeof part !== 'object' || part === null) return 0;
  const own = 'op' in part && part.op === 'each' ? 1 : 0;
  return own + Math.max(0, ...Object.values(part).map(depthOf));
}
