import { ownMember } from '../text/own-members.ts';

/** A statement that the document makes, and its line. */
interface Stated {
  readonly id: StatementId;
  readonly line: number;
}

/** The statements of the document behind the facts of a plan, by the texts of their ids. Steps have their own lines. */
export type Lines = Readonly<Record<string, Stated>>;

/** The subjects of an endpoint’s statements, beside its steps. */
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
  | 'deprecated'
  | 'audience'
  | 'tag'
  | 'pages'
  | 'Request size'
  | 'Time-out'
  | 'Page size'
  | 'Whole list';

/** The kinds of rules about the rows of a resource. */
export type RuleKind = 'unique' | 'holds' | 'overlap';

/** The name of a statement: its kind, and the names that the document gives what it is about. */
export type StatementId =
  /** A fact of a part of the document, such as `resources`, `webhook` or `limits`. */
  | { readonly kind: 'part'; readonly part: string; readonly fact: string }
  | { readonly kind: 'resource'; readonly resource: string; readonly fact: 'name' | 'shown' | 'visible' | 'audited' }
  | { readonly kind: 'field'; readonly resource: string; readonly field: string }
  | { readonly kind: 'view'; readonly resource: string; readonly view: string }
  /** `index`: the index of the rule among the plan’s rules of its kind. */
  | { readonly kind: RuleKind; readonly resource: string; readonly index: number }
  /** The rule for rows of `resource` whose reference `field` points at a row that is removed. */
  | { readonly kind: 'reference'; readonly resource: string; readonly field: string }
  | {
      readonly kind: 'states';
      readonly resource: string;
      readonly field: string;
      readonly fact: 'name' | 'initial' | 'final';
    }
  | { readonly kind: 'transition'; readonly resource: string; readonly transition: string }
  /** `fact` is null for the heading, which states the method and the path. */
  | { readonly kind: 'endpoint'; readonly endpoint: string; readonly fact: EndpointFact | null }
  | { readonly kind: 'parameter'; readonly endpoint: string; readonly place: string; readonly parameter: string }
  /** `line`: the line of the step; 0 where the plan has none. */
  | { readonly kind: 'step'; readonly line: number }
  | { readonly kind: 'scheme'; readonly scheme: string; readonly fact: string }
  | { readonly kind: 'event'; readonly event: string }
  | { readonly kind: 'schedule'; readonly schedule: string; readonly fact: string }
  /** The events that receivers get about rows of a resource, where receivers are rows. */
  | { readonly kind: 'hears'; readonly resource: string }
  /** The readers of a stream who see an event that steps emit. */
  | { readonly kind: 'seen'; readonly event: string }
  | { readonly kind: 'condition'; readonly condition: string }
  | { readonly kind: 'code'; readonly code: string }
  /** A member of error payloads, by the names of its path. */
  | { readonly kind: 'payload'; readonly names: readonly string[] }
  | { readonly kind: 'rate'; readonly index: number }
  | { readonly kind: 'version'; readonly version: string }
  /** No statement: facts of an endpoint in a version, or in any, that only a run of `ninefold test` looks for. */
  | { readonly kind: 'sought'; readonly endpoint: string; readonly version: string | null };

/** The id of a statement of a kind. */
export type IdOf<K extends StatementId['kind']> = Extract<StatementId, { readonly kind: K }>;

