import { machinesOf } from '../../contract/machines.ts';
import type { RowCounts } from '../activity.ts';
import { type ConsoleService, engineOf, statingOf, withoutTrees } from '../console-service.ts';
import type { Machine, StatesAnswer } from '../protocol.ts';
import type { Route } from '../route.ts';

/** Routes about state machines, with the number of rows in each state. */
export function stateViews(served: ConsoleService, counts: RowCounts): Route[] {
  return [
    {
      method: 'GET',
      path: '/states',
      answer: async (): Promise<StatesAnswer> => {
        const counted = await counts.of(engineOf(served));
        const { contract } = statingOf(served);
        return {
          machines: contract.resources.flatMap((one) =>
            machinesOf(one).map((states, i): Machine => {
              const countedAs = i === 0 ? one.name : `${one.name}.${states.field}`;
              return { resource: one.name, countedAs, states: withoutTrees(states), counts: counted[countedAs] ?? {} };
            }),
          ),
        };
      },
    },
  ];
}
