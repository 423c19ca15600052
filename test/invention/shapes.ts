import type { Field } from '../../src/compiler/statements/resources.ts';
import { wireName } from '../wirename.ts';
import { type Contract, rowResource, type Stated } from './contract.ts';
import { type Sent, values } from './sent.ts';
import { headerOf, type Reply } from './wire.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const INSTANT = {
  milliseconds: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  seconds: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
};

/** What is wrong with a success: its members, their values, its headers. */
export function* successFaults(contract: Contract, endpoint: Stated, sent: Sent, reply: Reply): Generator<string> {
  const { body, members } = endpoint.answer;
  if (!body && !members.length) {
    if (reply.body !== '') yield `a body where none is stated: ${reply.body}`;
    return;
  }
  if (headerOf(reply, 'content-type') !== 'application/json')
    yield `Content-Type is ${headerOf(reply, 'content-type')}`;
  let value: unknown;
  try {
    value = JSON.parse(reply.body);
  } catch {
    return yield `not JSON: ${reply.body}`;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return yield `not an object: ${reply.body}`;
  const version = values(sent, contract.model.versioning.header!.value)[0] ?? null;
  const object = value as Record<string, unknown>;
  if (!body)
    return yield* memberFaults(
      object,
      members.map((one) => one.field.text),
    );
  const { steps } = endpoint.effective;
  const resource = rowResource(body.text, steps)!;
  const list = steps.find((step) => step.verb === 'List' && step.as.text === body.text);
  if (list) return yield* pageFaults(contract, resource, version, object);
  yield* rowFaults(contract, resource, version, object);
  if (headerOf(reply, 'etag') && !/^"[\x21\x23-\x7e]+"$/.test(headerOf(reply, 'etag')!))
    yield `ETag is ${headerOf(reply, 'etag')}`;
  const location = headerOf(reply, 'location');
  if (location !== undefined && location !== `/orders/${object.id}`) yield `Location is ${location}`;
}

function* memberFaults(object: Record<string, unknown>, names: readonly string[]): Generator<string> {
  if (Object.keys(object).join() !== names.join()) yield `the members ${Object.keys(object)}, stated ${names}`;
  for (const [name, value] of Object.entries(object))
    if (!Number.isSafeInteger(value) || (value as number) < 0) yield `${name} is ${value}`;
}

function* pageFaults(
  contract: Contract,
  resource: string,
  version: string | null,
  page: Record<string, unknown>,
): Generator<string> {
  const { payload } = contract.model.limits.pages!.value;
  const items = payload!.find((one) => one.value === 'items')!.name;
  const next = payload!.find((one) => one.value === 'next')!.name;
  for (const name of Object.keys(page)) if (name !== items && name !== next) yield `a page with ${name}`;
  if (next in page && typeof page[next] !== 'string') yield `${next} is ${page[next]}`;
  const rows = page[items];
  if (!Array.isArray(rows)) return yield `${items} is ${JSON.stringify(rows)}`;
  if (rows.length > contract.model.limits.pageSize!.value.most) yield `${rows.length} items`;
  for (const row of rows) yield* rowFaults(contract, resource, version, row as Record<string, unknown>);
  const created = rows.map((row) => (row as { created: string }).created);
  if (created.some((at, i) => i > 0 && created[i - 1]! < at)) yield `not the latest first: ${created}`;
}

/** A row as shown: exactly the members of its version, optional ones perhaps left out, each value allowed. */
export function* rowFaults(
  contract: Contract,
  name: string,
  version: string | null,
  row: Record<string, unknown>,
): Generator<string> {
  const resource = contract.resource(name);
  const expected = new Set<string>();
  for (const { field, as } of resource.shown!.value) {
    const wire = wireName(contract.model.versioning, version, name, field.text);
    if (wire === null) continue;
    expected.add(wire);
    const stated = resource.fields.find((one) => one.name.text === field.text)!;
    if (!Object.hasOwn(row, wire)) {
      if (stated.presence?.value !== 'optional') yield `${wire} is left out: ${JSON.stringify(row)}`;
    } else if (!allowed(contract, stated, as?.text ?? null, row[wire])) yield `${wire} is ${JSON.stringify(row[wire])}`;
  }
  for (const member of Object.keys(row))
    if (!expected.has(member)) yield `${member} isn’t shown: ${JSON.stringify(row)}`;
}

/** Whether a value is among those that a field’s row in the document allows. */
function allowed(contract: Contract, field: Field, as: string | null, value: unknown): boolean {
  const type = field.type!.value;
  if (type.kind === 'reference') {
    const target = contract.resource(type.resource.text).fields.find((one) => one.name.text === as)!;
    return allowed(contract, target, null, value);
  }
  if (type.kind === 'boolean') return typeof value === 'boolean';
  if (type.kind === 'timestamp') {
    const form = INSTANT[contract.model.resources.rules.timestamps!.value];
    return typeof value === 'string' && form.test(value) && Number.isFinite(Date.parse(value));
  }
  const rule = field.allowed?.value;
  if (type.kind === 'integer')
    return (
      Number.isSafeInteger(value) &&
      (rule?.kind !== 'range' || (rule.min <= (value as number) && (value as number) <= rule.max))
    );
  if (typeof value !== 'string') return false;
  if (field.format?.value === 'uuid' && !UUID.test(value)) return false;
  if (contract.model.resources.rules.text?.value === 'trimmed' && value !== value.trim()) return false;
  if (rule?.kind === 'length') return [...value].length >= rule.min && [...value].length <= rule.max;
  if (rule?.kind === 'pattern') return new RegExp(rule.source, 'u').test(value);
  return rule?.kind !== 'one of' || rule.values.some((one) => one.text === value);
}
