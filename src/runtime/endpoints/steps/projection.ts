import type { Row } from '../../../expression/values/value.ts';
import type { ReadsPlan } from '../../../plan/step.ts';
import { REVISION, SHOWN } from '../../../store/tables.ts';
import type { StepContext, StepRun } from './context.ts';

/** A projection that reads rows with few columns beside their cached JSON. */
export interface Projection {
  /** The selected columns; all others are null. */
  readonly columns: readonly string[];
  /** Whether the cached JSON is of the version that the request asks for. */
  fits(run: StepRun): boolean;
  /** Whether all rows have cached JSON; where one has none, the rows are read whole. */
  suffices(rows: readonly Row[]): boolean;
  /** Sets the identity of a row, read from its cached JSON. */
  identify(row: Row): void;
}

/** Returns null where the rows of a step must be read whole; `also` are columns that the step itself needs. */
export function projectionOf(
  { reads, resource: name }: { readonly reads: ReadsPlan | null; readonly resource: string },
  also: readonly string[],
  c: StepContext,
): Projection | null {
  const { cachedJson, plan, identity } = c.resource(name);
  if (!cachedJson || !reads) return null;
  const read = new Set([...reads.fields, ...(reads.tag ? [REVISION] : [])]);
  const needed = new Set([SHOWN, ...also, ...read]);
  // Reading the identity from the JSON of the last row costs less than selecting it for every row.
  const told = cachedJson.tellsIdentity && !read.has(plan.identity);
  if (told) needed.delete(plan.identity);
  return {
    columns: [...needed],
    fits: ({ x }) => cachedJson.version === x.apiVersion.version,
    suffices: (rows) => rows.every((row) => cachedJson.has(row)),
    identify(row) {
      if (told) row[identity] = cachedJson.identityOf(row);
    },
  };
}
