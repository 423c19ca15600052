import type Database from 'better-sqlite3';
import { COMPUTED } from '../expression/library/index.ts';
import type { Value } from '../expression/value.ts';

type Does = (...args: unknown[]) => Value;

/** How a function of expressions is called in SQLite's SQL. */
export const functionName = (id: string): string => `ninefold_${id}`;

/**
 * Gives a connection what SQLite has no means for: the functions of expressions, by the same code as in JavaScript.
 * They are not for the schema, so that other tools can open the file.
 */
export function registerFunctions(db: Database.Database): void {
  const options = { deterministic: true, directOnly: true, varargs: true } as const;
  for (const { id, does } of COMPUTED) {
    const compute = does as unknown as Does;
    db.function(functionName(id), options, (...args) => (args.includes(null) ? null : stored(compute(...args))));
  }
  db.function(functionName('uuid_text'), { deterministic: true, directOnly: true }, (uuid) =>
    uuid === null ? null : uuidText((uuid as Buffer).toString('hex')),
  );
}

/** A UUID as RFC 9562 writes it, from its 32 digits. */
export function uuidText(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** A value as SQLite stores it: the driver would make other numbers floating-point ones. */
function stored(value: Value): unknown {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  return typeof value === 'number' ? BigInt(value) : value;
}
