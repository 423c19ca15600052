import type { Contract, VersionContract } from '../../src/contract/contract.ts';
import type { ContractType, ObjectContract, TextType } from '../../src/contract/types.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const INSTANT = {
  milliseconds: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  seconds: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
} as const;

/** Where a value, as JSON has it, is not of a type of the contract. */
export function* misfits(
  contract: Contract,
  version: VersionContract,
  type: ContractType,
  value: unknown,
  at: string,
): Generator<string> {
  const wrong = (): string => `${at || 'the body'} is ${JSON.stringify(value)}, which is no ${type.kind}`;
  const inner = (of: ContractType, one: unknown, to: string) => misfits(contract, version, of, one, `${at}/${to}`);
  switch (type.kind) {
    case 'text':
      if (typeof value !== 'string') yield wrong();
      else yield* textMisfits(type, value, at);
      return;
    case 'integer':
      if (!Number.isSafeInteger(value) || !within(value as number, type.min, type.max)) yield wrong();
      return;
    case 'decimal':
      if (typeof value !== (type.as === 'strings' ? 'string' : 'number')) yield wrong();
      return;
    case 'boolean':
      if (typeof value !== 'boolean') yield wrong();
      return;
    case 'timestamp':
      if (typeof value !== 'string' || !INSTANT[type.precision].test(value)) yield wrong();
      return;
    case 'date':
      if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) yield wrong();
      return;
    case 'duration':
      if (typeof value !== 'string' || !/^-?P/.test(value)) yield wrong();
      return;
    case 'list':
    case 'set':
      if (!Array.isArray(value) || !within(value.length, type.min, type.max)) return yield wrong();
      for (const [i, one] of value.entries()) if (one !== null || !type.nullable) yield* inner(type.of, one, String(i));
      return;
    case 'map':
      if (!isObject(value)) return yield wrong();
      for (const [key, one] of Object.entries(value))
        if (one !== null || !type.nullable) yield* inner(type.of, one, key);
      return;
    case 'object':
      return yield* objectMisfits(contract, version, type, value, at);
    case 'shape': {
      const shape = version.shapes.find((one) => one.name === type.name);
      if (!shape) return yield `the contract has no shape ${type.name}`;
      return yield* objectMisfits(contract, version, shape.type, value, at);
    }
    case 'error': {
      const { payload } = contract.errors;
      if (!payload) return yield 'the contract has no payload of errors';
      return yield* objectMisfits(contract, version, type.faults ? payload.withFaults : payload.type, value, at);
    }
    case 'null':
      if (value !== null) yield wrong();
      return;
    case 'description': {
      const [member = '', number = ''] = type.format.toLowerCase().split(' ');
      const told = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[member] : undefined;
      if (typeof told !== 'string' || !told.startsWith(`${number}.`)) yield wrong();
      return;
    }
    case 'stream':
      return yield wrong();
  }
}

function* textMisfits({ min, max, pattern, format, oneOf }: TextType, value: string, at: string): Generator<string> {
  const length = [...value].length;
  const say = (what: string): string => `${at || 'the body'} is ${JSON.stringify(value)}, ${what}`;
  if (!within(length, min, max)) yield say(`which has ${length} characters`);
  if (pattern !== null && !new RegExp(pattern, 'u').test(value)) yield say(`which /${pattern}/ does not match`);
  if (format === 'uuid' && !UUID.test(value)) yield say('which is no UUID');
  if (oneOf && !oneOf.includes(value)) yield say(`which is none of ${oneOf.join(', ')}`);
}

function* objectMisfits(
  contract: Contract,
  version: VersionContract,
  { members }: ObjectContract,
  value: unknown,
  at: string,
): Generator<string> {
  if (!isObject(value)) return yield `${at || 'the body'} is ${JSON.stringify(value)}, which is no object`;
  for (const name of Object.keys(value)) if (!members.some((one) => one.name === name)) yield `${at}/${name} is there`;
  for (const { name, type, presence, nullable } of members) {
    if (!Object.hasOwn(value, name)) {
      if (presence === 'always') yield `${at}/${name} is missing`;
    } else if (value[name] !== null || !nullable) yield* misfits(contract, version, type, value[name], `${at}/${name}`);
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const within = (value: number, min: number | null, max: number | null): boolean =>
  (min === null || value >= min) && (max === null || value <= max);
