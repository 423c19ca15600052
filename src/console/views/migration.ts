import { type ConsoleService, planOf } from '../console-service.ts';
import type { MigrationAnswer } from '../protocol.ts';
import type { Route } from '../route.ts';

/** The document on disk against the one that is served. */
export function migrationViews(served: ConsoleService): Route[] {
  const answer = (): MigrationAnswer => ({ disk: served.disk(), preview: served.trial.current });
  return [
    { method: 'GET', path: '/migration', answer },
    {
      method: 'POST',
      path: '/migration/preview',
      answer: () => {
        served.trial.begin(planOf(served));
        return answer();
      },
    },
  ];
}
