import { addVary } from '../http/headers.ts';
import { GUARDS } from '../plan/files.ts';
import { canBeMissing, type PageValue, relationOf } from '../plan/limits.ts';
import { statementId } from '../plan/lines.ts';
import { mediaTypeOf } from '../plan/media-types.ts';
import { named } from '../plan/named.ts';
import { allNested } from '../plan/nested-steps.ts';
import type {
  AnsweredMember,
  AnswerStep,
  BodyPlan,
  EndpointPlan,
  FileBody,
  InsideStep,
  PagePlan,
  ValueRule,
  ViewMember,
} from '../plan/step.ts';
import { waysToAnswers } from '../plan/ways.ts';
import type { AnswerBody, AnswerContract, HeaderContract } from './endpoint.ts';
import type { VersionFacts } from './endpoints.ts';
import { computedHeader, header } from './headers.ts';
import { objectOf, shownObject } from './objects.ts';
import { expression, type FieldNames, type PlanReader } from './plan-reader.ts';
import { SUCCEEDED } from './successes.ts';
import type { ContractType, CsvContract, MemberContract } from './types.ts';
import { sentMember, shapeName, typeOfShown } from './values.ts';

/** Headers that a 304 repeats from the 200 (RFC 9110, section 15.4.5), beside `ETag`. */
const REPEATED: readonly string[] = ['Cache-Control', 'Vary'];

/** The successful answers of an endpoint, preceded by 304 if the endpoint evaluates conditional requests. */
export function success(
  r: PlanReader,
  endpoint: EndpointPlan,
  version: Pick<VersionFacts, 'mediaType' | 'names'>,
  told: readonly HeaderContract[],
): AnswerContract[] {
  const page = pageOf(endpoint);
  const ways = waysToAnswers(endpoint);
  const ownOf = (answer: AnswerStep): HeaderContract[] =>
    answer.headers.map((one) => computedHeader(r, one.name, one.value));
  const successes = ways.map(({ answer, under }): AnswerContract => {
    const tag = answer.conditional ? [header('ETag')] : [];
    const links = answer.body?.kind === 'page' && page?.link.length;
    const link: HeaderContract[] = links ? [{ ...header('Link'), presence: 'sometimes' }] : [];
    const where = under.length > 0 ? ` (${under.join('; ')})` : '';
    return {
      status: answer.status,
      code: null,
      title: null,
      because: { kind: 'success', name: 'success', text: `${SUCCEEDED}${where}` },
      headers: withOneVary([
        ...ownOf(answer),
        ...fileHeaders(answer),
        ...link,
        ...tag,
        ...cookiesOf(r, endpoint),
        ...told,
      ]),
      body: bodyOf(r, endpoint, answer, version),
      lines: r.lines(answer.line),
    };
  });
  const ranged = successes.filter((_, i) => ways[i]!.answer.body?.kind === 'file' && hasRanges(ways[i]!.answer));
  const parts = ranged.map(
    (one): AnswerContract => ({
      ...one,
      status: 206,
      because: { kind: 'range', name: 'Range', text: 'Range names a part of the file' },
      headers: [...one.headers, header('Content-Range')],
    }),
  );
  const judged = ways.filter(({ answer }) => answer.conditional);
  if (judged.length === 0) return [...parts, ...successes];
  const repeated = judged.map(({ answer }) => ownOf(answer).filter((one) => REPEATED.includes(one.name)));
  const unchanged: AnswerContract = {
    status: 304,
    code: null,
    title: null,
    because: { kind: 'not modified', name: 'If-None-Match', text: 'If-None-Match names the entity tag of the answer' },
    headers: withOneVary([...commonHeaders(repeated), header('ETag'), ...told]),
    body: null,
    lines: r.lines(statementId.endpoint(endpoint.name, 'conditional')),
  };
  return [unchanged, ...parts, ...successes];
}

const hasRanges = ({ body }: AnswerStep): boolean => body?.kind === 'file' && body.ranges === 'served';

