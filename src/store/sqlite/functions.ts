import type Database from 'better-sqlite3';
import { COMPUTED } from '../../expression/library/index.ts';
import { jsonOf, valueOfJson } from '../../expression/values/json.ts';
import { uuidText } from '../../expression/values/uuid.ts';
import type { Value } from '../../expression/values/value.ts';

type Does = (...args: unknown[]) => Value;

/** The name of a function of expressions in SQLite. */
export const functionName = (id: string): string => `ninefold_${id}`;

/**
 * Registers the functions of expressions that SQLite lacks on a connection, with the code that JavaScript uses. The
 * schema does not use them, so that other tools can open the file.
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

/** A value in the form in which SQLite stores it: the driver would store numbers as REAL. */
function stored(value: Value): unknown {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'number') return BigInt(value);
  return typeof value === 'object' && value !== null ? jsonOf(value) : value;
}
