/** What examples/helpdesk.md states or Ninefold does, and the service by hand leaves out. */
export const LEFT_OUT_BY_HAND: readonly string[] = [
  'the description of the API at /openapi.json',
  'PostgreSQL, and several nodes',
  'the operator’s commands and port: rows, keys, deliveries that are sent again, backups, health, metrics, traces, a log',
  'migrations of stored rows: the tables have one form',
  'faults of parameters and of the body in one answer: those of the body come first',
  'bodies with a member twice or a byte order mark, which JSON.parse takes',
  'the time-outs of requests as answers: Node.js ends slow requests with a bare 408',
  'the order of a search by points that no other row changes: FTS5 ranks by BM25, and pages of a search are counted from its start',
  'words of at most 100 characters, and words of scripts without spaces letter by letter, in a search',
  'rates that outlast a restart: they are counted in memory',
  'queries with escapes that are none, which are taken as they are',
];

/** What the service by hand does, and Ninefold doesn't. */
export const LEFT_OUT_BY_NINEFOLD: readonly string[] = ['a ranking of matches by how rare their words are (BM25)'];
