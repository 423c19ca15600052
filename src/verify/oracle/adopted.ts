import type { Json } from '../../export/json.ts';
import { article } from '../../expression/tree/types.ts';
import type { Value } from '../../expression/values/value.ts';
import { SetupError } from '../setup/failures.ts';
import { setDues } from './dues.ts';
import type { Oracle } from './oracle.ts';
import { OracleRow } from './rows.ts';

/** The setup has given a row with a value that the document does not allow. */
class RowError extends SetupError {}

/** Adds to the oracle a row that the operator has created, with the field values that the implementation reports. */
export function adopt(
  oracle: Oracle,
  resource: string,
  fields: Readonly<Record<string, Json>>,
  now: number,
): OracleRow {
  const { plan } = oracle.state;
  const work = oracle.begin(now, { version: plan.versions?.current ?? '', name: `row of ${resource}` });
  const { columns, identity, states } = work.rows.plan(resource);
  const values = new Map<string, Value>();
  for (const { name, rule, nullable, password } of columns) {
    const raw = Object.hasOwn(fields, name) ? (fields[name] ?? null) : null;
    if (password) values.set(name, typeof raw === 'string' ? raw : null);
    else if (raw === null) values.set(name, states?.field === name ? states.initial : null);
    else {
      const read = oracle.state.checks.value(rule)(raw);
      if ('fault' in read)
        throw new RowError(
          `The setup gave ${article(resource)} ${resource} whose ${name} is ${JSON.stringify(raw)}, which the document does not allow (${read.fault}).`,
        );
      values.set(name, read.value);
    }
    if (values.get(name) === null && !nullable && !password)
      throw new RowError(
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
  oracle.commit(work);
  return row;
}
