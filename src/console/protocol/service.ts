import type { RateContract, SchemeContract } from '../../contract/contract.ts';
import type { ColumnKind } from '../../plan/value-forms.ts';

// ——— GET /service ———

/** What is served, and what views there are. */
export interface ServiceAnswer {
  readonly title: string;
  /** The name of the document. */
  readonly document: string;
  /** The version of Ninefold. */
  readonly ninefold: string;
  /** The current version of the API; null where the document has no versions. */
  readonly version: string | null;
  /** Where callers reach the service, and where the console sends the requests that are tried. */
  readonly address: string;
  /** Why the service can’t answer requests now; null where it can. */
  readonly notReady: string | null;
  /** Whether the service follows the document on disk (`--watch`). */
  readonly watch: boolean;
  readonly resources: readonly ResourceSummary[];
  readonly endpoints: number;
  /** Those of them that the document leaves open: they answer 501. */
  readonly unsettled: number;
  /** Questions of the served document that are open. */
  readonly questions: number;
  readonly schemes: readonly SchemeContract[];
  readonly rates: readonly RateContract[];
  /** `operator`: receivers are registered here; `rows`: they are rows of `receiverResource`; `none`: no webhooks. */
  readonly receivers: 'none' | 'operator' | 'rows';
  readonly receiverResource: string | null;
  /** Events that webhooks tell of. */
  readonly events: readonly string[];
  /** Versions that a receiver may have, the current one first; none where the document has no versions. */
  readonly versions: readonly string[];
  /** The upper ends of the buckets that the times of requests are counted in, in seconds. */
  readonly buckets: readonly number[];
  /** When the session ends at the latest. */
  readonly sessionEnds: string;
}

/** A resource, as lists and forms need it. */
export interface ResourceSummary {
  readonly name: string;
  /** The field that tells rows apart; null where the service keeps that to itself. */
  readonly identity: string | null;
  readonly columns: readonly Column[];
  /** The field that holds the state; null without states. */
  readonly stateField: string | null;
  readonly states: readonly string[];
  readonly line: number | null;
}

/** A column of stored rows. */
export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  readonly optional: boolean;
  /** The resource whose row it names. */
  readonly refersTo: string | null;
  /** The only values that it may have. */
  readonly oneOf: readonly string[] | null;
  /** Whether the operator may give it when a row is added or changed. */
  readonly operator: boolean;
  /** Whether the operator has to give it when a row is added. */
  readonly required: boolean;
  /** Whether rows can be filtered and ordered by it: passwords, lists, sets and maps can’t. */
  readonly ordered: boolean;
  /** Who or what gives it its value, in words of the document. */
  readonly given: string;
  readonly line: number | null;
}

export type ColumnType = ColumnKind | 'password';

// ——— POST /session/end ———
// Takes `{}`, answers `Done` and takes the cookie back: the page then says that the session has ended.
