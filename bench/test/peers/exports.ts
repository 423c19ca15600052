import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from '../../../src/compiler/compile.ts';
import { contractOf } from '../../../src/contract/contract-of.ts';
import { arazzoOf } from '../../../src/export/arazzo/document.ts';
import type { JsonObject } from '../../../src/export/json.ts';
import { openApiOf } from '../../../src/export/openapi/document.ts';

const DOCUMENT = join(import.meta.dirname, '../../../examples/orders.md');

interface Exports {
  readonly openapi: JsonObject;
  readonly arazzo: JsonObject;
}

/** What `ninefold export` writes of the current version of orders.md. */
function exportsOfOrders(): Exports {
  const { plan } = compile('orders.md', readFileSync(DOCUMENT, 'utf8'));
  if (!plan) throw new Error('orders.md has findings');
  const contract = contractOf(plan);
  const version = contract.versions.find(({ status }) => status === 'current');
  const arazzo = version && arazzoOf(contract, version);
  if (!version || !arazzo) throw new Error('orders.md has no workflows');
  return { openapi: openApiOf(contract, version, '3.1'), arazzo };
}

export const EXPORTS = exportsOfOrders();

/** Changes of the OpenAPI export that a tool needs; each says why where it is made. */
export interface Changes {
  /** An example for each parameter of a path that has none. */
  readonly idExample?: string;
  readonly withoutSecurity?: boolean;
  /** Leaves out the examples of bodies. */
  readonly withoutExamples?: boolean;
}

/** Writes the OpenAPI export. */
export function writeOpenApi(
  folder: string,
  { idExample, withoutSecurity = false, withoutExamples = false }: Changes = {},
): void {
  const changed = (key: string, value: unknown): unknown => {
    if ((withoutSecurity && key === 'security') || (withoutExamples && key === 'examples')) return undefined;
    return idExample !== undefined && isPathParameter(value) ? { ...value, example: idExample } : value;
  };
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(EXPORTS.openapi, changed));
}

const isPathParameter = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && 'in' in value && value.in === 'path' && !('example' in value);
