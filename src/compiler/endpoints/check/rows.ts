import type { Column, Csv, Form } from '../../../language/answer.ts';
import type { BodyPlan, RowsForm, VersionPlan } from '../../../plan/step.ts';
import type { Name } from '../../../syntax/names.ts';
import type { Token } from '../../../syntax/tokens.ts';
import { limitAt } from '../../document/effective-limits.ts';
import type { Resolved } from '../../document/resolve.ts';
import { unknownView, viewOf } from '../../resources/check-views.ts';
import type { Resource } from '../../statements/resources.ts';
import { planVersions } from '../../versioning/plan.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import type { Checking, Of } from './checking.ts';

/** Checks an answer with streamed rows; undefined while it isn't settled. */
export function checkRows(
  c: Checking,
  step: Of<'Answer'>,
  body: Token,
  form: Exclude<Form, { kind: 'text' | 'file' }>,
): BodyPlan | undefined {
  const { r, findings } = c;
  checkEndpoint(c, step);
  const list = c.streamed.get(body.text);
  if (!list) {
    if (!c.broken) findings.push(d.report.rowsOfList(body, { form: form.kind }));
    return undefined;
  }
  r.notes.marks.push({ ...body.inner, role: 'use' });
  const resource = r.resourceNamed(list.resource);
  if (!resource || !checkView(r, resource, body, step.view)) return undefined;
  const view = { resource: list.resource, name: step.view?.text ?? list.resource };
  const shaped = form.kind === 'NDJSON' ? ({ kind: 'NDJSON' } as const) : checkCsv(c, form, view);
  return shaped && { kind: 'rows', list: body.text, view, form: shaped };
}

/** Checks the statements of an endpoint with streamed rows. */
function checkEndpoint({ r, one, endpoint, findings }: Checking, step: Of<'Answer'>): void {
  const params = { endpoint };
  const { conditional } = one.settings;
  if (one.endpoint.method !== 'GET') {
    findings.push(d.report.rowsMethod(step.span, params));
    return;
  }
  if (step.status.value !== 200) findings.push(d.report.rowsStatus(step.status, { status: `${step.status.value}` }));
  if (conditional?.value === 'strong ETag') findings.push(d.report.rowsTagged(step.span, params, [endpoint]));
  if (!limitAt(r, one, 'Time-out')) findings.push(d.report.rowsTimeout(step.span, params, [endpoint]));
}

function checkView(r: Resolved, resource: Resource, body: Token, view: Name | null): boolean {
  const shown = viewOf(resource, view?.text ?? resource.name.text);
  if (view && shown) r.viewUses.add(`${resource.name.text}.${view.text}`);
  if (view && !shown) unknownView(r, resource, view);
  if (shown?.length === 0) r.notes.findings.push(d.report.rowsNever(body, { resource: resource.name.text }));
  return shown !== null && shown.length > 0;
}

type View = Extract<BodyPlan, { kind: 'rows' }>['view'];

function checkCsv(c: Checking, form: Csv, view: View): RowsForm | undefined {
  const { header, formulas } = form;
  if (!header) c.findings.push(d.report.csvHeader(form, {}, [c.endpoint]));
  if (!formulas) c.findings.push(d.report.csvFormulas(form, {}, [c.endpoint]));
  const columns = form.columns.map((one) => columnOf(c, one, view));
  const known = columns.filter((one) => one !== null);
  // A version lacks a column if it lacks a member that leads to it.
  const isGone = ({ names }: VersionPlan): boolean =>
    columns.every((one) => one?.path.some(({ key }) => names[key] === null));
  const bare = planVersions(c.r.model)?.older.find((version) => !version.retired && isGone(version));
  if (bare) c.findings.push(d.report.csvVersion(form, { version: bare.name }, [c.endpoint]));
  const titles = form.columns.map(({ name, title }) => title?.text ?? name.text);
  for (const [i, { name, title }] of form.columns.entries()) {
    if (title && header === 'absent') c.findings.push(d.report.csvTitle(title.inner));
    if (titles.indexOf(titles[i] ?? '') < i)
      c.findings.push(d.report.csvTwice(title?.inner ?? name, { title: titles[i] ?? '' }));
  }
  return header && formulas && known.length === columns.length
    ? {
        kind: 'CSV',
        columns: known.map(({ path, title }) => ({ path: path.map(({ field }) => field), title })),
        header,
        formulas,
      }
    : undefined;
}

/** The members that lead to a column, and its title; null after reporting an unknown name. */
function columnOf(
  { r }: Checking,
  { name, title }: Column,
  view: View,
): { readonly path: readonly Member[]; readonly title: string | null } | null {
  const path = pathTo(r, name.text, view);
  if (path) return { path, title: title?.text ?? null };
  r.unknown(name, `member of the shown ${view.name}`, namesIn(r, view));
  return null;
}

/** A member of a shown form, and its name with that of its resource. */
interface Member {
  readonly field: string;
  readonly key: string;
}

/** The members that lead to a dotted name in a shown form: it may be one member, or one inside a shown row. */
function pathTo(r: Resolved, name: string, view: View): Member[] | null {
  const members = membersOf(r, view);
  const { resource } = view;
  if (members.some(({ field }) => field === name)) return [{ field: name, key: `${resource}.${name}` }];
  for (const { field, inner } of members) {
    const rest = inner && name.startsWith(`${field}.`) ? pathTo(r, name.slice(field.length + 1), inner) : null;
    if (rest) return [{ field, key: `${resource}.${field}` }, ...rest];
  }
  return null;
}

/** The names that columns may have; of rows that are shown inside others, one level. */
const namesIn = (r: Resolved, view: View): string[] =>
  membersOf(r, view).flatMap(({ field, inner }) =>
    inner ? [field, ...membersOf(r, inner).map((one) => `${field}.${one.field}`)] : [field],
  );

/** The members of a view, each with the view of its row if it shows one. */
function membersOf(
  r: Resolved,
  { resource, name }: View,
): Array<{ readonly field: string; readonly inner: View | null }> {
  const known = r.resourceNamed(resource);
  return (known ? (viewOf(known, name) ?? []) : []).map(({ field, as }) => {
    const type = r.fieldTypes(resource).get(field.text);
    const target = type?.kind === 'row' ? r.resourceNamed(type.resource) : null;
    const isView = target && as && !r.fieldTypes(target.name.text).has(as.text) && viewOf(target, as.text);
    return { field: field.text, inner: isView ? { resource: target.name.text, name: as.text } : null };
  });
}
