import type { MigrationAnswer } from '../protocol.ts';
import type { Route } from '../route.ts';
import { planOf, type Served } from '../served.ts';

/** The document on disk against the one that is served. */
export function migrationViews(served: Served): Route[] {
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
