import type { Plan } from '../../plan/step.ts';
import { BACKUP_TABLES } from '../migration/backup-tables.ts';
import { RefusedError, StoreError } from '../store.ts';
import { quoted, tableName } from '../tables.ts';
import { type Making, META_TABLE } from './create.ts';
import { stateOf } from './errors.ts';
import { HOLDERS, SHAPE_LOCK } from './open.ts';
import { NODE_SECONDS } from './rates.ts';

/** The ordinary tables in the first schema of the search path. */
const TABLES = `SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
  ORDER BY relname`;

/**
 * Throws while a node is alive or a command runs: nodes continue with rows that they have read. A process that connects
 * later waits for the end of this transaction.
 */
export async function mustBeQuiet(making: Making, plan: Plan): Promise<void> {
  const [[there] = []] = await making.run("SELECT to_regclass('ninefold_node') IS NOT NULL");
  if (there) {
    // A node that has lost its connections for a moment comes back.
    const alive = 'SELECT count(*) FROM ninefold_node WHERE until > clock_timestamp()';
    const [[nodes = 0] = []] = (await making.run(alive)) as [number][];
    if (nodes > 0) throw new StoreError('failed', running(nodes));
  }
  const [[alone]] = (await making.run(`SELECT pg_try_advisory_xact_lock(${SHAPE_LOCK})`)) as [[boolean]];
  if (!alone) {
    const [[held]] = (await making.run(`SELECT count(*) FROM ${HOLDERS}`)) as [[number]];
    throw new StoreError(
      'failed',
      `Others use it, with ${held} ${held === 1 ? 'connection' : 'connections'}. Stop the nodes, and let the commands end.`,
    );
  }
  const { tables } = await ninefoldTables(making, plan);
  // The lock waits for the end of all other transactions.
  await making.run(`LOCK TABLE ${tables.map(quoted).join(', ')} IN ACCESS EXCLUSIVE MODE`);
}

const running = (nodes: number): string => {
  const [which, them] = nodes === 1 ? ['A node is', 'it'] : [`${nodes} nodes are`, 'them'];
  return `${which} running on it. Stop ${them} first; one that was killed counts as running for ${NODE_SECONDS} seconds more.`;
};

/**
 * The tables of Ninefold, by its records or by their names, and those of them that hold rows to keep. If the records
 * are lost and other tables of Ninefold exist, tables with the names of the plan’s tables are Ninefold’s, too.
 */
async function ninefoldTables(making: Making, plan: Plan): Promise<{ tables: string[]; holding: string[] }> {
  const made = await making.run("SELECT substr(key, 7) FROM ninefold_meta WHERE key LIKE 'table %'");
  const all = (await making.run(TABLES)).map(([name]) => name as string);
  const lost = made.length === 0 && all.some((name) => Object.hasOwn(BACKUP_TABLES, name));
  const resources = new Set(lost ? plan.resources.map(({ name }) => tableName(name)) : made.map(([name]) => name));
  const tables = all.filter((name) => name.startsWith('ninefold_') || resources.has(name));
  return { tables, holding: tables.filter((name) => resources.has(name) || Object.hasOwn(BACKUP_TABLES, name)) };
}

/**
 * Throws if the database holds rows, unless they are to be replaced: then all tables of Ninefold are moved to a new
 * schema, unchanged. Returns the schema’s name; null if nothing was moved.
 */
export async function moveAside(making: Making, plan: Plan, replace: boolean): Promise<string | null> {
  const { tables, holding } = await ninefoldTables(making, plan);
  let holds = false;
  for (const table of holding) holds ||= (await making.run(`SELECT 1 FROM ${quoted(table)} LIMIT 1`)).length > 0;
  if (holds && !replace)
    throw new RefusedError(
      'The database has rows already. To replace them by the backup, add --replace. The rows are kept in a schema of their own.',
    );
  // A database that another document opened and never used has tables without rows.
  if (!replace || holding.length === 0) return null;
  const schema = `ninefold_before_${new Date().toISOString().replace(/\D/g, '_').replace(/_$/, '')}`;
  try {
    await making.run(`CREATE SCHEMA ${schema}`);
  } catch (error) {
    if (stateOf(error) !== '42501') throw error;
    throw new StoreError(
      'failed',
      'The existing rows cannot be kept, because this user may not create a schema (GRANT CREATE ON DATABASE). Restore into an empty database instead.',
    );
  }
  for (const table of tables) await making.run(`ALTER TABLE ${quoted(table)} SET SCHEMA ${schema}`);
  for (const sql of META_TABLE) await making.run(sql);
  return schema;
}
