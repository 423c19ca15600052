import type { EndpointContract } from '../../contract/endpoint.ts';
import { explainPlan } from '../../explain/explain.ts';
import type { Plan } from '../../plan/step.ts';
import { ownMember } from '../../text/own-member.ts';
import { type ConsoleService, engineOf, planOf, statingOf, withoutTrees } from '../console-service.ts';
import { ConsoleError } from '../problem.ts';
import type { EndpointAnswer, EndpointSummary, EndpointsAnswer, PlanLine } from '../protocol.ts';
import type { Route } from '../route.ts';
import { sampleOf } from '../sample.ts';

/** Routes about endpoints. */
export function endpointViews(served: ConsoleService): Route[] {
  return [
    { method: 'GET', path: '/endpoints', answer: (): EndpointsAnswer => ({ endpoints: summaries(served) }) },
    { method: 'GET', path: '/endpoints/:name', answer: ({ names: [name = ''] }) => endpointAnswer(served, name) },
  ];
}

/** All endpoints, in the order of the document, including unsettled ones. */
function summaries(served: ConsoleService): EndpointSummary[] {
  const plan = planOf(served);
  const planned = new Map(plan.endpoints.map((one) => [one.name, one]));
  return served.document().endpoints.map(({ endpoint: name, line }): EndpointSummary => {
    const one = planned.get(name);
    const [method = '', path = ''] = name.split(' ');
    return {
      name,
      method: one?.method ?? method,
      path: one?.path ?? path,
      access: one ? (one.access ?? 'anyone') : null,
      writes: one?.writes ?? false,
      settled: one !== undefined,
      line,
    };
  });
}

async function endpointAnswer(served: ConsoleService, name: string): Promise<EndpointAnswer> {
  const { contract } = statingOf(served);
  const version = contract.versions[0];
  const endpoint = version?.endpoints.find((one) => one.name === name);
  if (!version || !endpoint) throw new ConsoleError('not found', `The document has no settled endpoint “${name}”.`);
  const { payload } = contract.errors;
  const used = shapesIn(endpoint, new Map(version.shapes.map((shape) => [shape.name, shape])));
  return withoutTrees({
    endpoint,
    shapes: version.shapes.filter((shape) => used.has(shape.name)),
    errors: payload && { plain: payload.type, withFaults: payload.withFaults },
    plan: planLines(planOf(served), name),
    sample: await sampleOf(engineOf(served), contract, endpoint),
  });
}

/** The shapes that an endpoint refers to, directly or through other shapes. */
function shapesIn(endpoint: EndpointContract, shapes: ReadonlyMap<string, object>): ReadonlySet<string> {
  const used = new Set<string>();
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { kind, name } = value as { readonly kind?: unknown; readonly name?: unknown };
    if (kind === 'shape' && typeof name === 'string' && !used.has(name)) {
      used.add(name);
      walk(shapes.get(name));
    }
    for (const [key, part] of Object.entries(value)) if (key !== 'tree') walk(part);
  };
  walk(endpoint);
  return used;
}

const PHASES = { before: 'before', inside: 'inside', after: 'after' } as const;

/** The steps of an endpoint as `ninefold plan` prints them. */
function planLines(plan: Plan, name: string): PlanLine[] {
  const one = plan.endpoints.find((endpoint) => endpoint.name === name);
  if (!one) return [];
  let phase: PlanLine['phase'] = 'before';
  const lines: PlanLine[] = [];
  for (const text of explainPlan(plan, one).split('\n').slice(1)) {
    const heading = ownMember(PHASES, /^ (\w+): /.exec(text)?.[1] ?? '');
    if (heading) {
      phase = heading;
      continue;
    }
    const line = /\s+\(line (\d+)\)$/.exec(text);
    lines.push({ phase, text: text.slice(0, line?.index).replace(/^ {2,4}/, ''), line: line ? Number(line[1]) : null });
  }
  return lines;
}
