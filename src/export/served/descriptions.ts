import type { Contract } from '../../contract/contract.ts';
import type { DescriptionFormat, Plan } from '../../plan/step.ts';
import type { Describe } from '../../runtime/endpoints/descriptions.ts';
import type { Json } from '../json.ts';

/**
 * What a served document tells of itself, each text made once. What makes it is loaded when it is first asked for: most
 * services tell nothing, and would start later for it.
 */
export function descriptions(): Describe {
  const contracts = new WeakMap<Plan, Promise<Contract>>();
  const made = new WeakMap<Plan, Map<string, Promise<string | null>>>();
  return (plan, format, version) => {
    const texts = made.get(plan) ?? new Map<string, Promise<string | null>>();
    made.set(plan, texts);
    const contract = contracts.get(plan) ?? contractIn(plan);
    contracts.set(plan, contract);
    const key = `${format} ${version ?? ''}`;
    const text = texts.get(key) ?? contract.then((one) => textOf(one, format, version));
    texts.set(key, text);
    return text;
  };
}

async function contractIn(plan: Plan): Promise<Contract> {
  const { contractOf } = await import('../../contract/contract-of.ts');
  return contractOf(plan);
}

/** A version that is retired answers nothing, and its receivers are still told of events. */
async function textOf(contract: Contract, format: DescriptionFormat, version: string | null): Promise<string | null> {
  const { versions } = contract;
  const found = version === null ? versions[0] : versions.find((one) => one.name === version);
  if (!found || (found.status === 'retired' && format !== 'AsyncAPI 3.1')) return null;
  const json = (value: Json): string => `${JSON.stringify(value)}\n`;
  if (format === 'AsyncAPI 3.1') {
    const { asyncApiOf } = await import('../asyncapi/document.ts');
    return json(asyncApiOf(contract, found));
  }
  // Without recorded exchanges: a service that serves runs no other beside it.
  const { openApiOf } = await import('../openapi/document.ts');
  return json(openApiOf(contract, found, format === 'OpenAPI 3.2' ? '3.2' : '3.1'));
}
