import { type Expr, show } from '../expression/tree/expression.ts';
import type { ErrorMemberPlan, ErrorValuePlan, Plan } from '../plan/step.ts';

function explainPayload({ errors: { payload } }: Plan): string[] {
  if (payload.kind === 'RFC 9457') return payload.type ? [`  told as problem details of the type ${payload.type}`] : [];
  if (payload.kind === 'none') return ['  told by their status alone'];
  return [`  told as ${payload.mediaType}: {${explainMembers(payload.members)}}`];
}

function explainMembers(members: readonly ErrorMemberPlan[]): string {
  return members.map((member) => `${member.name}: ${explainValue(member.value)}`).join(', ');
}

function explainValue(value: ErrorValuePlan): string {
  if (value.kind === 'value') return show(value.value);
  if (value.kind === 'object' || value.kind === 'objects') {
    const object = `{${explainMembers(value.members)}}`;
    return value.kind === 'object' ? object : `[for each fault ${object}]`;
  }
  const pair = (one: { value: Expr; key: Expr | null }): string =>
    `${show(one.value)}${one.key ? ` by ${show(one.key)}` : ''}`;
  return `[for each fault ${pair(value)}${value.otherwise ? `, else ${pair(value.otherwise)}` : ''}]`;
}

/** Describes the outcome of each error, and the form of error payloads. */
export function explainErrors(plan: Plan): string {
  const general = Object.entries(plan.errors.conditions);
  const coded = new Set(general.map(([, one]) => `${one.status} ${one.code}`));
  const codes = Object.values(plan.errors.codes).filter((one) => !coded.has(`${one.status} ${one.code}`));
  return [
    'Errors',
    ...explainPayload(plan),
    ...general.map(([when, one]) => `  ${one.status} ${one.code}: ${when}: ${one.title}`),
    ...codes.map((one) => `  ${one.status} ${one.code}: ${one.title}`),
  ].join('\n');
}