/** The headers of an answer with a file, which say what a browser may do with it. */
function fileHeaders(answer: AnswerStep): HeaderContract[] {
  const { body } = answer;
  if (body?.kind !== 'file') return [];
  return [
    header('Content-Disposition', body.name ? null : body.disposition),
    ...Object.entries(GUARDS).map(([name, value]) => header(name, value)),
    ...(hasRanges(answer) ? [header('Accept-Ranges', 'bytes')] : []),
  ];
}

/** The headers of one of several answers: those that not all have in the same form are there sometimes. */
function commonHeaders(each: ReadonlyArray<readonly HeaderContract[]>): HeaderContract[] {
  const [first = [], ...others] = each;
  if (others.length === 0) return [...first];
  const names = [...new Set(each.flat().map(({ name }) => name.toLowerCase()))];
  return names.map((name) => {
    const found = each.flatMap((headers) => headers.find((one) => one.name.toLowerCase() === name) ?? []);
    const [one] = found;
    if (!one) throw new Error(`No answer has the header ${name}`);
    const always = found.length === each.length && found.every(({ presence }) => presence === 'always');
    const same = found.length === each.length && found.every((other) => JSON.stringify(other) === JSON.stringify(one));
    return same ? one : { name: one.name, presence: always ? 'always' : 'sometimes', value: null, expression: null };
  });
}

/** The cookies that steps set and remove: always, where every request comes to such a step. */
function cookiesOf({ plan: { schemes } }: PlanReader, endpoint: EndpointPlan): HeaderContract[] {
  const carried = new Set(schemes.flatMap(({ name, cookie }) => (cookie ? [name] : [])));
  const sets = (step: InsideStep): boolean =>
    ((step.do === 'revoke' && step.of === null) || step.do === 'issue') && carried.has(step.scheme);
  const always = (step: InsideStep): boolean =>
    step.do === 'if' ? step.then.some(always) && step.else.some(always) : sets(step);
  const { inside } = endpoint;
  if (![...allNested(inside)].some(sets)) return [];
  const isAlways = waysToAnswers(endpoint).length === 1 && inside.some(always);
  return [isAlways ? header('Set-Cookie') : { ...header('Set-Cookie'), presence: 'sometimes' }];
}

/** Merges the `Vary` of a step and the common `Vary` into one header, as the service sends it. */
function withOneVary(headers: readonly HeaderContract[]): HeaderContract[] {
  const [own, ...others] = headers.filter(isVary);
  if (!own || others.length === 0) return [...headers];
  const rest = headers.filter((one) => !isVary(one));
  const tree = own.expression?.tree;
  const stated = tree?.op === 'const' ? String(tree.value) : own.value;
  // A computed `Vary` can have any value, so it replaces the others.
  if (stated === null) return [...rest, own];
  const vary = ['Vary', stated];
  for (const { value } of others) if (value !== null) addVary(vary, value);
  return [...rest, header('Vary', vary[1])];
}

const isVary = ({ name }: HeaderContract): boolean => name.toLowerCase() === 'vary';

/** The form of an endpoint's pages; null where it lists none. */
export const pageOf = ({ before }: EndpointPlan): PagePlan | null =>
  before.find((step) => step.do === 'read page')?.page ?? null;

function bodyOf(
  r: PlanReader,
  endpoint: EndpointPlan,
  { body, line }: AnswerStep,
  { mediaType, names }: Pick<VersionFacts, 'mediaType' | 'names'>,
): AnswerBody | null {
  if (!body) return null;
  switch (body.kind) {
    case 'stream':
      return {
        mediaType: mediaTypeOf(body),
        type: { kind: 'stream', events: body.events },
        nullable: false,
        expression: null,
      };
    case 'description':
      return {
        mediaType,
        type: { kind: 'description', format: body.format, content: body.content },
        nullable: false,
        expression: null,
      };
    case 'text':
      return {
        mediaType: mediaTypeOf(body),
        type: typeOfShown(body.value, null, r),
        nullable: false,
        expression: expression(body.value),
      };
    case 'file':
      return { mediaType: mediaTypeOf(body), type: fileType(body), nullable: false, expression: null };
    case 'rows':
      return { mediaType: mediaTypeOf(body), type: rowsType(r, body, names), nullable: false, expression: null };
    case 'value': {
      const { value, view } = body.shown;
      return {
        mediaType,
        type: typeOfShown(value, view, r, names),
        nullable: r.mayBeMissing(value),
        expression: expression(value),
      };
    }
    case 'page': {
      const page = pageOf(endpoint);
      const items: ContractType = {
        kind: 'list',
        of: { kind: 'shape', name: shapeName(body.view) },
        nullable: false,
        min: 0,
        max: page?.most ?? null,
      };
      return { mediaType, type: pageType(r, page, items, body.view.resource), nullable: false, expression: null };
    }
    case 'row with members': {
      const { value, view } = body.shown;
      const { resource, name } = view!;
      const { members } = named(r.resource(resource).views, name);
      const further = membersOf(r, body.members, names, line);
      const type = shownObject(resource, members, names, r, further);
      return { mediaType, type, nullable: false, expression: expression(value) };
    }
    case 'members': {
      const members = membersOf(r, body.members, names, line);
      return { mediaType, type: objectOf(members, 'none'), nullable: false, expression: null };
    }
  }
}

