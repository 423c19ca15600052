import type Database from 'better-sqlite3';
import { COMPUTED } from '../../expression/library/index.ts';
import { jsonOf, valueOfJson } from '../../expression/values/json.ts';
import { uuidText } from '../../expression/values/uuid.ts';
import type { Value } from '../../expression/values/value.ts';

type Does = (...args: unknown[]) => Value;

/** How a function of expressions is called in SQLite's SQL. */
export const functionName = (id: string): string => `ninefold_${id}`;

/**
 * Gives a connection what SQLite has no means for: the functions of expressions, by the same code as in JavaScript.
 * They are not for the schema, so that other tools can open the file.
 */
export function registerFunctions(db: Database.Database): void {
  const options = { deterministic: true, directOnly: true, varargs: true } as const;
  for (const { id, does, nested, nulls } of COMPUTED) {
    const compute = does as unknown as Does;
    db.function(functionName(id), options, (...args) => {
      if (!nulls && args.includes(null)) return null;
      return stored(compute(...args.map((arg, i) => (nested[i] && arg !== null ? valueOfJson(arg as string) : arg))));
    });
  }
  db.function(functionName('uuid_text'), { deterministic: true, directOnly: true }, (uuid) =>
    uuid === null ? null : uuidText((uuid as Buffer).toString('hex')),
  );
}

/** A value as SQLite stores it: the driver would make other numbers floating-point ones. */
function stored(value: Value): unknown {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'number') return BigInt(value);
  return typeof value === 'object' && value !== null ? jsonOf(value) : value;
}
