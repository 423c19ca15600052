import type { Plan } from '../../plan/step.ts';
import { StoreError } from '../store.ts';
import { tableName } from '../tables.ts';
import type { Link } from './connections.ts';
import { POSTGRES_TABLES } from './system.ts';

/** Number of foreign tables that a message lists. */
const NAMED = 3;

const COLUMNS = `SELECT attname FROM pg_attribute WHERE attrelid = to_regclass('ninefold_meta') AND attnum > 0
  AND NOT attisdropped ORDER BY attnum`;

/** Ninefold’s tables: the service’s own, and the recorded ones of resources. */
const OURS = `c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'ninefold_meta'::regclass) AND
  (c.relname LIKE 'ninefold\\_%' OR 'table ' || c.relname IN (SELECT key FROM ninefold_meta))`;

/** Objects of another program on these tables that act when rows change. */
const ACTING = `SELECT 'trigger', t.tgname, c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE NOT t.tgisinternal AND t.tgenabled <> 'D' AND t.tgname NOT LIKE 'ninefold\\_%' AND ${OURS}
  UNION ALL SELECT 'rule', r.rulename, c.relname FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
    WHERE r.rulename <> '_RETURN' AND ${OURS}
  UNION ALL SELECT 'policy', p.polname, c.relname FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
    WHERE c.relrowsecurity AND ${OURS} LIMIT 1`;

/**
 * Throws StoreError if an object that Ninefold did not make acts on the stored rows. The database may hold other
 * tables.
 */
export async function mustBeUnaltered(link: Link, where: string): Promise<void> {
  const columns = (await link.send({ text: COLUMNS })).rows.map(([name]) => name);
  if (columns.length === 0) return;
  if (columns.join() !== 'key,value')
    throw new StoreError(
      'failed',
      `${where} has a table “ninefold_meta” of another program: its columns are ${columns.join(', ')}, and not key and value. Nothing was changed. Give Ninefold a database or a schema of its own.`,
    );
  const [found] = (await link.send({ text: ACTING })).rows as [string, string, string][];
  if (!found) return;
  const [what, name, table] = found;
  throw new StoreError(
    'failed',
    `${where} has a ${what} “${name}” on the table “${table}” that Ninefold did not make, and that could change or refuse what is stored. Nothing was changed. Remove it (DROP ${what.toUpperCase()} "${name}" ON "${table}"), and try again.`,
  );
}

/**
 * Where nothing is stored, throws StoreError if a table of another program has a name that a new store needs. With
 * `replaced`, a store that has lost its table of metadata is accepted.
 */
export async function mustHaveRoom(link: Link, plan: Plan, replaced = false): Promise<void> {
  const wanted = [...plan.resources.map(({ name }) => tableName(name)), ...POSTGRES_TABLES.map(([, name]) => name)];
  const text = `SELECT relname, current_schema() FROM pg_class WHERE relnamespace = current_schema()::regnamespace
    AND to_regclass('ninefold_meta') IS NULL AND relname IN (SELECT jsonb_array_elements_text($1::jsonb)) ORDER BY 1`;
  const { rows } = await link.send({ text, values: [JSON.stringify(wanted)] });
  const all = rows.map(([name]) => name as string);
  if (all.length === 0 || (replaced && all.some((name) => name.startsWith('ninefold_')))) return;
  const more = all.length > NAMED ? ` and ${all.length - NAMED} more` : '';
  const names = `${all
    .slice(0, NAMED)
    .map((name) => `“${name}”`)
    .join(', ')}${more}`;
  throw new StoreError(
    'failed',
    `The schema “${rows[0]![1]}” has tables of another program with names that this document needs: ${names}. Nothing was changed. Give Ninefold a database or a schema of its own.`,
  );
}
