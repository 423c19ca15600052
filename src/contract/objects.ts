import type { Expr } from '../expression/tree/expression.ts';
import { bytesOfColumn, FILE_MEMBERS, type FilePlan } from '../plan/files.ts';
import { statementId } from '../plan/lines.ts';
import type {
  BeforeStep,
  ColumnPlan,
  EndpointPlan,
  ParameterPlan,
  PayloadPlan,
  ReferencePlan,
  ViewMember,
} from '../plan/step.ts';
import { type FieldWords, wordFor } from '../plan/words.ts';
import { addTo } from '../text/lists.ts';
import { expression, expressionOrNull, type FieldNames, mergeLines, type PlanReader } from './plan-reader.ts';
import type { MemberContract, ObjectContract } from './types.ts';
import { inWords, sentMember, typeOfRule, typeOfShown } from './values.ts';

/** Dotted names nest: `note.text` is the member `text` of an object `note`. */
export function objectOf(members: readonly MemberContract[], unknown: ObjectContract['unknown']): ObjectContract {
  const byFirst = new Map<string, MemberContract[]>();
  for (const member of members) {
    const [first = ''] = member.name.split('.');
    addTo(byFirst, first, member);
  }
  const nested = [...byFirst].map(([first, inner]): MemberContract => {
    const [one] = inner;
    if (one && one.name === first) return one;
    const own = inner.map((each) => ({ ...each, name: each.name.slice(first.length + 1) }));
    return {
      name: first,
      type: objectOf(own, unknown),
      // A sent object without members is omitted. A request may omit an object whose members are all optional.
      presence: own.every((each) => each.presence === 'optional') ? 'optional' : 'always',
      nullable: unknown !== 'none' && own.every((each) => each.nullable),
      otherwise: null,
      refused: null,
      refersTo: null,
      expression: null,
      field: null,
      lines: mergeLines(...own.map((each) => each.lines)),
    };
  });
  return { kind: 'object', members: nested, unknown };
}

/** Whether a member shows the field of the same name unchanged. */
const isField = ({ field, value }: ViewMember): boolean =>
  value.op === 'get' && value.of.op === 'name' && value.member === field && value.type.kind !== 'row';

/** The object type of one shown form of a resource, with the field names of a version, and of further members. */
export function shownObject(
  resource: string,
  members: readonly ViewMember[],
  names: FieldNames,
  r: PlanReader,
  further: readonly MemberContract[] = [],
): ObjectContract {
  const shown = members.flatMap((member): MemberContract[] => {
    const name = names.of(resource, member.field);
    if (name === null) return [];
    const type = typeOfShown(member.value, member.view, r, names);
    const lines = r.lines(statementId.field(resource, member.field));
    const field = `${resource}.${member.field}`;
    const computed = isField(member) ? null : expression(member.value);
    return [sentMember(name, type, r.mayBeMissing(member.value), r.plan.wire, { expression: computed, field, lines })];
  });
  return objectOf([...shown, ...further], 'none');
}

/** A default value in the words of a version. An expression that is no constant is that of the document. */
export const constantInWords = (value: Expr | null, words: FieldWords | null): Expr | null =>
  words && value?.op === 'const' && typeof value.value === 'string'
    ? { ...value, value: wordFor(words, value.value) }
    : value;

/** The member of a request body that sets a field. */
function fieldMember(
  payload: PayloadPlan,
  column: ColumnPlan,
  name: string,
  names: FieldNames,
  r: PlanReader,
): MemberContract {
  const words = names.words(`${payload.resource}.${column.name}`);
  const may = payload.optional || column.otherwise !== null || column.nullable;
  return {
    name,
    type: inWords(typeOfRule(column.rule, r.plan.wire, column.password), words, true),
    presence: may ? 'optional' : 'always',
    nullable: column.nullable,
    otherwise: payload.optional ? null : expressionOrNull(constantInWords(column.otherwise, words)),
    refused: null,
    refersTo: column.references ?? column.reference,
    expression: null,
    field: `${payload.resource}.${column.name}`,
    lines: r.lines(statementId.field(payload.resource, column.name)),
  };
}

