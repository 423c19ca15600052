import type { SqlWriter } from '../../expression/sql/sql.ts';
import { nullable } from '../../expression/tree/types.ts';
import type { StatementSpec } from '../store.ts';
import type { StoreDialect } from './dialect.ts';

/**
 * The SQL of groups, up to their number: selects the keys of rows and the arguments of aggregates, then groups these
 * rows, then puts the groups in order. `writer` has the rows of the resource as `this`, with the alias `t`.
 */
export function writeGroups(
  { resource, where, keys, values, order }: Extract<StatementSpec, { kind: 'groups' }>,
  writer: SqlWriter,
  dialect: StoreDialect,
): { readonly sql: string; readonly parameters: SqlWriter['parameters'] } {
  const members = [...keys, ...values];
  // Parameters are written in the order in which the SQL has them.
  const made = values.map((value, i) => `${writer.write(value)} AS m${keys.length + i}`);
  const key = keys.map((_, i) => `g.k${i} AS m${i}`);
  const columns = keys.map((one, i) => `${writer.write(one)} AS k${i}`);
  const needed = writer.grouped.map((one, i) => `${writer.write(one)} AS v${i}`);
  const selected = where ? ` WHERE ${writer.write(where)}` : '';
  // An argument that an aggregate reads twice is computed once.
  const apart = writer.repeats ? dialect.apart : '';
  const rows = `SELECT ${[...columns, ...needed].join(', ')} FROM ${dialect.table(resource)} AS t${selected}${apart}`;
  const by = keys.map((_, i) => `g.k${i}`).join(', ');
  const groups = `SELECT ${[...key, ...made].join(', ')} FROM (${rows}) AS g GROUP BY ${by}`;
  const directed = (i: number, descending: boolean): string => {
    const { type } = members[i]!;
    const maybe = nullable(type, type.nullable || dialect.results.lacks(members[i]!));
    return dialect.directed(`o.m${i}`, descending, maybe);
  };
  const ties = keys.flatMap((_, i) => (i === order.member ? [] : [directed(i, false)]));
  const all = members.map((_, i) => `o.m${i}`).join(', ');
  const sorted = [directed(order.member, order.descending), ...ties].join(', ');
  return { sql: `SELECT ${all} FROM (${groups}) AS o ORDER BY ${sorted}`, parameters: writer.parameters };
}
