/** The statements over the service's own tables, by name; each store writes all of them. Arguments in order. */
export const SYSTEM_STATEMENTS = {
  'read meta': 'key → value',
  'list keys': '→ id, mark, holder, scopes, created, revoked',
  'revoke key': 'revoked, id → id',
  'find answer': 'endpoint, caller, key, now → fingerprint, status, headers, body',
  'keep answer': 'endpoint, caller, key, fingerprint, status, headers, body, expires',
  'forget answers': 'now',
  'insert receiver': 'id, url, secret, version, allow private, created',
  'subscribe receiver': 'receiver, event',
  'list receivers': '→ id, url, version, allow private, created, events',
  'remove receiver': 'id → id',
  'insert event': 'id, type, resource, row, at, data → seq',
  'receivers of event': 'event → id',
  'insert delivery': 'event seq, receiver, row, due',
  'due deliveries':
    'now, receivers to skip as JSON, most → delivery, event id, type, at, data, attempt, receiver id, url, secret, allow private, version',
  'lease delivery': 'until, id',
  'delivery succeeded': 'at, status, id',
  'delivery failed': 'at, reason, due, id',
  'delivery given up': 'at, reason, id',
  'release next': 'now, id of the delivery before',
  'next delivery': '→ due',
  'list deliveries': '→ delivery, event id, type, row, receiver, url, state, attempts, due, last at, last result',
  'replay delivery': 'now, event id → delivery',
  'next in sequence': 'name, row that it counts for → number',
  'forget sequence': 'name, row that it counts for',
  'write counter': 'policy, key, count, ends at',
  'read counters': '→ policy, key, count, ends at',
  'clear counters': '',
} as const;

export type SystemStatement = keyof typeof SYSTEM_STATEMENTS;
