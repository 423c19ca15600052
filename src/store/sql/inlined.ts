import { comparedValue, type Layout } from '../../expression/javascript.ts';
import { SqlWriter } from '../../expression/sql/sql.ts';
import type { Expr } from '../../expression/tree/expression.ts';
import { emptyFrame, type Value } from '../../expression/values/value.ts';
import { columnName, quoted } from '../tables.ts';
import type { StoreDialect } from './dialect.ts';

/**
 * An expression over a row of a resource with its constants written out: an index takes no parameters, and a migration
 * knows their values. `alias` is what the row’s table is called; null where columns stand alone. `layout` refuses names
 * of anything else than the row.
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
