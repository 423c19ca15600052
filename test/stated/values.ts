import type { Allowed, Field, FieldType } from '../../src/compiler/statements/resources.ts';
import type { Document } from './document.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
const DURATION = /^P(?=.)(?:\d+D)?(?:T(?=.)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?$/;
const TIMESTAMP = {
  milliseconds: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/,
  seconds: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/,
};

/** What a value isn't that its type says. */
export function* typeFaults(document: Document, type: FieldType, value: unknown, at: string): Generator<string> {
  const { rules } = document.model.resources;
  const wrong = `${at} is no ${type.kind}: ${JSON.stringify(value)}`;
  const text = typeof value === 'string' ? value : '';
  switch (type.kind) {
    case 'string':
      if (typeof value !== 'string') yield wrong;
      return;
    case 'integer':
      if (!Number.isSafeInteger(value)) yield wrong;
      return;
    case 'decimal': {
      const numbers = rules.decimals?.value.as === 'numbers';
      if (numbers ? typeof value !== 'number' : !/^-?\d+(?:\.\d+)?$/.test(text)) yield wrong;
      return;
    }
    case 'boolean':
      if (typeof value !== 'boolean') yield wrong;
      return;
    case 'timestamp':
      if (!TIMESTAMP[rules.timestamps!.value].test(text) || Number.isNaN(Date.parse(text))) yield wrong;
      return;
    case 'date':
      if (!DATE.test(text)) yield wrong;
      return;
    case 'duration':
      if (!DURATION.test(text)) yield wrong;
      return;
    case 'list':
    case 'set':
      if (!Array.isArray(value)) return yield wrong;
      for (const [i, item] of value.entries()) yield* typeFaults(document, type.of, item, `${at}/${i}`);
      return;
    case 'map':
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return yield wrong;
      for (const [key, item] of Object.entries(value)) yield* typeFaults(document, type.of, item, `${at}/${key}`);
      return;
    case 'reference':
      yield `${at} is a whole row of ${type.resource.text}, shown as nothing`;
  }
}

/** What a stored value isn't that its field says: its type, its format, and the values allowed. */
export function* fieldFaults(
  document: Document,
  resource: string,
  field: Field,
  value: unknown,
  at: string,
): Generator<string> {
  yield* typeFaults(document, field.type!.value, value, at);
  const machine = document.model.states.machines.find(
    (one) => one.resource.text === resource && one.field.text === field.name.text,
  );
  if (machine) {
    const states = [machine.initial!, ...machine.transitions.map((one) => one.to!)].map((one) => one.text);
    if (!states.includes(value as string)) yield `${at} is ${JSON.stringify(value)}, which is no state`;
  }
  if (field.format?.value === 'uuid' && !UUID.test(value as string)) yield `${at} is no UUID: ${JSON.stringify(value)}`;
  if (field.allowed) yield* allowedFaults(field.allowed.value, value, at);
}

function* allowedFaults(allowed: Allowed, value: unknown, at: string): Generator<string> {
  const beyond = `${at} is not allowed: ${JSON.stringify(value)}`;
  const within = (size: number, { min, max }: { min: number; max: number }): boolean => size >= min && size <= max;
  switch (allowed.kind) {
    case 'range':
      if (!within(value as number, allowed)) yield beyond;
      return;
    case 'decimals': {
      const units = Number(value) * 10 ** allowed.scale;
      if (!within(Math.round(units), allowed)) yield beyond;
      const digits = typeof value === 'string' ? (value.split('.')[1] ?? '').length : allowed.scale;
      if (digits !== allowed.scale) yield `${at} has ${digits} digits after the point: ${JSON.stringify(value)}`;
      return;
    }
    case 'length':
      if (!within([...(value as string)].length, allowed)) yield beyond;
      return;
    case 'pattern':
      if (!new RegExp(allowed.source, 'u').test(value as string)) yield beyond;
      return;
    case 'one of':
      if (!allowed.values.some((one) => one.text === value)) yield beyond;
      return;
    case 'whole minutes':
      if (!/T\d\d:\d\d:00(?:\.000)?Z$/.test(value as string)) yield beyond;
      return;
    case 'items': {
      const items = Object.entries(value as object);
      if (!within(items.length, allowed)) yield beyond;
      for (const [key, item] of items) {
        yield* allowedFaults(allowed.each, item, `${at}/${key}`);
        if (allowed.keys) yield* allowedFaults(allowed.keys, key, `the key ${key} of ${at}`);
      }
      return;
    }
    case 'any':
    case 'durations':
  }
}
