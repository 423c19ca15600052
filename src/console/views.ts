import type { Access } from './access.ts';
import type { Route } from './route.ts';
import type { Served } from './served.ts';
import { documentViews } from './views/document.ts';
import { rowViews } from './views/rows.ts';
import { serviceViews } from './views/service.ts';

/** Every path of the interface. */
export function viewsOf(served: Served, access: Access): Route[] {
  return [...serviceViews(served, access), ...documentViews(served), ...rowViews(served)];
}
