/**
 * Lines of the document by the facts that they state. Each key begins with a word for the kind of statement, so that
 * names of the document cannot collide. Steps have lines of their own.
 */
export type Lines = Readonly<Record<string, number>>;

/** The subjects of an endpoint’s lines, beside its steps. */
export type EndpointFact =
  | 'access'
  | 'payloads'
  | 'request'
  | 'unread bodies'
  | 'unknown parameters'
  | 'HEAD'
  | 'conditional'
  | 'preconditions'
  | 'idempotency'
  | 'sort'
  | 'pages'
  | 'Request size'
  | 'Time-out'
  | 'Page size'
  | 'Whole list';

/** The keys of `Lines`. */
export const lineKey = {
  part: (part: string, fact: string): string => `${part}: ${fact}`,
  /** The events that receivers get about rows of a resource, where receivers are rows. */
  hears: (resource: string): string => `webhook: hears ${resource}`,
  resource: (resource: string, fact: 'name' | 'shown' | 'visible'): string => `resource ${resource}: ${fact}`,
  field: (resource: string, field: string): string => `field ${resource}.${field}`,
  view: (resource: string, view: string): string => `view ${resource}: ${view}`,
  /** `i` is the index of a rule among the plan’s rules of its kind. */
  rule: (resource: string, kind: 'unique' | 'holds' | 'overlap', i: number): string => `${kind} ${resource}: ${i}`,
  /** The rule for rows of `resource` whose reference `field` points at a row that is removed. */
  reference: (resource: string, field: string): string => `reference ${resource}.${field}`,
  states: (resource: string, fact: 'name' | 'initial' | 'final'): string => `states ${resource}: ${fact}`,
  transition: (resource: string, name: string): string => `transition ${resource}: ${name}`,
  endpoint: (endpoint: string, fact: EndpointFact): string => `endpoint ${endpoint}: ${fact}`,
  parameter: (endpoint: string, place: string, name: string): string => `parameter ${endpoint}: ${place} ${name}`,
  scheme: (scheme: string, fact: string): string => `scheme ${scheme}: ${fact}`,
  event: (event: string): string => `event ${event}`,
  condition: (condition: string): string => `condition ${condition}`,
  code: (code: string): string => `code ${code}`,
  /** A member of error payloads, by the names of its path. */
  payloadMember: (names: readonly string[]): string => `payload ${JSON.stringify(names)}`,
  rate: (i: number): string => `rate ${i}`,
  version: (version: string): string => `version ${version}`,
} as const;