const fileType = ({ mediaTypes, most: max }: FileBody): ContractType => ({ kind: 'bytes', mediaTypes, max });

const membersOf = (
  r: PlanReader,
  members: readonly AnsweredMember[],
  names: FieldNames,
  line: number | null,
): MemberContract[] =>
  members.map(({ name, value, view }) =>
    sentMember(name, typeOfShown(value, view, r, names), r.mayBeMissing(value), r.plan.wire, {
      expression: expression(value),
      lines: r.lines(line),
    }),
  );

function rowsType(r: PlanReader, { form, view }: Extract<BodyPlan, { kind: 'rows' }>, names: FieldNames): ContractType {
  if (form.kind === 'NDJSON') return { kind: 'rows', of: { kind: 'shape', name: shapeName(view) } };
  const columns = form.columns.flatMap(({ path, title }) => {
    const column = columnOf(r, names, view, path);
    return column ? [{ ...column, name: title ?? column.name }] : [];
  });
  return { kind: 'csv', columns, header: form.header, formulas: form.formulas };
}

/** The column with the value that members of shown rows lead to; null in a version without one of them. */
function columnOf(
  r: PlanReader,
  names: FieldNames,
  { resource, name }: NonNullable<ViewMember['view']>,
  [first = '', ...rest]: readonly string[],
): CsvContract['columns'][number] | null {
  const member = named(r.resource(resource).views, name).members.find(({ field }) => field === first);
  const own = names.of(resource, first);
  if (!member || own === null) return null;
  const { value, view } = member;
  const nullable = r.mayBeMissing(value);
  const inner = rest.length > 0 && view ? columnOf(r, names, view, rest) : null;
  if (rest.length > 0) return inner && { ...inner, name: `${own}.${inner.name}`, nullable: nullable || inner.nullable };
  return { name: own, type: typeOfShown(value, view, r, names), nullable };
}

function pageType(r: PlanReader, page: PagePlan | null, items: ContractType, resource: string): ContractType {
  if (!page?.payload) return items;
  const identity = r.column(resource, r.resource(resource).identity)?.rule.kind ?? null;
  const members = page.payload.map(({ name, value }) => {
    const may = canBeMissing(value);
    return sentMember(name, value === 'items' ? items : tellingOf(value, page, identity), may, r.plan.wire);
  });
  return objectOf(members, 'none');
}

/** The type of a member of a page's payload. The reference to the next page may be the identity of the last row. */
function tellingOf(
  value: Exclude<PageValue, 'items'>,
  { by, most, absolute }: PagePlan,
  identity: ValueRule['kind'] | null,
): ContractType {
  const text: ContractType = { kind: 'text', min: null, max: null, pattern: null, format: null, oneOf: null };
  if (relationOf(value)) return { ...text, format: absolute ? 'uri' : null };
  if (value === 'more') return { kind: 'boolean' };
  if (value === 'next' && by === 'identity' && identity === 'integer') return { kind: 'integer', min: null, max: null };
  if (value === 'next' && (by === 'cursor' || by === 'identity')) return text;
  const first = by === 'number' && (value === 'number' || value === 'next' || value === 'previous') ? 1 : 0;
  return { kind: 'integer', min: value === 'size' ? 1 : first, max: value === 'size' ? most : null };
}
