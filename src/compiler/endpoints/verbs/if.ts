import { alwaysTrue } from '../../../expression/tree/always.ts';
import type { Step } from '../../statements/endpoints.ts';
import { everyStep } from '../../statements/endpoints.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import { NOTHING, type VerbModule } from './verb.ts';

/**
 * If e:
 *
 * In the nested steps `e` counts as true for null checks, under Otherwise as false. Names of a branch end with it.
 */
export const IF: VerbModule<'If'> = {
  does: () => NOTHING,
  check(c, step, each) {
    const test = c.condition(step.test, 'If');
    if (test && alwaysTrue(test)) c.findings.push(d.report.cannotFail(step.test));
    const before = c.removed;
    let removed = before;
    const branch = (steps: readonly Step[], truth: boolean) => {
      c.removed = before;
      const { result } = c.within(() => {
        c.assume(test, truth);
        return each(c, steps);
      });
      removed = new Set([...removed, ...c.removed]);
      return result;
    };
    const yes = branch(step.steps, true);
    const no = branch(step.otherwise ?? [], false);
    c.removed = removed;
    if ([...everyStep([step])].some((one) => one.does.writes)) c.forget();
    return test && yes && no && { do: 'if', test, then: yes, else: no, line: c.line(step) };
  },
};