/** Makes the ids of statements. */
export const statementId = {
  part: (part: string, fact: string): StatementId => ({ kind: 'part', part, fact }),
  hears: (resource: string): StatementId => ({ kind: 'hears', resource }),
  resource: (resource: string, fact: IdOf<'resource'>['fact']): StatementId => ({ kind: 'resource', resource, fact }),
  field: (resource: string, field: string): StatementId => ({ kind: 'field', resource, field }),
  view: (resource: string, view: string): StatementId => ({ kind: 'view', resource, view }),
  rule: (resource: string, kind: RuleKind, index: number): StatementId => ({ kind, resource, index }),
  reference: (resource: string, field: string): StatementId => ({ kind: 'reference', resource, field }),
  states: (resource: string, field: string, fact: IdOf<'states'>['fact']): StatementId => ({
    kind: 'states',
    resource,
    field,
    fact,
  }),
  transition: (resource: string, transition: string): StatementId => ({ kind: 'transition', resource, transition }),
  endpoint: (endpoint: string, fact: EndpointFact): StatementId => ({ kind: 'endpoint', endpoint, fact }),
  heading: (endpoint: string): StatementId => ({ kind: 'endpoint', endpoint, fact: null }),
  parameter: (endpoint: string, place: string, parameter: string): StatementId => ({
    kind: 'parameter',
    endpoint,
    place,
    parameter,
  }),
  step: ({ line }: { readonly line: number | null }): StatementId => ({ kind: 'step', line: line ?? 0 }),
  scheme: (scheme: string, fact: string): StatementId => ({ kind: 'scheme', scheme, fact }),
  event: (event: string): StatementId => ({ kind: 'event', event }),
  schedule: (schedule: string, fact: string): StatementId => ({ kind: 'schedule', schedule, fact }),
  seen: (event: string): StatementId => ({ kind: 'seen', event }),
  condition: (condition: string): StatementId => ({ kind: 'condition', condition }),
  code: (code: string): StatementId => ({ kind: 'code', code }),
  payloadMember: (names: readonly string[]): StatementId => ({ kind: 'payload', names }),
  rate: (index: number): StatementId => ({ kind: 'rate', index }),
  version: (version: string): StatementId => ({ kind: 'version', version }),
  sought: (endpoint: string, version: string | null): StatementId => ({ kind: 'sought', endpoint, version }),
} as const;

/**
 * The text of an id, for reports and as a key. It begins with a word for the kind of statement, so that names of the
 * document cannot collide.
 */
export function idText(id: StatementId): string {
  switch (id.kind) {
    case 'part':
      return `${id.part}: ${id.fact}`;
    case 'resource':
      return `resource ${id.resource}: ${id.fact}`;
    case 'states':
      return `states ${id.resource}.${id.field}: ${id.fact}`;
    case 'field':
    case 'reference':
      return `${id.kind} ${id.resource}.${id.field}`;
    case 'view':
      return `view ${id.resource}: ${id.view}`;
    case 'unique':
    case 'holds':
    case 'overlap':
      return `${id.kind} ${id.resource}: ${id.index}`;
    case 'transition':
      return `transition ${id.resource}: ${id.transition}`;
    case 'endpoint':
      return id.fact === null ? `endpoint ${id.endpoint}` : `endpoint ${id.endpoint}: ${id.fact}`;
    case 'parameter':
      return `parameter ${id.endpoint}: ${id.place} ${id.parameter}`;
    case 'step':
      return `step ${id.line}`;
    case 'scheme':
      return `scheme ${id.scheme}: ${id.fact}`;
    case 'event':
      return `event ${id.event}`;
    case 'schedule':
      return `schedule ${id.schedule}: ${id.fact}`;
    case 'hears':
      return `webhook: hears ${id.resource}`;
    case 'seen':
      return `stream: visible ${id.event}`;
    case 'condition':
      return `condition ${id.condition}`;
    case 'code':
      return `code ${id.code}`;
    case 'payload':
      return `payload ${JSON.stringify(id.names)}`;
    case 'rate':
      return `rate ${id.index}`;
    case 'version':
      return `version ${id.version}`;
    case 'sought':
      return `sought ${id.endpoint} ${id.version}`;
  }
}

/** Whether two ids are of the same statement, or both are of none. */
export const isSameId = (a: StatementId | null, b: StatementId | null): boolean =>
  a === b || (a !== null && b !== null && a.kind === b.kind && idText(a) === idText(b));

/** Whether an id is among others. */
export const includesId = (ids: readonly StatementId[], id: StatementId): boolean =>
  ids.some((one) => isSameId(one, id));

/** The ids of some statements, each once, in the order of their first occurrence. */
export const eachOnce = (ids: readonly StatementId[]): StatementId[] => [
  ...new Map(ids.map((id) => [idText(id), id])).values(),
];

/** The line of a statement; undefined where the document does not state it. */
export const lineOf = (lines: Lines, id: StatementId): number | undefined => ownMember(lines, idText(id))?.line;

/** Statements by the texts of their ids. */
export const linesOf = (all: readonly Stated[]): Lines => Object.fromEntries(all.map((one) => [idText(one.id), one]));

/** The statements with some of them under another id, such as that of a renamed resource; where `idOf` gives one. */
export const movedLines = (lines: Lines, idOf: (id: StatementId) => StatementId | null): Lines =>
  linesOf(
    Object.values(lines).flatMap(({ id, line }) => {
      const other = idOf(id);
      return other === null ? [] : [{ id: other, line }];
    }),
  );
