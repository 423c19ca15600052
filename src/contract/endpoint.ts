import type { NeededScopes } from '../plan/callers.ts';
import type { Beyond, PageKind, PageValue, Relation } from '../plan/limits.ts';
import type { ContractType, Expression, Lines, ObjectContract } from './types.ts';

export interface EndpointContract {
  /** The heading of the endpoint in the document. */
  readonly name: string;
  readonly method: string;
  /** The request path in this version. */
  readonly path: string;
  /** Whether HEAD is answered as GET is, without the body. */
  readonly head: boolean;
  readonly access: AccessContract;
  readonly parameters: readonly ParameterContract[];
  readonly unknownParameters: 'refused' | 'ignored';
  readonly body: BodyContract | null;
  /** Whether an endpoint that reads no body refuses or ignores one; null if the endpoint reads a body. */
  readonly unreadBody: 'refused' | 'ignored' | null;
  readonly limits: EndpointLimits;
  readonly idempotency: IdempotencyContract | null;
  readonly preconditions: PreconditionsContract | null;
  readonly page: PageContract | null;
  /** Absent where the endpoint is not deprecated. */
  readonly deprecation?: DeprecationContract;
  /** The tag that the document states; absent where it is the resource that the endpoint is about. */
  readonly tag?: string;
  /** The callers to whom descriptions show the endpoint. Absent where each description may show it. */
  readonly audience?: 'none' | AudienceContract;
  /** Whether the endpoint may change stored data. */
  readonly writes: boolean;
  /**
   * The resources of which every row counts, also rows that the caller may not see. Absent where only rows that the
   * caller may see count.
   */
  readonly everyRow?: readonly string[];
  /** The lists that answers show; absent where there are none. */
  readonly lists?: readonly ListContract[];
  readonly steps: readonly StepContract[];
  /** Every answer, in the order in which a request is checked for them; the success comes last. */
  readonly answers: readonly AnswerContract[];
  readonly lines: Lines;
}

/** Callers with credentials of these schemes, and with the needed scopes. */
interface AudienceContract {
  readonly schemes: readonly string[];
  readonly needs: NeededScopes | null;
}

/** The deprecation of an endpoint. */
export interface DeprecationContract {
  /** The date (UTC) from which it is deprecated. */
  readonly from: string;
  /** The date (UTC) from which requests are refused, and the code of the refusal; null where there is none. */
  readonly until: { readonly date: string; readonly code: string } | null;
  /** The headers of every answer. */
  readonly headers: { readonly deprecation: boolean; readonly sunset: boolean };
  readonly lines: Lines;
}

export interface AccessContract {
  readonly kind: 'anyone' | 'any caller' | 'scope';
  /** The scopes that a caller needs: one of them, or all. Null where no scope is needed. */
  readonly needs: NeededScopes | null;
  /** The schemes whose credentials the endpoint accepts; empty if requests have no caller. */
  readonly schemes: readonly string[];
  /** Whether a request without credentials is answered. */
  readonly withoutCredentials: boolean;
  readonly lines: Lines;
}

export interface ParameterContract {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly role:
    | 'stated'
    | 'page size'
    | 'page place'
    | 'idempotency key'
    | 'precondition'
    | 'version'
    | 'last event'
    | 'range';
  readonly type: ContractType;
  readonly required: boolean;
  /** The default value of an absent parameter. */
  readonly otherwise: Expression | null;
  /** The error code for an invalid value; null if the condition `invalid request` answers. */
  readonly refused: string | null;
  /** The resource that the parameter references; the row must exist. */
  readonly refersTo: string | null;
  /** The field that a Find step compares with the parameter. */
  readonly finds: { readonly resource: string; readonly field: string } | null;
  /** The filter that the parameter adds to a list. */
  readonly keeps: Expression | null;
  /** The field after which the parameter is named, by the names of the current version. */
  readonly field: string | null;
  readonly lines: Lines;
}

export interface BodyContract {
  readonly mediaTypes: readonly string[];
  readonly required: boolean;
  /** Whether the body is a merge patch (RFC 7396): absent members keep their stored values. */
  readonly patch: boolean;
  /** The members of the body; none if it is bytes. */
  readonly type: ObjectContract;
  /** The bytes of a field that are the whole body; absent if the body has members. */
  readonly bytes?: UploadContract;
  readonly lines: Lines;
}

/** Bytes that a request sends. */
export interface UploadContract {
  /** The field, such as `Attachment.content`. */
  readonly field: string;
  readonly max: number;
  /** Whether the first bytes have to be those of the media type. */
  readonly firstBytes: 'checked' | 'not checked';
}

export interface EndpointLimits {
  /** The time between the arrival of the request and its answer. */
  readonly timeout: { readonly milliseconds: number; readonly lines: Lines } | null;
  /** The largest request body. */
  readonly requestSize: { readonly bytes: number; readonly lines: Lines } | null;
  /**
   * The rates that count requests to the endpoint. `everyone`: a rate for requests without a caller counts all requests
   * here.
   */
  readonly rates: ReadonlyArray<{ readonly rate: string; readonly everyone: boolean; readonly lines: Lines }>;
}

