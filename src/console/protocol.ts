/**
 * The console’s JSON interface: every request and answer, as types and nothing else. All paths stand below
 * `/console/api`. A GET changes nothing. Whatever changes something is a POST with a JSON body, `Content-Type:
 * application/json` and the header `X-Ninefold-Console: 1`. An instant is RFC 3339 in UTC. Names and identities in
 * paths are percent-encoded (`encodeURIComponent`). Every answer that is no success has a `Problem` as its body.
 */

export type * from './protocol/activity.ts';
export type * from './protocol/document.ts';
export type * from './protocol/endpoints.ts';
export type * from './protocol/migration.ts';
export type * from './protocol/problem.ts';
export type * from './protocol/rows.ts';
export type * from './protocol/service.ts';
export type * from './protocol/traffic.ts';
