import { LIST_FUNCTIONS } from './lists.ts';
import { NUMBER_FUNCTIONS } from './numbers.ts';
import { TEXT_FUNCTIONS } from './texts.ts';
import { TIME_FUNCTIONS } from './times.ts';

/** How a function of expressions is called in PostgreSQL’s SQL. */
export const functionName = (id: string): string => `ninefold_${id}`;

/**
 * The functions of expressions, each with the very meaning that it has in JavaScript (`expression/library/`): their
 * arguments, what they give and how. None is called with null but those that say so.
 */
const FUNCTIONS: Readonly<Record<string, string>> = {
  uuid: `(s text) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN s ~ '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$' THEN s::uuid END $$`,
  /** Of text in UTF-8, which a database keeps all its text in: as unchanging as the text. */
  digest: `(s text) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT sha256(convert_to(s, 'UTF8')) $$`,
  ...NUMBER_FUNCTIONS,
  ...TEXT_FUNCTIONS,
  ...LIST_FUNCTIONS,
  ...TIME_FUNCTIONS,
};

/** True for a function that PostgreSQL can be given. */
export const hasFunction = (id: string): boolean => Object.hasOwn(FUNCTIONS, id);

/** The statements that create functions, each after the functions that it calls. */
export function functionStatements(ids: Iterable<string>): Map<string, string> {
  const out = new Map<string, string>();
  const add = (id: string): void => {
    const definition = FUNCTIONS[id];
    if (definition === undefined || out.has(id)) return;
    for (const [, called] of definition.matchAll(/\bninefold_(\w+)\(/g)) if (called !== id) add(called!);
    out.set(id, `CREATE OR REPLACE FUNCTION ${functionName(id)}${definition}`);
  };
  for (const id of ids) add(id);
  return out;
}
