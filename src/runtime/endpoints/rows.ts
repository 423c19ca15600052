import type { Row, Value } from '../../expression/values/value.ts';
import { cellText, csvRecord, withoutFormula } from '../../http/csv.ts';
import { mediaTypeOf } from '../../plan/media-types.ts';
import type { BodyPlan } from '../../plan/step.ts';
import type { Call } from '../../store/store.ts';
import type { Answer } from '../http/message.ts';
import type { View } from '../resources/shown.ts';
import type { StepRun } from './steps/context.ts';

/** Rows that an answer sends: the call that reads them, and how they are written. */
interface StreamedRows {
  readonly call: Call;
  /** The text before the first row. */
  readonly head: string;
  readonly write: (row: Row) => string;
}

/** An answer whose rows are still to be read. */
export type RowsAnswer = Answer & { readonly rows: StreamedRows };

interface RowsContext {
  readonly views: ReadonlyMap<string, View>;
  readonly expressions: { width(resource: string): number };
}

type Rows = Extract<BodyPlan, { kind: 'rows' }>;

/** Compiles how streamed rows are written: each as JSON on a line, or as a record of CSV. */
export function compileRows(plan: Rows, c: RowsContext) {
  const view = c.views.get(plan.list)!;
  const width = c.expressions.width(plan.view.resource);
  const write = plan.form.kind === 'NDJSON' ? linesOf(view) : recordsOf(plan.form, view);
  return {
    mediaType: mediaTypeOf(plan),
    of(run: StepRun): StreamedRows {
      const { head, written } = write(run);
      return { call: run.rows!, head, write: (row) => written(row, row.length > width ? row.slice(width) : []) };
    },
  };
}

interface Written {
  readonly head: string;
  readonly written: (row: Row, extra: readonly Value[]) => string;
}

function linesOf(view: View): (run: StepRun) => Written {
  return ({ x, work }) => ({
    head: '',
    written: (row, extra) => `${view.written(row, extra, work.frame, x.apiVersion)}\n`,
  });
}

function recordsOf(
  { columns, header, formulas }: Extract<Rows['form'], { kind: 'CSV' }>,
  view: View,
): (run: StepRun) => Written {
  const safe = formulas === 'escaped' ? withoutFormula : (text: string): string => text;
  const paths = columns.map(({ path }) => path);
  return ({ x, work }) => {
    const cells = view.cells(paths, x.apiVersion);
    const titles = cells.flatMap((cell, i) => (cell ? [safe(columns[i]!.title ?? cell.name)] : []));
    const writers = cells.flatMap((cell) => cell?.write ?? []);
    return {
      head: header === 'present' ? csvRecord(titles) : '',
      written: (row, extra) =>
        csvRecord(
          view.reading(row, extra, work.frame, (frame) =>
            writers.map((write) => {
              const text = cellText(write(frame));
              return text === null ? null : safe(text);
            }),
          ),
        ),
    };
  };
}