/** The part of a form that is the bytes of a field. */
function fileMember(
  payload: PayloadPlan,
  { field, most, mediaTypes, checked }: FilePlan,
  r: PlanReader,
): MemberContract {
  const facts = FILE_MEMBERS.map((member) => `${field}.${member}`);
  const isNullable = r.column(payload.resource, facts[0]!)?.nullable ?? false;
  return {
    name: field,
    type: { kind: 'bytes', mediaTypes, max: most, firstBytes: checked ? 'checked' : 'not checked' },
    presence: payload.optional || isNullable ? 'optional' : 'always',
    nullable: false,
    otherwise: null,
    refused: null,
    refersTo: null,
    expression: null,
    field: `${payload.resource}.${field}`,
    lines: mergeLines(...facts.map((fact) => r.lines(statementId.field(payload.resource, fact)))),
  };
}

/** The object type of a request body, in one version. */
export function bodyObject(
  endpoint: EndpointPlan,
  { payload, parameters, unknown, parts }: Extract<BeforeStep, { do: 'validate body' }>,
  names: FieldNames,
  r: PlanReader,
): ObjectContract {
  const files = parts?.files ?? [];
  const fields = payload ? payloadMembers(payload, files, names, r) : [];
  const body =
    payload && payload.member !== null ? [heldMember(endpoint.name, payload, objectOf(fields, unknown), r)] : fields;
  const own = parameters.flatMap((one): MemberContract[] => {
    const name = parameterName(one, names);
    if (name === null) return [];
    const may = !one.required;
    return [
      {
        name,
        type: inWords(typeOfRule(one.rule, r.plan.wire, one.password), names.words(one.words)),
        presence: may ? 'optional' : 'always',
        nullable: may && one.otherwise === null,
        otherwise: expressionOrNull(constantInWords(one.otherwise, names.words(one.words))),
        refused: one.code,
        refersTo: referredTo(endpoint, 'body', one.name),
        expression: null,
        field: one.field,
        lines: r.lines(statementId.parameter(endpoint.name, 'body', one.name)),
      },
    ];
  });
  return objectOf([...body, ...own], unknown);
}

function payloadMembers(
  payload: PayloadPlan,
  files: readonly FilePlan[],
  names: FieldNames,
  r: PlanReader,
): MemberContract[] {
  return payload.fields.flatMap((field) => {
    const file = files.find((one) => one.field === bytesOfColumn(files, field));
    // The first fact about bytes has the member of all.
    if (file) return field === `${file.field}.${FILE_MEMBERS[0]}` ? [fileMember(payload, file, r)] : [];
    const column = r.column(payload.resource, field);
    const name = names.of(payload.resource, field);
    return column && name !== null ? [fieldMember(payload, column, name, names, r)] : [];
  });
}

/** The member that contains the fields of one row, or a list of rows. */
function heldMember(endpoint: string, payload: PayloadPlan, object: ObjectContract, r: PlanReader): MemberContract {
  const { items } = payload;
  return {
    name: payload.member ?? '',
    type: items ? { kind: 'list', of: object, nullable: false, min: items.min, max: items.max } : object,
    presence: 'always',
    nullable: false,
    otherwise: null,
    refused: null,
    refersTo: null,
    expression: null,
    field: null,
    lines: r.lines(statementId.endpoint(endpoint, 'request')),
  };
}

/** The resource that a parameter references; null if it references none. */
export function referredTo({ inside }: EndpointPlan, place: ReferencePlan['in'], name: string): string | null {
  const named = inside.flatMap((step) => (step.do === 'find references' ? step.parameters : []));
  return named.find((one) => one.in === place && one.parameter.name === name)?.resource ?? null;
}

/**
 * The name of a parameter in a version. A parameter named after a field follows the field's name; null if the version
 * lacks the field.
 */
export function parameterName({ field, name }: ParameterPlan, names: FieldNames): string | null {
  if (field === null) return name;
  const dot = field.indexOf('.');
  return names.of(field.slice(0, dot), field.slice(dot + 1));
}
