import type { Resolved } from '../../model/resolve.ts';
import type { AnswerStep, BodyPlan, InsideStep } from '../../plan/step.ts';
import type { Effective } from './effective.ts';
import type { Assignment, Step } from './model.ts';
import type { LineOf } from './plan.ts';

/** Turns a step, other than the answer, into what runs inside the transaction. */
export function planStep(
  r: Resolved,
  one: Effective,
  step: Exclude<Step, { verb: 'Answer' }>,
  rowsOf: Map<string, string>,
  lineOf: LineOf,
): InsideStep {
  const line = lineOf(step.span.from);
  switch (step.verb) {
    case 'Find':
      rowsOf.set(step.as.text, step.resource.text);
      return {
        do: 'find',
        as: step.as.text,
        resource: step.resource.text,
        where: r.expr(step.where!),
        code: step.code!.text,
        line,
      };
    case 'List':
      rowsOf.set(step.as.text, step.resource.text);
      return planList(r, one, step, line);
    case 'Require':
      return { do: 'require', test: r.expr(step.test), code: step.code!.text, line };
    case 'Match':
      return { do: 'match', header: step.header, to: r.expr(step.to), line };
    case 'Create':
      rowsOf.set(step.as.text, step.resource.text);
      return {
        do: 'create',
        as: step.as.text,
        resource: step.resource.text,
        request: step.from ? requested(one) : [],
        with: assigned(r, step),
        line,
      };
    case 'Change':
      return {
        do: 'change',
        patch: isPatch(one),
        row: step.row.text,
        resource: rowsOf.get(step.row.text)!,
        request: step.from ? requested(one) : [],
        with: assigned(r, step),
        line,
      };
    case 'Move':
      return { do: 'move', row: step.row.text, resource: rowsOf.get(step.row.text)!, by: step.by.text, line };
    case 'Remove':
      return { do: 'remove', row: step.row.text, resource: rowsOf.get(step.row.text)!, line };
  }
}

function assigned(r: Resolved, step: { readonly with: readonly Assignment[] }) {
  return step.with.map((given) => ({ field: given.field.text, value: r.expr(given.value) }));
}

function isPatch(one: Effective): boolean {
  const request = one.settings.request!.value;
  return request !== 'none' && request.optional;
}

function requested(one: Effective): string[] {
  const request = one.settings.request!.value;
  return request === 'none' ? [] : request.fields.map((field) => field.text);
}

function planList(r: Resolved, one: Effective, step: Extract<Step, { verb: 'List' }>, line: number): InsideStep {
  const by = r.expr(step.order!.by);
  const filters = one.endpoint.parameters.flatMap((parameter) =>
    step.asParameters && parameter.keeps ? [{ parameter: parameter.name.text, where: r.expr(parameter.keeps) }] : [],
  );
  return {
    do: 'list',
    as: step.as.text,
    resource: step.resource.text,
    where: step.where && r.expr(step.where),
    filters,
    order: { field: by.op === 'get' ? by.member : '', descending: step.order!.direction === 'latest' },
    line,
  };
}

/** Turns the last step into the answer. */
export function planAnswer(
  r: Resolved,
  step: Extract<Step, { verb: 'Answer' }>,
  rowsOf: ReadonlyMap<string, string>,
  line: LineOf,
): AnswerStep {
  const members = step.members.map((member) => ({ name: member.field.text, value: r.expr(member.value) }));
  return {
    do: 'answer',
    status: step.status.value,
    body: step.body ? planBody(r, step.body, rowsOf) : members.length ? { kind: 'members', members } : null,
    headers: step.headers.map((header) => ({ name: header.field.text, value: r.expr(header.value) })),
    line: line(step.span.from),
  };
}

function planBody(r: Resolved, body: Parameters<Resolved['expr']>[0], rowsOf: ReadonlyMap<string, string>): BodyPlan {
  const value = r.expr(body);
  if (value.type.kind === 'row') return { kind: 'row', value, resource: value.type.resource };
  return { kind: 'page', list: body.text, resource: rowsOf.get(body.text)! };
}
