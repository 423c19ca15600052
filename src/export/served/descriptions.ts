import type { Contract } from '../../contract/contract.ts';
import type { DescriptionFormat, Plan } from '../../plan/step.ts';
import type { Describe } from '../../runtime/endpoints/descriptions.ts';
import type { Json } from '../json.ts';

/**
 * The descriptions that a service serves, each generated once. The exporters are loaded at the first request for one,
 * because most services serve none, and loading them would delay the start.
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

/**
 * The text of a description. A retired version has no OpenAPI description, but an AsyncAPI one, because its receivers
 * are still notified.
 */
async function textOf(contract: Contract, format: DescriptionFormat, version: string | null): Promise<string | null> {
  const { versions } = contract;
  const found = version === null ? versions[0] : versions.find((one) => one.name === version);
  if (!found || (found.status === 'retired' && format !== 'AsyncAPI 3.1')) return null;
  const json = (value: Json): string => `${JSON.stringify(value)}\n`;
  if (format === 'AsyncAPI 3.1') {
    const { asyncApiOf } = await import('../asyncapi/document.ts');
    return json(asyncApiOf(contract, found));
  }
  // Without recorded exchanges: recording needs a second service in memory.
  const { openApiOf } = await import('../openapi/document.ts');
  return json(openApiOf(contract, found, format === 'OpenAPI 3.2' ? '3.2' : '3.1'));
}
