import type { Json } from '../../export/json.ts';
import { STRING, type Type } from '../../expression/tree/types.ts';
import type { ResourcePlan } from '../../plan/step.ts';
import type { OracleRow } from '../oracle/rows.ts';
import type { Transaction } from '../oracle/scope.ts';
import { written } from '../oracle/show.ts';
import type { KnownRow } from '../requests/known.ts';

/** A row as requests can speak of it. */
export function knownRow(row: OracleRow, work: Transaction): KnownRow {
  const { rows } = work;
  const { columns, states } = rows.plan(row.resource);
  const scope = { work, names: new Map(), row, sighted: false };
  const fields = columns.flatMap(({ name, rule, reference, password }): Array<[string, Json]> => {
    const value = password ? null : row.get(name);
    if (value === null) return [];
    const json = reference === null ? written(value, typeOf(rule), null, scope) : (value as Json);
    return json === undefined ? [] : [[name, json]];
  });
  return {
    resource: row.resource,
    identity: String(rows.identity(row)),
    fields: Object.fromEntries(fields),
    state: states ? String(row.get(states.field)) : null,
  };
}

type Rule = ResourcePlan['columns'][number]['rule'];

/** The type of what a column holds. */
function typeOf({ kind, scale, items }: Rule): Type {
  if (kind === 'text' || kind === 'uuid') return STRING;
  if (kind === 'decimal') return { kind, scale: scale ?? 0, nullable: false };
  if (kind === 'list' || kind === 'set') return { kind: 'list', of: items ? typeOf(items) : STRING, nullable: false };
  if (kind === 'map') return { kind, of: items ? typeOf(items) : STRING, nullable: false };
  return { kind, nullable: false };
}
