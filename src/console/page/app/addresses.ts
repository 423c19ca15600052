import { pathSegment } from '../../../text/path-segment.ts';
import type { Filter, ViewTarget } from '../../protocol.ts';
import { BASE } from './router.ts';

const path = (...parts: readonly string[]): string => BASE + parts.map(pathSegment).join('/');

/**
 * The addresses of the views. An address contains the state of its view, so that the view can be shared or bookmarked.
 */
export const addresses = {
  document: (line?: number | null): string => (line ? `${BASE}?line=${line}` : BASE),
  edit: (line?: number | null): string => path('edit') + query({ line: line ? `${line}` : undefined }),
  states: (resource?: string): string => path('states') + query({ resource }),
  endpoints: (): string => path('endpoints'),
  endpoint: (name: string, about: Readonly<Record<string, string>> = {}): string =>
    path('endpoints') + query({ name, ...about }),
  rows: (resource?: string, filters: readonly Filter[] = []): string =>
    (resource === undefined ? path('rows') : path('rows', resource)) +
    query({ filter: filters.length ? JSON.stringify(filters) : undefined }),
  row: (resource: string, id: string): string => path('rows', resource, id),
  deliveries: (members: Readonly<Record<string, string | undefined>> = {}): string =>
    path('deliveries') + query(members),
  requests: (members: Readonly<Record<string, string | undefined>> = {}): string => path('requests') + query(members),
  receivers: (): string => path('receivers'),
  keys: (): string => path('keys'),
  activity: (): string => path('activity'),
  migration: (): string => path('migration'),
};

/** The view that shows more of a statement. */
export function targetAddress(target: ViewTarget): string {
  switch (target.kind) {
    case 'endpoint':
      return addresses.endpoint(target.name);
    case 'resource':
      return addresses.rows(target.name);
    case 'states':
      return addresses.states(target.name);
    case 'deliveries':
      return addresses.deliveries();
    case 'keys':
      return addresses.keys();
    case 'activity':
      return addresses.activity();
  }
}

function query(members: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return pairs.length ? `?${new URLSearchParams(pairs)}` : '';
}
