import { type Compiled, compile } from '../../src/compiler/compile.ts';
import type { Plan } from '../../src/plan/step.ts';
import { Engine } from '../../src/runtime/engine/engine.ts';
import { postgresDialect } from '../../src/store/postgres/dialect.ts';
import { postgresSchema } from '../../src/store/postgres/schema.ts';
import { StatementCompiler } from '../../src/store/sql/compiler.ts';
import { sqliteDialect } from '../../src/store/sqlite/dialect.ts';
import { schemaOf } from '../../src/store/sqlite/schema.ts';
import { SqliteStore } from '../../src/store/sqlite/store.ts';
import type { Statement, StatementSpec } from '../../src/store/store.ts';
import { TestKeys } from '../tokens.ts';

/**
 * What is frozen of a document, as text: what is found where (`findings`) and in which words (`words`), what will run
 * (`plan`), and the SQL of tables and of all statements that are prepared when the service starts, of either store.
 */
export const ASPECTS = ['findings', 'words', 'plan', 'sqlite', 'postgres'] as const;
export type Aspect = (typeof ASPECTS)[number];
export type Aspects = Readonly<Record<Aspect, string>>;

/** What comes of a document, in each aspect. What makes the service not start is the text of its SQL. */
export async function aspectsOf(text: string): Promise<Aspects> {
  const compiled = compile('document.md', text);
  const { plan } = compiled;
  const sql = plan ? await sqlOf(plan) : { sqlite: '', postgres: '' };
  return { ...findingsOf(compiled), plan: planText(plan), ...sql };
}

function findingsOf({ findings, lines, items, endpoints }: Compiled): Pick<Aspects, 'findings' | 'words'> {
  const places = findings.map(({ severity, code, span, endpoints }) => {
    const at = span
      ? `${lines.position(span.from).line}:${lines.position(span.from).column}+${span.to - span.from}`
      : '-';
    return `${at} ${severity} ${code} ${endpoints === null ? 'everywhere' : endpoints.join(', ')}`;
  });
  const states = [...items.map((one) => JSON.stringify(one)), ...endpoints.map((one) => JSON.stringify(one))];
  const words = findings.map(({ code, message, why, suggestion }) => `${code}: ${message} | ${why} | ${suggestion}`);
  return { findings: [...places, ...states].join('\n'), words: words.join('\n') };
}

/**
 * A plan as text, a member on a line; what JSON has no form for is written as it prints. Where the document states what
 * the plan holds, and what it says to people, is left out: nothing that runs depends on that.
 */
function planText(plan: Plan | null): string {
  const lineless = plan && { ...plan, lines: undefined, prose: undefined };
  return JSON.stringify(lineless, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value), 1);
}

async function sqlOf(plan: Plan): Promise<Pick<Aspects, 'sqlite' | 'postgres'>> {
  try {
    const specs = await preparedBy(plan);
    const sqlite = new StatementCompiler(plan.resources, sqliteDialect(plan.resources));
    const used = new Set<string>();
    const dialect = postgresDialect(plan.resources, (id) => used.add(id));
    const postgres = new StatementCompiler(plan.resources, dialect);
    const tables = postgresSchema(plan, (id) => used.add(id));
    return {
      sqlite: textOf(schemaOf(plan), specs.map((spec) => sqlite.compile(spec).sql).sort()),
      postgres: [textOf(tables, specs.map((spec) => postgres.compile(spec).sql).sort()), ...[...used].sort()].join(
        '\n',
      ),
    };
  } catch (error) {
    // Files that are not there are told by their whole path.
    const why = String(error).replaceAll(process.cwd(), '.');
    return { sqlite: why, postgres: why };
  }
}

/** The statements that the engine prepares when it starts. Their order means nothing, and `sqlOf` sorts their texts. */
async function preparedBy(plan: Plan): Promise<StatementSpec[]> {
  const specs: StatementSpec[] = [];
  const keys = new TestKeys(plan);
  const store = new Recording(plan, specs);
  try {
    const engine = await Engine.start(plan, store, 'https://api.example.com', (scheme) => keys.secret(scheme));
    engine.following();
  } finally {
    await store.close();
  }
  return specs;
}

/** A store in memory that remembers what it has prepared. */
class Recording extends SqliteStore {
  private readonly specs: StatementSpec[];

  constructor(plan: Plan, specs: StatementSpec[]) {
    super(':memory:', plan);
    this.specs = specs;
  }

  override prepare(spec: StatementSpec): Statement {
    this.specs.push(spec);
    return super.prepare(spec);
  }
}

function textOf(tables: ReadonlyMap<{ readonly name: string }, object>, statements: readonly string[]): string {
  const made = [...tables].map(([{ name }, table]) => `${name}: ${JSON.stringify(table, mapsAsLists, 1)}`);
  return [...made, ...statements].join('\n');
}

const mapsAsLists = (_: string, value: unknown): unknown => (value instanceof Map ? [...value] : value);
