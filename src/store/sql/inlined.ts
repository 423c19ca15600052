import { comparedValue, type Layout } from '../../expression/javascript.ts';
import { SqlWriter } from '../../expression/sql/sql.ts';
import type { Expr } from '../../expression/tree/expression.ts';
import { emptyFrame, type Value } from '../../expression/values/value.ts';
import { columnName, quoted } from '../tables.ts';
import type { StoreDialect } from './dialect.ts';

/**
 * SQL for an expression over a row of a resource, with constants instead of parameters: an index accepts no parameters,
 * and a migration knows their values. `alias` is the alias of the row’s table, or null for columns without one.
 * `layout` throws for all names except those of the row.
 */
export function inlined(
  expr: Expr,
  resource: string,
  dialect: StoreDialect,
  { alias, layout, now, plainly }: { alias: string | null; layout: Layout; now: number; plainly?: boolean },
): string {
  const frame = emptyFrame(now, '');
  const writer: SqlWriter = new SqlWriter(
    {
      ...dialect,
      column: alias === null ? (_alias, _resource, field) => quoted(columnName(field)) : dialect.column,
      parameter: (index, uuid) => {
        const parameter = writer.parameters[index - 1];
        if (!parameter) throw new Error('A parameter is kept before it is written');
        return dialect.literal(comparedValue(parameter.expr, layout)(frame) as Value, uuid);
      },
    },
    { plainly },
  );
  return writer.bind('this', resource, alias ?? '').write(expr);
}
