import { OperatorConsole } from '../../runtime/operator-console.ts';
import { Access } from '../access.ts';
import { ActivityReader, RowCounts } from '../activity.ts';
import { Acts } from '../acts.ts';
import { Console, type ConsoleOptions } from '../console.ts';
import { type ConsoleService, engineOf } from '../console-service.ts';
import { LiveStream } from '../live.ts';
import type { ActsAnswer } from '../protocol.ts';
import type { Route, Views } from '../route.ts';
import { deliveryViews } from './deliveries.ts';
import { documentViews } from './document.ts';
import { editViews } from './edit.ts';
import { endpointViews } from './endpoints.ts';
import { keyViews } from './keys.ts';
import { migrationViews } from './migration.ts';
import { requestViews } from './requests.ts';
import { rowViews } from './rows.ts';
import { serviceViews } from './service.ts';
import { stateViews } from './states.ts';
import { tryViews } from './try.ts';

/** The console of a service, with every view that it has. */
export function consoleOf(served: ConsoleService, options: ConsoleOptions): Console {
  const links = (): OperatorConsole => new OperatorConsole(engineOf(served));
  const access = new Access({ take: (key) => links().take(key), ends: async () => links().ends() }, options.now);
  const acts = new Acts();
  return new Console(access, acts, viewsOf(served, access, acts), options);
}

function viewsOf(served: ConsoleService, access: Access, acts: Acts): Views {
  const counts = new RowCounts();
  const activity = new ActivityReader(served, counts);
  const routes: Route[] = [
    ...serviceViews(served, access),
    ...documentViews(served),
    ...editViews(served),
    ...stateViews(served, counts),
    ...endpointViews(served),
    ...tryViews(served),
    ...rowViews(served),
    ...keyViews(served),
    ...deliveryViews(served),
    ...requestViews(served),
    ...migrationViews(served),
    { method: 'GET', path: '/activity', answer: () => activity.read() },
    { method: 'GET', path: '/acts', answer: (): ActsAnswer => actsAnswer(acts) },
  ];
  return { routes, live: new LiveStream(activity) };
}

const actsAnswer = (acts: Acts): ActsAnswer => ({
  acts: acts.newest().map(({ at, ...act }) => ({ ...act, at: new Date(at).toISOString() })),
});
