import type { RateContract, SchemeContract } from '../../contract/contract.ts';
import type { ColumnKind } from '../../expression/values/kinds.ts';

// ——— GET /service ———

/** The served document and service, with the data that all views need. */
export interface ServiceAnswer {
  /** The number of the served document, as in the activity. */
  readonly served: number;
  readonly title: string;
  /** The name of the document. */
  readonly document: string;
  /** The version of Ninefold. */
  readonly ninefold: string;
  /** The current version of the API; null where the document has no versions. */
  readonly version: string | null;
  /** The address of the service, to which the console sends tried requests. */
  readonly address: string;
  /** The reason why the service cannot answer requests now; null if it can. */
  readonly notReady: string | null;
  /** Whether the service follows the document on disk (`--watch`). */
  readonly watch: boolean;
  /** Whether operators may edit the document (`--edit`). */
  readonly edit: boolean;
  readonly resources: readonly ResourceSummary[];
  readonly endpoints: number;
  /** The number of unsettled endpoints, which answer 501. */
  readonly unsettled: number;
  /** The number of open questions of the served document. */
  readonly questions: number;
  readonly schemes: readonly SchemeContract[];
  readonly rates: readonly RateContract[];
  /** `operator`: receivers are registered here; `rows`: they are rows of `receiverResource`; `none`: no webhooks. */
  readonly receivers: 'none' | 'operator' | 'rows';
  readonly receiverResource: string | null;
  /** The events that are sent by webhook. */
  readonly events: readonly string[];
  /** The versions that a receiver can have, the current one first; empty if the document has none. */
  readonly versions: readonly string[];
  /** The upper bounds of the buckets of response times, in seconds. */
  readonly buckets: readonly number[];
  /** The name of the operator. */
  readonly operator: string;
  /** The latest end of the session. */
  readonly sessionEnds: string;
}

/** The data of a resource for lists and forms. */
export interface ResourceSummary {
  readonly name: string;
  /** The identity field; null if no caller sees it. */
  readonly identity: string | null;
  readonly columns: readonly Column[];
  /** The field by which people tell rows apart; null where only the identity does. */
  readonly label: string | null;
  /** The order without another one, as `sort` of `/rows/RESOURCE` has it: the newest rows first; null for the identity. */
  readonly sort: string | null;
  /** The fields with states, and of each the initial and the final ones. */
  readonly stateFields: readonly StateField[];
  /** The transitions that are not timed. */
  readonly transitions: readonly string[];
  /** The fields of bytes. */
  readonly files: readonly FileField[];
  /** The resource whose changes the rows record, so that nobody changes or removes them; null for any other rows. */
  readonly entriesOf: string | null;
  readonly line: number | null;
}

/** A field of bytes: a row has the members `FIELD.type`, `FIELD.size` and `FIELD.sha256` of it. */
export interface FileField {
  readonly name: string;
  readonly mediaTypes: readonly string[];
  readonly most: number;
  /** The endpoints that give a row other bytes: bytes come and go by requests alone. */
  readonly taken: readonly string[];
}

/** A field with states. */
export interface StateField {
  readonly name: string;
  readonly initial: string;
  readonly final: readonly string[];
}

/** A column of stored rows. */
export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  readonly optional: boolean;
  /** The resource that the column references. */
  readonly refersTo: string | null;
  /** The allowed values. */
  readonly oneOf: readonly string[] | null;
  /** Whether the operator may set the column when a row is added or changed. */
  readonly operator: boolean;
  /** Whether the operator must set the column when a row is added. */
  readonly required: boolean;
  /** Whether the value is a secret, which a list hides. */
  readonly secret: boolean;
  /** Whether rows can be filtered and sorted by the column; not by passwords, lists, sets and maps. */
  readonly ordered: boolean;
  /** The type and the allowed values in words, such as `text 1 to 80 characters`. */
  readonly allowed: string;
  /** The sources of the value, in words of the document. */
  readonly given: string;
  readonly line: number | null;
}

export type ColumnType = ColumnKind | 'password' | 'secret';

// ——— POST /session/end ——— Takes `{}`, answers `Done` and deletes the cookie; the page then says that the session has
// ended.
