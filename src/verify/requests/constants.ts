import type { Contract } from '../../contract/contract.ts';
import type { EndpointContract } from '../../contract/endpoint.ts';
import { allNested, isWriting } from '../../plan/nested-steps.ts';
import { resourceOf } from '../../plan/slots.ts';
import type { InsideStep, Plan } from '../../plan/step.ts';

/**
 * A value that an expression of the document names: numbers are of last digits or milliseconds. `months`: a number of
 * months by the calendar.
 */
export interface Constant {
  readonly kind: string;
  readonly value: string | number | boolean;
}

/**
 * The constants of the rules of a document, of `Hears of`, of the steps of one endpoint, and of the steps of other
 * endpoints about rows of a resource that this endpoint writes.
 */
export function constantsOf(contract: Contract, endpoint: EndpointContract, plan: Plan | null): Constant[] {
  const { resources } = contract;
  const steps = plan ? stepsAbout(plan, endpoint.name) : [];
  return constantsIn([resources, endpoint.parameters, endpoint.body, steps, plan?.webhook?.receivers?.hears]);
}

/** The steps of an endpoint, and those of other endpoints about rows of a resource that it writes. */
function stepsAbout({ endpoints }: Plan, name: string): readonly InsideStep[] {
  const own = endpoints.find((one) => one.name === name)?.inside ?? [];
  const written = new Set([...allNested(own)].filter(isWriting).flatMap((step) => resourceOf(step) ?? []));
  const others = endpoints.flatMap(({ inside }) => [...allNested(inside)]);
  return [...own, ...others.filter((step) => written.has(resourceOf(step) ?? ''))];
}

/** The constants of all expressions in some plain data, at any depth. */
export function constantsIn(data: unknown): Constant[] {
  const out = new Map<string, Constant>();
  collect(data, out);
  return [...out.values()];
}

/** Collects constants from plain data, which holds expressions at many places. */
function collect(data: unknown, out: Map<string, Constant>): void {
  if (typeof data !== 'object' || data === null) return;
  if (Array.isArray(data)) {
    for (const one of data) collect(one, out);
    return;
  }
  if ('op' in data && data.op === 'const' && 'value' in data && 'type' in data) {
    const { value, type } = data;
    const kind = typeof type === 'object' && type !== null && 'kind' in type ? String(type.kind) : '';
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      out.set(`${kind} ${value}`, { kind, value });
    return;
  }
  if ('fn' in data && 'args' in data && Array.isArray(data.args)) {
    const months = monthsOf(String(data.fn), data.args[1]);
    if (months !== null) out.set(`months ${months}`, { kind: 'months', value: months });
  }
  for (const one of Object.values(data)) collect(one, out);
}

/** The number of months that a function of the calendar adds; null for any other function. */
function monthsOf(fn: string, by: unknown): number | null {
  const size = fn === 'addMonths' ? 1 : fn === 'addYears' ? 12 : null;
  const isNumber = typeof by === 'object' && by !== null && 'value' in by && typeof by.value === 'number';
  return size !== null && isNumber ? Number(by.value) * size : null;
}
