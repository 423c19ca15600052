import { statementId } from '../plan/lines.ts';
import { emitsIn } from '../plan/nested-steps.ts';
import type { EmittedPlan } from '../plan/step.ts';
import type { EventContract } from './contract.ts';
import type { Makers } from './makers.ts';
import { objectOf } from './objects.ts';
import { expression, expressionOrNull, type FieldNames, type PlanReader } from './plan-reader.ts';
import type { MemberContract } from './types.ts';
import { sentMember, typeOfShown } from './values.ts';

/** The contracts of the events that steps emit. A member has the type of the values that all of these steps give it. */
export function emittedContracts(r: PlanReader, names: FieldNames, makers: Makers): EventContract[] {
  return (r.plan.emitted ?? []).map((event): EventContract => {
    const { name, to, visible, members } = event;
    return {
      name,
      resource: null,
      when: { kind: 'emitted', transitions: [], fields: [], instant: null, condition: null },
      madeBy: makers.emitted(name),
      notifiedBy: to,
      ...(to.includes('stream') && { visible: expressionOrNull(visible) }),
      payload: objectOf(
        members.map((member) => memberOf(r, name, member, names)),
        'none',
      ),
      lines: r.lines(statementId.event(name), statementId.seen(name)),
    };
  });
}

function memberOf(
  r: PlanReader,
  event: string,
  { name, type }: EmittedPlan['members'][number],
  names: FieldNames,
): MemberContract {
  const steps = emitsIn(r.plan).filter((step) => step.event === event);
  const values = steps.flatMap((step) => step.with.flatMap(({ field, value }) => (field === name ? [value] : [])));
  const types = values.map((value) => typeOfShown(value, null, r, names));
  const [first, ...others] = types;
  const isOne = others.every((other) => JSON.stringify(other) === JSON.stringify(first));
  const joined = first && isOne ? first : typeOfShown({ op: 'name', name, type }, null, r, names);
  const isMissing = type.nullable || values.some((value) => r.mayBeMissing(value));
  const [only] = values.length === 1 ? values : [];
  return sentMember(name, joined, isMissing, r.plan.wire, {
    expression: only ? expression(only) : null,
    lines: r.lines(...steps.map(({ line }) => line)),
  });
}
