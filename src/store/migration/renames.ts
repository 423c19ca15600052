import { FILE_MEMBERS, fileColumn } from '../../plan/files.ts';
import { mapData } from '../../plan/map-data.ts';
import type { AuditShape, ResourceShape, StoredShape } from '../shape.ts';
import { FORMS_OF_FIELDS } from '../tables.ts';
import type { Change } from './changes.ts';
import type { Rename } from './upgrade.ts';

interface Renamed {
  readonly shape: StoredShape;
  readonly changes: readonly Change[];
  readonly mistakes: readonly string[];
}

/**
 * The old shape with the new names. A rename that has been done already has no effect, so that it may stay on a command
 * line. A rename that fits neither document is a mistake.
 */
export function renamedShape(old: StoredShape, next: StoredShape, renames: readonly Rename[]): Renamed {
  const mistakes: string[] = [];
  const resources = new Map<string, string>();
  const fields = new Map<string, string>();
  for (const rename of renames.flatMap((one) => columnsOf(one, old, next))) {
    const wrong = mistakeIn(rename, old, next);
    if (wrong) mistakes.push(wrong);
    else if (isDone(rename, old)) continue;
    else if (rename.to.field === null) resources.set(rename.resource, rename.to.resource);
    else fields.set(`${rename.resource}.${rename.field}`, rename.to.field);
  }
  const targets = [...resources.values()];
  for (const name of new Set(targets.filter((one, i) => targets.indexOf(one) !== i)))
    mistakes.push(`Two resources are renamed to ${name}.`);
  const shape = renamedWith(old, resources, fields);
  for (const { name, columns } of shape.resources)
    if (new Set(columns.map((column) => column.name)).size < columns.length)
      mistakes.push(`Two fields of ${name} would have one name.`);
  const changes: Change[] = [
    ...[...resources].map(([from, resource]): Change => ({ kind: 'rename resource', resource, from })),
    ...[...fields].map(([path, field]): Change => {
      const [resource, from] = split(path);
      return { kind: 'rename field', resource: resources.get(resource) ?? resource, field, from };
    }),
  ];
  return { shape, changes, mistakes };
}

/** A field of bytes is renamed with its members, and with the column for the identity of its bytes. */
function columnsOf(rename: Rename, old: StoredShape, next: StoredShape): readonly Rename[] {
  const { resource, field, to } = rename;
  if (field === null || to.field === null) return [rename];
  const isBytes = has(old, resource, fileColumn(field)) || has(next, to.resource, fileColumn(to.field));
  if (!isBytes) return [rename];
  const into = to.field;
  const of = (from: string, name: string): Rename => ({ ...rename, field: from, to: { ...to, field: name } });
  return [
    ...FILE_MEMBERS.map((member) => of(`${field}.${member}`, `${into}.${member}`)),
    of(fileColumn(field), fileColumn(into)),
  ];
}

/** `Order.maker.name` → `Order` and `maker.name`. */
export function split(path: string): [resource: string, field: string] {
  const dot = path.indexOf('.');
  return [path.slice(0, dot), path.slice(dot + 1)];
}

const has = (shape: StoredShape, resource: string, field: string | null): boolean => {
  const found = shape.resources.find((one) => one.name === resource);
  return found !== undefined && (field === null || found.columns.some((column) => column.name === field));
};

function isDone({ resource, field, to }: Rename, old: StoredShape): boolean {
  return !has(old, resource, field) && (field === null || !has(old, resource, null) || has(old, to.resource, to.field));
}

function mistakeIn(rename: Rename, old: StoredShape, next: StoredShape): string | null {
  const { resource, field, to } = rename;
  const [from, into] = [pathOf(resource, field), pathOf(to.resource, to.field)];
  if ((field === null) !== (to.field === null)) return `${from} cannot become ${into}: one is a field, and one is not.`;
  if (!has(next, to.resource, to.field)) return `${from} cannot be renamed to ${into}: the document has no ${into}.`;
  if (!has(old, resource, field)) {
    const stored = has(old, to.resource, to.field);
    return stored ? null : `${from} cannot be renamed to ${into}: nothing that is stored is called ${from}.`;
  }
  return null;
}

const pathOf = (resource: string, field: string | null): string => (field === null ? resource : `${resource}.${field}`);

/** Renames resources and fields in a shape, with all its rules and expressions. */
function renamedWith(
  { resources: list, format }: StoredShape,
  resources: ReadonlyMap<string, string>,
  fields: ReadonlyMap<string, string>,
): StoredShape {
  const resourceName = (name: string): string => resources.get(name) ?? name;
  const renamed = list.map((resource): ResourceShape => {
    const name = (field: string): string => fields.get(`${resource.name}.${field}`) ?? field;
    const hidden = (column: string): string => {
      const form = FORMS_OF_FIELDS.find((one) => column.startsWith(one)) ?? '';
      return form + name(column.slice(form.length));
    };
    const walked = mapData(resource, (was, copy) => {
      if (typeof was.resource === 'string') copy.resource = resourceName(was.resource);
      if (was.op === 'get' && was.of?.type?.kind === 'row')
        copy.member = fields.get(`${was.of.type.resource}.${was.member}`) ?? was.member;
    });
    return {
      ...walked,
      name: resourceName(resource.name),
      identity: name(resource.identity),
      columns: walked.columns.map((column) => ({
        ...column,
        name: name(column.name),
        reference: column.reference && resourceName(column.reference),
        ...(column.references !== undefined && { references: resourceName(column.references) }),
        sequence: column.sequence && { per: column.sequence.per && name(column.sequence.per) },
      })),
      uniques: walked.uniques.map((rule) => ({
        ...rule,
        fields: rule.fields.map(name),
        ignoringCase: rule.ignoringCase.map(name),
      })),
      overlaps: walked.overlaps.map((rule) => ({ ...rule, by: rule.by.map(name) })),
      timed: walked.timed.map((one) => (one.field === undefined ? one : { ...one, field: name(one.field) })),
      states: walked.states && { ...walked.states, field: name(walked.states.field) },
      ...(walked.furtherStates && {
        furtherStates: walked.furtherStates.map((one) => ({ ...one, field: name(one.field) })),
      }),
      ...(resource.audit && { audit: renamedAudit(resource.name, resource.audit, resourceName, fields) }),
      stored: walked.stored.map(hidden),
    };
  });
  return { format, resources: renamed };
}

function renamedAudit(
  audited: string,
  { fields, entries, facts, ...rest }: AuditShape,
  resourceName: (name: string) => string,
  renamed: ReadonlyMap<string, string>,
): AuditShape {
  const name = (resource: string, field: string): string => renamed.get(`${resource}.${field}`) ?? field;
  return {
    ...rest,
    fields: fields.map((field) => name(audited, field)),
    entries: resourceName(entries),
    facts: facts.map(({ entry, fact, of }) => ({
      entry: name(entries, entry),
      fact,
      of: of === null ? null : fact === 'caller' ? resourceName(of) : name(audited, of),
    })),
  };
}
