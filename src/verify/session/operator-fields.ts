import { typeOfRule } from '../../contract/values.ts';
import type { Json } from '../../export/json.ts';
import type { ResourcePlan } from '../../plan/step.ts';
import type { Oracle } from '../oracle/oracle.ts';
import type { Random } from '../requests/random.ts';
import { Samples } from '../requests/samples.ts';
import type { Fields } from '../setup/setup.ts';

/** The number of attempts to make up a unique value. */
const ATTEMPTS = 20;

/**
 * Values for the fields that the operator sets in the `nth` row of a resource; null if the row must refer to a row that
 * does not exist.
 */
export function operatorFields(
  { state }: Oracle,
  resource: ResourcePlan,
  random: Random,
  now: number,
  nth: number,
): Fields | null {
  const { rows, plan } = state;
  const samples = new Samples(random, now);
  const out: Record<string, Json> = {};
  for (const { name, rule, from, nullable, reference, password } of resource.columns) {
    if (!from.operator || (nullable && nth % 2 === 1)) continue;
    const target = reference === null ? null : random.among(rows.all(reference));
    if (reference !== null) {
      if (!target && !nullable) return null;
      if (target) out[name] = rows.identity(target) as Json;
    } else if (rule.kind === 'boolean') out[name] = nth % 2 === 0;
    else {
      const type = typeOfRule(rule, plan.wire, password);
      const isTaken = (value: Json): boolean =>
        name === resource.identity && rows.all(resource.name).some((row) => String(row.get(name)) === String(value));
      let value = samples.of(type, name) as Json;
      // A setup may take the row for the one that is there, and answer with its values.
      for (let i = 0; i < ATTEMPTS && isTaken(value); i++) value = samples.of(type, name) as Json;
      out[name] = value;
    }
  }
  return out;
}
