import { typeOfRule } from '../../contract/values.ts';
import type { Json } from '../../export/json.ts';
import { article } from '../../expression/tree/types.ts';
import { sameValue, type Value } from '../../expression/values/value.ts';
import { whyNotAdded } from '../../plan/rows.ts';
import type { ResourcePlan } from '../../plan/step.ts';
import { setDues } from '../oracle/dues.ts';
import { isMark, isMarked } from '../oracle/marks.ts';
import type { Oracle, Prediction } from '../oracle/oracle.ts';
import { OracleRow } from '../oracle/rows.ts';
import { record } from '../oracle/writes.ts';
import type { Random } from '../requests/random.ts';
import { Samples } from '../requests/samples.ts';
import { SetupError } from '../setup/failures.ts';
import type { Fields } from '../setup/setup.ts';
import type { Subject } from './subject.ts';

/** The number of attempts to make up a unique value. */
const ATTEMPTS = 20;

/**
 * Values for the fields that the operator sets in the `nth` row of a resource; null if the operator can add no such row, or
 * if it must refer to a row that does not exist.
 */
export function operatorFields(
  { state }: Oracle,
  resource: ResourcePlan,
  random: Random,
  now: number,
  nth: number,
): Fields | null {
  if (whyNotAdded(resource) !== null) return null;
  const { rows, plan } = state;
  const samples = new Samples(random, now);
  const out: Record<string, Json> = {};
  for (const { name, rule, from, nullable, reference, password } of resource.columns) {
    if (!from.operator || (nullable && nth % 2 === 1)) continue;
    const target = reference === null ? null : random.among(rows.all(reference));
    if (reference !== null) {
      if (!target && !nullable) return null;
      if (target) out[name] = rows.identity(target) as Json;
    } else if (rule.kind === 'boolean') out[name] = nth % 2 === 0;
    else {
      const type = typeOfRule(rule, plan.wire, password);
      const isTaken = (value: Json): boolean =>
        name === resource.identity && rows.all(resource.name).some((row) => String(row.get(name)) === String(value));
      let value = samples.of(type, name) as Json;
      // A setup may take the row for the one that is there, and answer with its values.
      for (let i = 0; i < ATTEMPTS && isTaken(value); i++) value = samples.of(type, name) as Json;
      out[name] = value;
    }
  }
  return out;
}

/**
 * Adds to the oracle a row that the operator has created, with the field values that the implementation reports. Throws
 * SetupError where the document does not allow the values.
 */
export function adopt(
  oracle: Oracle,
  resource: string,
  fields: Readonly<Record<string, Json>>,
  now: number,
): OracleRow {
  const { plan } = oracle.state;
  // Entries of an audit have drawn values of their own.
  const count = oracle.state.rows.all(resource).length;
  const work = oracle.begin(now, {
    version: plan.versions?.current ?? '',
    cause: 'operator',
    name: `row of ${resource} ${count}`,
  });
  const { columns, identity, machines } = work.rows.plan(resource);
  const values = new Map<string, Value>();
  for (const { name, rule, nullable, password } of columns) {
    const raw = Object.hasOwn(fields, name) ? (fields[name] ?? null) : null;
    if (password) values.set(name, typeof raw === 'string' ? raw : null);
    else if (raw === null) values.set(name, machines.find(({ field }) => field === name)?.initial ?? null);
    else {
      const read = oracle.state.checks.value(rule)(raw);
      if ('fault' in read)
        throw new SetupError(
          `The setup gave ${article(resource)} ${resource} whose ${name} is ${JSON.stringify(raw)}, which the document does not allow (${read.fault}).`,
        );
      values.set(name, read.value);
    }
    if (values.get(name) === null && !nullable && !password)
      throw new SetupError(
        `The setup gave ${article(resource)} ${resource} without ${name}. A row has all fields that are always there, and ${identity}.`,
      );
  }
  const row = new OracleRow(resource, values);
  for (const { name, sequence } of columns) {
    if (!sequence) continue;
    const of = sequence.per === null ? '' : ` ${JSON.stringify(row.get(sequence.per))}`;
    const key = `${resource}.${name}${of}`;
    work.rows.numbers.set(key, Math.max(work.rows.numbers.get(key) ?? 0, Number(row.get(name))));
  }
  setDues(work, row, 'create');
  work.rows.add(row);
  record(work, row, 'created', null);
  oracle.commit(work);
  return row;
}

/** The kinds of values that the test cannot know exactly. */
const BY_TIME: ReadonlySet<string> = new Set(['timestamp', 'date']);

/** Finds values that the service draws and no answer shows: the setup lists the stored rows for the operator. */
export class Unseen {
  /** The rows that were looked up, by the marks in them. */
  private readonly asked = new Set<string>();

  /** The state with the values of new rows that the operator lists; unchanged where no value is unknown. */
  async toldOf(oracle: Oracle, { plan, setup }: Subject, { endpoint }: Prediction): Promise<Oracle> {
    if (!setup.list || !endpoint?.writes) return oracle;
    let told = oracle;
    for (const resource of plan.resources) {
      const rows = oracle.state.rows.all(resource.name).filter((row) => this.isNew(resource, row));
      if (rows.length === 0) continue;
      const stored = await setup.list(resource.name);
      told = told === oracle ? oracle.copy() : told;
      for (const row of rows) tell(told, resource, row, stored);
    }
    return told;
  }

  private isNew({ name, columns }: ResourcePlan, row: OracleRow): boolean {
    const marks = columns.flatMap((column) => (isMarked(row.get(column.name)) ? String(row.get(column.name)) : []));
    const key = `${name} ${marks.join(' ')}`;
    if (marks.length === 0 || this.asked.has(key)) return false;
    this.asked.add(key);
    return true;
  }
}

/**
 * Learns the values of a row from the only stored row that it can be. If several stored rows are possible, nothing is
 * learned.
 */
function tell(oracle: Oracle, { columns }: ResourcePlan, row: OracleRow, stored: readonly Fields[]): void {
  const { checks } = oracle.state;
  const read = (column: ResourcePlan['columns'][number], fields: Fields): Value | undefined => {
    const raw = fields[column.name] ?? null;
    const found = raw === null ? { value: null } : checks.value(column.rule)(raw);
    return 'value' in found ? found.value : undefined;
  };
  const isLike = (fields: Fields): boolean =>
    columns.every((column) => {
      const ours = row.get(column.name);
      if (column.password || BY_TIME.has(column.rule.kind) || isMarked(ours)) return true;
      const theirs = read(column, fields);
      return theirs !== undefined && sameValue(ours, theirs);
    });
  const open = columns.filter((column) => isMarked(row.get(column.name)));
  const others = oracle.state.rows.all(row.resource);
  // A drawn value that another row has is not that of this row.
  const isOther = (fields: Fields): boolean =>
    open.some((column) => {
      const theirs = read(column, fields) ?? null;
      return theirs !== null && others.some((other) => sameValue(other.get(column.name), theirs));
    });
  const [found, another] = stored.filter((fields) => isLike(fields) && !isOther(fields));
  if (!found || another) return;
  for (const column of open) {
    const mark = row.get(column.name);
    const value = isMark(mark) ? read(column, found) : undefined;
    if (isMark(mark) && value !== undefined) oracle.state.tell(mark, value);
  }
}