export interface IdempotencyContract {
  readonly header: string;
  /** Whether a request without the header is refused; otherwise it is answered as if there were no keys. */
  readonly required: boolean;
  readonly keptMilliseconds: number;
  /** Answers with a status below this one are stored and replayed. */
  readonly answersBelow: number;
  /** The header of repeated answers; null if a repeated answer is as the first one. */
  readonly replayed: { readonly name: string; readonly value: string } | null;
  readonly lines: Lines;
}

/** Conditional requests (RFC 9110, section 13). */
export interface PreconditionsContract {
  /** `required`: a request without If-Match is refused. `refused`: a request with If-Match is refused. */
  readonly ifMatch: 'required' | 'judged' | 'refused' | 'ignored';
  readonly ifNoneMatch: 'judged' | 'refused' | 'ignored';
  /** Evaluated if the answer of the GET `of` has a time of modification. */
  readonly ifUnmodifiedSince: 'judged' | 'refused' | 'ignored';
  /**
   * The expression of the entity tag that If-Match is compared with; null for the tag of the whole answer, which for a
   * write is the answer of `of`.
   */
  readonly to: Expression | null;
  /** The GET of the same path whose answer the preconditions of a write concern; null if there is none. */
  readonly of: string | null;
  readonly lines: Lines;
}

export interface PageContract {
  readonly by: PageKind;
  readonly size: {
    readonly parameter: string;
    readonly standard: number;
    readonly most: number;
    readonly beyond: Beyond;
  };
  readonly place: string;
  readonly links: readonly Relation[];
  /** The members of the payload and their values; null if the payload is the array of items itself. */
  readonly payload: ReadonlyArray<{ readonly name: string; readonly value: PageValue }> | null;
  readonly lines: Lines;
}

/** A list in an answer. The steps say which rows it has. */
export interface ListContract {
  /** The member of the answer that shows it; null where the body itself does. */
  readonly member: string | null;
  /** The sort keys; null where the request chooses them. */
  readonly order: readonly SortKeyContract[] | null;
  /** The parameters that choose the order; absent where the order is the same for all requests. */
  readonly chosenBy?: readonly string[];
  /** The most items of a list that is answered whole, and what happens to more. */
  readonly bound: { readonly most: number; readonly beyond: Beyond } | null;
  readonly search?: SearchContract;
}

interface SortKeyContract {
  readonly by: Expression;
  readonly descending: boolean;
  /** The place of rows without a value; absent where all have one. */
  readonly nulls?: 'first' | 'last';
}

/** The meaning of a parameter whose words select rows. */
export interface SearchContract {
  readonly parameter: string;
  /** Whether a row has all words of the parameter, or at least one. */
  readonly words: 'every' | 'any';
  readonly lastIsPrefix: boolean;
  /** Whether all rows are found without words, or none. */
  readonly emptyMatches: boolean;
  /** The language in which words with the same stem are the same; null for none. */
  readonly language: string | null;
  readonly accents: 'ignored' | 'distinct';
  readonly fields: readonly Expression[];
}

/** A step of an endpoint, as far as a caller can observe it. */
export interface StepContract {
  readonly do: string;
  readonly text: string;
  readonly resource: string | null;
  /** The transitions that the step may perform. */
  readonly by: readonly string[];
  /** The conditions under which the step runs, and the lists that it runs over; outermost first. */
  readonly under: readonly string[];
  readonly lines: Lines;
}

export interface AnswerContract {
  readonly status: number;
  /** Null for a success, and for an error that only its status identifies. */
  readonly code: string | null;
  readonly title: string | null;
  readonly because: BecauseContract;
  readonly headers: readonly HeaderContract[];
  readonly body: AnswerBody | null;
  readonly lines: Lines;
}

/** The reason for an answer. */
export interface BecauseContract {
  readonly kind:
    | 'condition'
    | 'parameter'
    | 'step'
    | 'transition'
    | 'rule'
    | 'handler'
    | 'stream'
    | 'sunset'
    | 'not modified'
    | 'range'
    | 'success';
  /** The condition, the parameter, the step’s verb, `Order.place` of a transition, `Order` of a rule … */
  readonly name: string;
  readonly text: string;
}

export interface HeaderContract {
  readonly name: string;
  readonly presence: 'always' | 'sometimes';
  /** The value of the header, if it is constant. */
  readonly value: string | null;
  /** The expression of the value, where the document states one. */
  readonly expression: Expression | null;
}

export interface AnswerBody {
  readonly mediaType: string;
  readonly type: ContractType;
  /** Whether the value itself may be null. */
  readonly nullable: boolean;
  /** The expression of the body; null if its members have expressions, or if the body is a page, stream or error. */
  readonly expression: Expression | null;
}
