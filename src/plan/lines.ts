/**
 * Where the document states what the plan holds: lines, by what they are about. Keys begin with a word for the kind of
 * statement, so that no name of a document can be taken for another key. Steps carry their own lines.
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
  /** Of which rows of a resource receivers that are rows hear. */
  hears: (resource: string): string => `webhook: hears ${resource}`,
  resource: (resource: string, fact: 'name' | 'shown' | 'visible'): string => `resource ${resource}: ${fact}`,
  field: (resource: string, field: string): string => `field ${resource}.${field}`,
  view: (resource: string, view: string): string => `view ${resource}: ${view}`,
  /** `i` counts the rules of a kind as the plan lists them. */
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
  /** A member of the payload of errors: the names on the way to it. */
  payloadMember: (names: readonly string[]): string => `payload ${JSON.stringify(names)}`,
  rate: (i: number): string => `rate ${i}`,
  version: (version: string): string => `version ${version}`,
} as const;
