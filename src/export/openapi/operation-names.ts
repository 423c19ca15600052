import type { EndpointContract, StepContract } from '../../contract/endpoint.ts';
import { successesOf } from '../../contract/successes.ts';
import type { ContractType } from '../../contract/types.ts';

/** `POST /orders/{id}/place` → `postOrdersByIdPlace`. */
export function operationName(method: string, path: string): string {
  const words = path.replace(/\{([^}]*)\}/g, '-by-$1-').split(/[^\p{L}\p{N}]+/u);
  return method.toLowerCase() + words.map(capital).join('');
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/**
 * The weight of a step for the name of an endpoint: creation counts more than a change, and a change more than a
 * search.
 */
const WEIGHT: Readonly<Record<string, number>> = {
  create: 5,
  'create each': 5,
  change: 4,
  move: 4,
  'move to': 4,
  remove: 4,
  list: 3,
  find: 1,
};

/** The resource under which an operation is grouped; null if it concerns none. */
export function resourceOf(endpoint: EndpointContract): string | null {
  const { steps } = endpoint;
  let found: StepContract | null = null;
  const weight = ({ do: kind }: StepContract): number => WEIGHT[kind] ?? 2;
  for (const step of steps) if (step.resource !== null && (!found || weight(step) >= weight(found))) found = step;
  const bodies = successesOf(endpoint).map(({ body }) => shown(body?.type ?? null));
  return found?.resource ?? bodies.find((one) => one !== null) ?? null;
}

/** The resource that is shown; a shape’s name begins with it. */
function shown(type: ContractType | null): string | null {
  if (type?.kind === 'shape') return type.name.split(' as ')[0] ?? null;
  return type?.kind === 'list' || type?.kind === 'set' ? shown(type.of) : null;
}
