import { LIST_FUNCTIONS } from './lists.ts';
import { NUMBER_FUNCTIONS } from './numbers.ts';
import { TEXT_FUNCTIONS } from './texts.ts';
import { TIME_FUNCTIONS } from './times.ts';

/** The name of a function of expressions in PostgreSQL. */
export const functionName = (id: string): string => `ninefold_${id}`;

/**
 * The functions of expressions, with the semantics of their JavaScript versions (`expression/library/`): parameters,
 * result type and body. Functions are not called with null, except where they say so.
 */
const FUNCTIONS: Readonly<Record<string, string>> = {
  uuid: `(s text) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN s ~ '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$' THEN s::uuid END $$`,
  /** The digest of text in UTF-8, the encoding of all databases here. It depends on the text alone. */
  digest: `(s text) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT sha256(convert_to(s, 'UTF8')) $$`,
  ...NUMBER_FUNCTIONS,
  ...TEXT_FUNCTIONS,
  ...LIST_FUNCTIONS,
  ...TIME_FUNCTIONS,
};

/** Whether PostgreSQL has an implementation of a function. */
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
