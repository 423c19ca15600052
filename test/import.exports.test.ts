import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import type { Parameter } from '../src/compiler/statements/endpoints.ts';
import type { Model } from '../src/compiler/statements/model.ts';
import { contractOf } from '../src/contract/contract-of.ts';
import type { JsonObject } from '../src/export/json.ts';
import { openApiOf } from '../src/export/openapi/document.ts';
import { importOpenApi } from '../src/import/import-openapi.ts';
import { readSource } from '../src/import/source.ts';
import { PARAMETER } from '../src/language/endpoints.ts';
import type { AnyGrammar, Grammar } from '../src/language/grammar.ts';
import { FIELD } from '../src/language/resources.ts';
import { documents } from './fixtures.ts';

const GOLDEN = join(import.meta.dirname, 'import', 'exports.txt');

/** The document of the export of a document, in its current version. */
function returned(name: string, text: string): { before: Model; after: Model; exported: JsonObject } {
  const { plan, model } = compile(name, text);
  assert.ok(plan, name);
  const contract = contractOf(plan);
  const version = contract.versions.find((one) => one.status === 'current');
  assert.ok(version);
  const exported = openApiOf(contract, version, '3.1');
  const source = readSource(JSON.stringify(exported));
  assert.ok('root' in source);
  const again = compile(name, importOpenApi(source).text);
  assert.deepEqual(
    again.findings.filter(({ severity }) => severity === 'error').map(({ message }) => message),
    [],
    name,
  );
  return { before: model, after: again.model, exported };
}

/** A value as the language writes it; nothing where it states nothing, or only that there is no rule. */
const written = (grammar: AnyGrammar, stated: { readonly value: unknown } | null): string => {
  const text = stated === null ? '' : (grammar as Grammar<unknown>).print(stated.value);
  return text === 'any' || text === 'none' ? '' : text;
};

const difference = (what: string, before: string, after: string): string[] =>
  before === after ? [] : [`${what}: ${before || 'nothing'} → ${after || 'nothing'}`];

function differences({ before, after }: ReturnType<typeof returned>): string[] {
  return [...ofResources(before, after), ...ofEndpoints(before, after)];
}

function ofResources(before: Model, after: Model): string[] {
  return before.resources.list.flatMap((resource) => {
    const name = resource.name.text;
    const found = after.resources.list.find((one) => one.name.text === name);
    if (!found) return [`${name}: no resource`];
    const shown = new Set(resource.shown?.value.map(({ field }) => field.text));
    return resource.fields.flatMap((field) => {
      if (!shown.has(field.name.text)) return [];
      const other = found.fields.find((one) => one.name.text === field.name.text);
      const at = `${name}.${field.name.text}`;
      if (!other) return [`${at}: no field`];
      return (['Type', 'Format', 'Allowed values', 'Presence'] as const).flatMap((column) => {
        const { member, value } = FIELD[column];
        return difference(`${at} ${column}`, written(value, field[member]), written(value, other[member]));
      });
    });
  });
}

function ofEndpoints(before: Model, after: Model): string[] {
  const names = (model: Model): string[] =>
    model.endpoints.list.filter(({ steps }) => !isDescription(steps)).map(({ name }) => name);
  const missing = names(before).filter((name) => !names(after).includes(name));
  const more = names(after).filter((name) => !names(before).includes(name));
  return [
    ...missing.map((name) => `${name}: no endpoint`),
    ...more.map((name) => `${name}: a new endpoint`),
    ...before.endpoints.list.flatMap((one) => {
      const other = after.endpoints.list.find(({ name }) => name === one.name);
      const shared = before.endpoints.parameters.filter(({ name }) => one.path.includes(`{${name.text}}`));
      const own = [...shared, ...one.parameters];
      return other ? own.flatMap((parameter) => ofParameter(before, one.name, parameter, other.parameters)) : [];
    }),
  ];
}

const isDescription = (steps: Model['endpoints']['list'][number]['steps']): boolean =>
  steps.some((step) => step.verb === 'Answer' && step.description !== null);

/** The type of a parameter; where it is a field, the type of the field. */
function typeOf({ resources }: Model, { type }: Parameter): string {
  if (type?.value.kind !== 'field') return written(PARAMETER.Type.value, type);
  const { resource, field } = type.value;
  const found = resources.list
    .find(({ name }) => name.text === resource.text)
    ?.fields.find(({ name }) => name.text === field.text);
  return written(FIELD.Type.value, found?.type ?? null);
}

function ofParameter(model: Model, endpoint: string, parameter: Parameter, all: readonly Parameter[]): string[] {
  const other = all.find((one) => one.name.text === parameter.name.text && one.in?.value === parameter.in?.value);
  const at = `${endpoint} ${parameter.name.text}`;
  if (!other) return [`${at}: no parameter`];
  const presence = ({ presence: stated, fallback }: Parameter): string =>
    stated?.value === 'else' ? `else ${fallback?.text}` : `${stated?.value}`;
  const field = parameter.type?.value.kind === 'field';
  return [
    ...difference(`${at} Type`, typeOf(model, parameter), written(PARAMETER.Type.value, other.type)),
    // A parameter whose type is a field has the bounds of the field.
    ...(field
      ? []
      : difference(
          `${at} Allowed values`,
          written(PARAMETER['Allowed values'].value, parameter.allowed),
          written(PARAMETER['Allowed values'].value, other.allowed),
        )),
    ...difference(`${at} Presence`, presence(parameter), presence(other)),
  ];
}

test('the exports of our own documents come back equal, but for these losses', () => {
  const lines = documents().flatMap(({ name, text }) => {
    const lost = differences(returned(name, text));
    return [`${name} (${lost.length})`, ...lost.map((line) => `  ${line}`)];
  });
  const text = `${lines.join('\n')}\n`;
  if (process.env.UPDATE) writeFileSync(GOLDEN, text);
  assert.equal(text, readFileSync(GOLDEN, 'utf8'));
});

test('the exports of our own documents come back with the tags of all endpoints, and with their prose', () => {
  for (const { name, text } of documents()) {
    const { after, exported } = returned(name, text);
    const { paths, tags = [] } = exported as unknown as Tagged;
    // A tag of several words has hyphens between them.
    const nameOf = (tag = ''): string => tag.replaceAll(' ', '-');
    const expected = Object.values(paths).flatMap((item) => Object.values(item).map((one) => nameOf(one.tags[0])));
    const found = after.endpoints.list.map(({ settings }) => settings.tag?.value.text ?? '');
    assert.deepEqual(found.toSorted(), expected.toSorted(), name);
    const headings = [...after.resources.list, ...after.endpoints.tags.map((one) => ({ ...one, name: one.name }))];
    for (const tag of tags.filter(({ description }) => description)) {
      const heading = headings.find((one) => one.name.text === nameOf(tag.name));
      assert.ok(heading, `${name}: ${tag.name}`);
    }
  }
});

/** The tags of an export. */
interface Tagged {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly tags: readonly string[] }>>>>;
  readonly tags?: ReadonlyArray<{ readonly name: string; readonly description?: string }>;
}
