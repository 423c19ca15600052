import { Access } from '../access.ts';
import { ActivityReader, RowCounts } from '../activity.ts';
import { Console, type ConsoleOptions } from '../console.ts';
import type { ConsoleService } from '../console-service.ts';
import { LiveStream } from '../live.ts';
import type { Route, Views } from '../route.ts';
import { deliveryViews } from './deliveries.ts';
import { documentViews } from './document.ts';
import { endpointViews } from './endpoints.ts';
import { keyViews } from './keys.ts';
import { migrationViews } from './migration.ts';
import { rowViews } from './rows.ts';
import { serviceViews } from './service.ts';
import { stateViews } from './states.ts';
import { tryViews } from './try.ts';

/** The console of a service, with every view that it has. */
export function consoleOf(served: ConsoleService, options: ConsoleOptions): Console {
  const access = new Access(options.now);
  return new Console(access, viewsOf(served, access), options);
}

function viewsOf(served: ConsoleService, access: Access): Views {
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
