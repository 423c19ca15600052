/**
 * The console’s JSON interface: the types of all requests and responses. All paths are relative to `/console/api`. A
 * GET changes nothing. Every change is a POST with a JSON body, `Content-Type: application/json` and the header
 * `X-Ninefold-Console: 1`. An instant is RFC 3339 in UTC. Names and identities in paths are
 * percent-encoded (`pathSegment`). The body of every error response is a `Problem`.
 */

export type * from './protocol/activity.ts';
export type * from './protocol/document.ts';
export type * from './protocol/edit.ts';
export type * from './protocol/endpoints.ts';
export type * from './protocol/migration.ts';
export type * from './protocol/problem.ts';
export type * from './protocol/requests.ts';
export type * from './protocol/rows.ts';
export type * from './protocol/service.ts';
export type * from './protocol/traffic.ts';
