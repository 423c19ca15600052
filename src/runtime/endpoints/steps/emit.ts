import type { Value } from '../../../expression/values/value.ts';
import { objectWriter } from '../../../http/nested-json.ts';
import { named } from '../../../plan/named.ts';
import { evaluate, mustBe } from '../../expressions/layout.ts';
import { typeWriter } from '../../resources/shown.ts';
import type { Of, Step, StepContext } from './context.ts';

/** Emit: the payload has the values of this step; the end of the transaction records the event. */
export function compileEmit(step: Of<'emit'>, c: StepContext): Step {
  const event = named(c.emitted, step.event);
  const members = event.members.map(({ name }) => {
    const { value } = step.with.find(({ field }) => field === name)!;
    const compiled = c.expressions.compile(value, c.names);
    return {
      name,
      value: { ...compiled, evaluate: mustBe(compiled.evaluate, value, step.line) },
      write: typeWriter(value.type, null, c.show.current, c.show),
    };
  });
  const write = objectWriter(
    members.map((member, i) => ({ name: member.name, write: (values: readonly Value[]) => member.write(values[i]!) })),
  );
  return function* emit({ work }) {
    const values: Value[] = [];
    for (const { value } of members) values.push(((yield* evaluate(value, work.frame)) ?? null) as Value);
    work.emitted.push({ event, values, data: write(values) });
  };
}
