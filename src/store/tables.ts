import type { ColumnKind, ColumnPlan, ResourcePlan } from '../plan/step.ts';

/** One stored column of a resource: the document's fields, then what the service keeps beside them. */
export interface StoredColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly nullable: boolean;
  readonly reference: string | null;
}

/** The columns that the service adds. A field's name can't begin with a space, so they never meet one. */
export const REVISION = ' revision';
const DUE = ' due ';

/** The hidden column that says when a timed move falls due. */
export const dueColumn = (transition: string): string => `${DUE}${transition}`;

/** A resource's columns in the order of its rows: the fields, the revision, the due instants. */
export function storedColumns(resource: ResourcePlan): StoredColumn[] {
  const fields = resource.columns.map((column: ColumnPlan) => ({
    name: column.name,
    kind: column.rule.kind,
    nullable: column.nullable,
    reference: column.reference,
  }));
  const due = timedTransitions(resource).map((transition) => ({
    name: dueColumn(transition.name),
    kind: 'timestamp' as const,
    nullable: true,
    reference: null,
  }));
  return [...fields, { name: REVISION, kind: 'integer', nullable: false, reference: null }, ...due];
}

/** The transitions of a resource that happen by themselves. */
export function timedTransitions(resource: ResourcePlan) {
  return resource.states?.transitions.filter((transition) => transition.timed !== null) ?? [];
}

/** A name of the document as SQL people would write it: `OrderLine` → `order_line`. */
export function tableName(resource: string): string {
  const name = resource.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();
  return name.replace(/^(ninefold|sqlite)_/, '$1__');
}

/** The name of a stored column: a field's own, and the service's with a prefix that no document can use. */
export function columnName(name: string): string {
  if (name === REVISION) return 'ninefold_revision';
  if (name.startsWith(DUE)) return `ninefold_due_${name.slice(DUE.length)}`;
  return name.replace(/^ninefold_/, 'ninefold__');
}

/** Quotes an identifier (SQL:2016, delimited identifier). */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
