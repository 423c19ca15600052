import { idText, statementId } from '../../plan/lines.ts';
import { allNested } from '../../plan/nested-steps.ts';
import type { Plan, SchedulePlan } from '../../plan/step.ts';
import { type Draft, need } from './statement.ts';

const UNTESTABLE = 'A schedule runs at times of its own, and no request makes a run.';

/** The needs of the facts of a schedule, by the names of their statements. */
const NEEDS: Readonly<Record<string, string>> = {
  name: 'its steps run once at each of its times',
  when: 'it runs at its times, and at no others',
  skipped: 'clocks skip one of its times',
  repeated: 'clocks show one of its times twice',
  missed: 'the service was stopped at one of its times',
  overlap: 'one of its times comes while a run is under way',
  within: 'a run takes too long',
};

/** The statements of schedules. None can be tried: the report says so. */
export function scheduleDrafts({ schedules = [] }: Plan): Draft[] {
  return schedules.flatMap(draftsOf);
}

function draftsOf({ name, steps }: SchedulePlan): Draft[] {
  const facts = Object.entries(NEEDS).map(([fact, what]): Draft => {
    const id = statementId.schedule(name, fact);
    return { id, item: 'endpoints/methods', needs: [need(what, id, 'done')], untestable: UNTESTABLE };
  });
  const lines = [...allNested(steps)].map((step): Draft => {
    const id = statementId.step(step);
    const needs = [need('a run comes to it', id, 'done')];
    return { id, item: 'endpoints/methods', needs, line: step.line, untestable: UNTESTABLE };
  });
  // Steps of one line have one statement.
  const once = new Map(lines.map((draft) => [idText(draft.id), draft]));
  return [...facts, ...once.values()];
}
