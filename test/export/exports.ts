import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { compile } from '../../src/compiler/compile.ts';
import { contractOf } from '../../src/contract/contract-of.ts';
import { exchangesOf } from '../../src/exchanges/record.ts';
import type { JsonObject } from '../../src/export/json.ts';
import { openApiOf } from '../../src/export/openapi/document.ts';
import type { OpenApiFormat } from '../../src/export/openapi/exporting.ts';
import { documents, example, fileOf, type Whole } from '../fixtures.ts';
import { SEED } from '../share.ts';

/** The name of an export begins with this. */
export const fileName = ({ name }: Whole): string => name.replace(/\W+/g, '-');

/** One version of an example as an OpenAPI document, in one of the two formats. */
export interface OpenApiExport {
  /** A file may be called so. */
  readonly name: string;
  readonly format: OpenApiFormat;
  readonly document: JsonObject;
  /** The same with what callers do not need. */
  readonly internals: JsonObject;
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/**
 * An export with each parameter, response, header and example in its place, of which several operations share one. Schemas
 * stay where they are.
 */
export function unshared(document: JsonObject): JsonObject {
  const { components } = document as { readonly components?: Readonly<Record<string, Readonly<Record<string, Json>>>> };
  const resolved = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(resolved);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref } = value as { readonly $ref?: string };
    const [, kind = '', name = ''] =
      /^#\/components\/(parameters|responses|headers|examples)\/(.+)$/.exec($ref ?? '') ?? [];
    const found = components?.[kind]?.[name];
    if (found !== undefined) return resolved(found);
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, resolved(one)]));
  };
  return resolved(document) as JsonObject;
}

/** Every version that is answered of the examples, in both formats, with examples that were answered. */
export async function openApiExports(of: readonly Whole[] = documents()): Promise<OpenApiExport[]> {
  const all: OpenApiExport[] = [];
  for (const one of of) {
    const { name, text } = one;
    const { plan } = compile(fileOf(name), text);
    assert.ok(plan, name);
    const contract = contractOf(plan);
    for (const version of contract.versions.filter((one) => one.status !== 'retired')) {
      const exchanges = await exchangesOf(plan, contract, version);
      for (const format of ['3.1', '3.2'] as const)
        all.push({
          name: `${fileName(one)}-${version.name ?? 'unversioned'}-${format}`,
          format,
          document: openApiOf(contract, version, format, exchanges),
          internals: openApiOf(contract, version, format, exchanges, true),
        });
    }
  }
  return all;
}

/** Every document that the reference quotes. */
const quoted = (): Whole[] =>
  readdirSync(new URL('../../docs/documents', import.meta.url)).map((name) => ({
    name,
    text: example(name.slice(0, -3)),
  }));

/**
 * Every version of the examples and of the documents that the reference quotes, each in one of the two formats by turns:
 * the formats differ in little, and tools of others read for long. The seed decides which comes first.
 */
export async function exportsForTools(): Promise<OpenApiExport[]> {
  const all = new Map([...documents(), ...quoted()].map((one) => [one.name, one]));
  return (await openApiExports([...all.values()])).filter((_, i) => i % 2 === (Math.floor(i / 2) + SEED) % 2);
}
