import { type ConsoleService, planOf } from '../console-service.ts';
import type { DocumentAnswer } from '../protocol.ts';
import type { Route } from '../route.ts';
import { statementsOf } from '../statements.ts';

/** The served document. */
export function documentViews(served: ConsoleService): Route[] {
  return [
    {
      method: 'GET',
      path: '/document',
      answer: (): DocumentAnswer => ({
        ...served.document(),
        statements: statementsOf(planOf(served)),
        changedOnDisk: served.disk() === 'changed',
      }),
    },
  ];
}
