import type { Beyond, PageKind, PageValue, Relation } from '../plan/limits.ts';
import type { ContractType, Expression, Lines, ObjectContract } from './types.ts';

export interface EndpointContract {
  /** As the document’s heading says it. */
  readonly name: string;
  readonly method: string;
  /** As it is asked for in this version. */
  readonly path: string;
  /** True where HEAD is answered as GET is, without the body. */
  readonly head: boolean;
  readonly access: AccessContract;
  readonly parameters: readonly ParameterContract[];
  readonly unknownParameters: 'refused' | 'ignored';
  readonly body: BodyContract | null;
  /** What becomes of a body where none is read. */
  readonly unreadBody: 'refused' | 'ignored' | null;
  readonly limits: EndpointLimits;
  readonly idempotency: IdempotencyContract | null;
  readonly preconditions: PreconditionsContract | null;
  readonly page: PageContract | null;
  /** True if it changes anything. */
  readonly writes: boolean;
  readonly steps: readonly StepContract[];
  /** Every answer, in the order in which a request is checked for them; the success comes last. */
  readonly answers: readonly AnswerContract[];
  readonly lines: Lines;
}

export interface AccessContract {
  readonly kind: 'anyone' | 'any caller' | 'scope';
  readonly scope: string | null;
  /** The schemes whose credentials are taken; none where there are no callers. */
  readonly schemes: readonly string[];
  /** Whether a request without credentials is answered. */
  readonly withoutCredentials: boolean;
  readonly lines: Lines;
}

export interface ParameterContract {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly role: 'stated' | 'page size' | 'page place' | 'idempotency key' | 'precondition' | 'version' | 'last event';
  readonly type: ContractType;
  readonly required: boolean;
  /** What stands for it where it is not sent. */
  readonly otherwise: Expression | null;
  /** The code that answers a value that isn’t allowed; null where that is an invalid request. */
  readonly refused: string | null;
  /** The resource whose row it has to name. */
  readonly refersTo: string | null;
  /** The field by which a step finds the row that it names. */
  readonly finds: { readonly resource: string; readonly field: string } | null;
  /** Which rows a list keeps by it. */
  readonly keeps: Expression | null;
  /** The field whose name it has, by the names of the current version. */
  readonly field: string | null;
  readonly lines: Lines;
}

export interface BodyContract {
  readonly mediaTypes: readonly string[];
  readonly required: boolean;
  /** True for a merge patch (RFC 7396): what isn’t sent stays as it is. */
  readonly patch: boolean;
  readonly type: ObjectContract;
  readonly lines: Lines;
}

export interface EndpointLimits {
  /** From the request’s arrival to its answer. */
  readonly timeout: { readonly milliseconds: number; readonly lines: Lines } | null;
  /** Of the body. */
  readonly requestSize: { readonly bytes: number; readonly lines: Lines } | null;
  /** The rates that count its requests. `everyone`: one for requests without a caller counts all here. */
  readonly rates: ReadonlyArray<{ readonly rate: string; readonly everyone: boolean; readonly lines: Lines }>;
}

export interface IdempotencyContract {
  readonly header: string;
  readonly keptMilliseconds: number;
  /** Answers with a lower status are kept and given again. */
  readonly answersBelow: number;
  readonly lines: Lines;
}

/** Conditional requests (RFC 9110, section 13). */
export interface PreconditionsContract {
  /** `required`: a request without If-Match is refused. `refused`: one with it is. */
  readonly ifMatch: 'required' | 'judged' | 'refused' | 'ignored';
  readonly ifNoneMatch: 'judged' | 'refused' | 'ignored';
  /** Judged where the GET `of` tells when what it answers was modified. */
  readonly ifUnmodifiedSince: 'judged' | 'refused' | 'ignored';
  /** What If-Match is compared with; null for the entity tag of the whole answer, of a write that of `of`. */
  readonly to: Expression | null;
  /** The GET of the same address whose answer the preconditions of a write are about; null where no answer of a GET is. */
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
  /** What the payload holds under which name; null where it is the items alone. */
  readonly payload: ReadonlyArray<{ readonly name: string; readonly value: PageValue }> | null;
  readonly lines: Lines;
}

/** What an endpoint does, as far as a caller can tell. */
export interface StepContract {
  readonly do: string;
  readonly text: string;
  readonly resource: string | null;
  /** The transitions that it may make. */
  readonly by: readonly string[];
  /** The conditions under which it is done, and what it is done for each of; outermost first. */
  readonly under: readonly string[];
  readonly lines: Lines;
}

export interface AnswerContract {
  readonly status: number;
  /** Null for a success, and where nothing but the status tells. */
  readonly code: string | null;
  readonly title: string | null;
  readonly because: BecauseContract;
  readonly headers: readonly HeaderContract[];
  readonly body: AnswerBody | null;
  readonly lines: Lines;
}

/** What has to have happened for an answer. */
export interface BecauseContract {
  readonly kind:
    | 'condition'
    | 'parameter'
    | 'step'
    | 'transition'
    | 'rule'
    | 'handler'
    | 'stream'
    | 'not modified'
    | 'success';
  /** The condition, the parameter, the step’s verb, `Order.place` of a transition, `Order` of a rule … */
  readonly name: string;
  readonly text: string;
}

export interface HeaderContract {
  readonly name: string;
  readonly presence: 'always' | 'sometimes';
  /** Its value where it is always the same. */
  readonly value: string | null;
  /** What its value is computed from, where the document says so. */
  readonly expression: Expression | null;
}

export interface AnswerBody {
  readonly mediaType: string;
  readonly type: ContractType;
  /** Whether the value itself may be null. */
  readonly nullable: boolean;
  /** What it is computed from; null where its members say so, or where it is a page, a stream or an error. */
  readonly expression: Expression | null;
}
