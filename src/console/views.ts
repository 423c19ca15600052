import type { Access } from './access.ts';
import { ActivityReader } from './activity.ts';
import { RowCounts } from './counts.ts';
import { LiveStream } from './live.ts';
import type { Route } from './route.ts';
import type { Served } from './served.ts';
import { deliveryViews } from './views/deliveries.ts';
import { documentViews } from './views/document.ts';
import { endpointViews } from './views/endpoints.ts';
import { keyViews } from './views/keys.ts';
import { migrationViews } from './views/migration.ts';
import { rowViews } from './views/rows.ts';
import { serviceViews } from './views/service.ts';
import { stateViews } from './views/states.ts';
import { tryViews } from './views/try.ts';

/** Every path of the interface, and what is told again and again. */
export interface Views {
  readonly routes: readonly Route[];
  readonly live: LiveStream;
}

/** The views of a service. */
export function viewsOf(served: Served, access: Access): Views {
  const counts = new RowCounts();
  const activity = new ActivityReader(served, counts);
  const routes: Route[] = [
    ...serviceViews(served, access),
    ...documentViews(served),
    ...stateViews(served, counts),
    ...endpointViews(served),
    ...tryViews(served),
    ...rowViews(served),
    ...keyViews(served),
    ...deliveryViews(served),
    ...migrationViews(served),
    { method: 'GET', path: '/activity', answer: () => activity.read() },
  ];
  return { routes, live: new LiveStream(activity) };
}
