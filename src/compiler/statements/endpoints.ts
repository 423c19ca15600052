import { ENDPOINT, type EndpointBullets, type HandlerBullets, type ParameterPlace } from '../../language/endpoints.ts';
import { nothing } from '../../language/statement.ts';
import type { Allowed, FieldType } from '../../language/values.ts';
import type { DescriptionFormat } from '../../plan/step.ts';
import type { Located, Name } from '../../syntax/names.ts';
import type { Span } from '../../syntax/span.ts';
import type { Token } from '../../syntax/tokens.ts';

/** What bullets say of one endpoint, or of all of them. */
export type Settings = EndpointBullets;

/** Nothing said. */
export const NO_SETTINGS: Settings = nothing(ENDPOINT);

/** A parameter's type: a field's, with its bounds, or one of its own. `separated`: its items, by commas. */
export type ParameterType =
  | { readonly kind: 'field'; readonly resource: Name; readonly field: Name; readonly separated: boolean }
  | { readonly kind: 'plain'; readonly type: FieldType; readonly separated: boolean };

export interface Parameter {
  readonly name: Name;
  readonly in: Located<ParameterPlace> | null;
  readonly type: Located<ParameterType> | null;
  readonly allowed: Located<Allowed> | null;
  readonly presence: Located<'always' | 'optional' | 'else'> | null;
  /** What stands for it where it is not sent, after `else`. */
  readonly fallback: Token | null;
  /** The code that answers a value that isn't allowed. */
  readonly otherwise: Name | null;
  readonly keeps: Token | null;
  readonly span: Span;
}

/** `with sku request.sku, note null` */
export interface Assignment {
  readonly field: Name;
  readonly value: Token;
}

/** ``author: `article.author` as Profile``: a member of an answer, and the view in which its rows are shown. */
export interface Member extends Assignment {
  readonly as: Name | null;
}

/** An order that is written out, or one that expressions choose: what rows are sorted by, and in which direction. */
export type OrderBy =
  | { readonly direction: 'latest' | 'earliest'; readonly by: Token }
  | { readonly direction: 'sorted'; readonly by: Token; readonly way: Token };

/** What a `For each` goes through: a list, or the rows of a resource in an order. */
export type Over =
  | { readonly kind: 'list'; readonly list: Token }
  | {
      readonly kind: 'rows';
      readonly resource: Name;
      readonly where: Token | null;
      readonly order: OrderBy | null;
    };

/** `the stream`, `the stream of order.opened, order.placed` */
export interface Streamed extends Span {
  readonly events: readonly Name[];
}

/** What a row is made of, and what it is called, if it is. */
export interface NewRow {
  readonly as: Token | null;
  readonly resource: Name;
  readonly from: Token | null;
  readonly with: readonly Assignment[];
}

/** What a step does to rows: to one that has a name, or to some of a resource. */
export type RowWrite =
  | { readonly does: 'Change' | 'Move' | 'Remove'; readonly row: string }
  | { readonly does: 'Create' | 'Remove'; readonly resource: string };

/** Rows that a step gives a name to: those of a resource, or of a list that has a name itself. */
type Naming = { readonly as: string } & ({ readonly resource: string } | { readonly list: string });

/** What a step does, as its text alone tells it. */
export interface StepEffects {
  readonly writes: RowWrite | null;
  /** Whether something else of it outlasts the request; of a credential, where a hash of it is kept. */
  readonly keeps: boolean | { readonly credentialOf: string };
  readonly names: Naming | null;
  /** True where a request brings what it needs, or is answered by it. */
  readonly byRequest: boolean;
}

interface StepBase {
  readonly span: Span;
  readonly does: StepEffects;
}

export type Step = StepBase &
  (
    | {
        readonly verb: 'Find';
        readonly as: Token;
        readonly resource: Name;
        readonly where: Token | null;
        readonly order: OrderBy | null;
        /** `or none`: the name may then stand for no row. */
        readonly none: Token | null;
        readonly code: Name | null;
      }
    | {
        readonly verb: 'List';
        readonly as: Token;
        readonly resource: Name;
        readonly where: Token | null;
        readonly asParameters: boolean;
        readonly order: OrderBy | null;
        readonly bound: 'pages' | 'all' | null;
      }
    | {
        readonly verb: 'Authenticate';
        readonly as: Token;
        readonly resource: Name;
        readonly where: Token | null;
        readonly password: Token | null;
        readonly code: Name | null;
      }
    | { readonly verb: 'Require'; readonly test: Token; readonly code: Name | null }
    | { readonly verb: 'Match'; readonly header: 'If-Match'; readonly to: Token }
    | (NewRow & { readonly verb: 'Create' })
    | (NewRow & { readonly verb: 'Ensure' })
    | {
        readonly verb: 'Change';
        readonly row: Token;
        readonly from: Token | null;
        readonly with: readonly Assignment[];
      }
    /** By a transition, or to a state: by the transition that leads there. */
    | { readonly verb: 'Move'; readonly row: Token; readonly by: Name | null; readonly to: Token | null }
    | { readonly verb: 'Remove'; readonly row: Token }
    | { readonly verb: 'Remove every'; readonly resource: Name; readonly where: Token | null }
    /** A handler that only computes gives its result a name; one that reaches outside is queued. */
    | { readonly verb: 'Run'; readonly handler: Name; readonly with: readonly Assignment[]; readonly as: Token | null }
    /** `otherwise` is null where the document says nothing of the other case. */
    /** `scopes` is null where nothing is said of them. */
    | {
        readonly verb: 'Issue';
        readonly as: Token;
        readonly scheme: Name;
        readonly to: Token;
        readonly scopes: readonly Name[] | null;
      }
    /** All of a row's keys; or, where `of` is null, the one that the request was sent with. */
    | { readonly verb: 'Revoke'; readonly scheme: Name; readonly of: Token | null }
    | {
        readonly verb: 'If';
        readonly test: Token;
        readonly steps: readonly Step[];
        readonly otherwise: readonly Step[] | null;
      }
    | { readonly verb: 'For each'; readonly as: Token; readonly over: Over; readonly steps: readonly Step[] }
    | {
        readonly verb: 'Answer';
        readonly status: Located<number>;
        readonly body: Token | null;
        /** The stream of events, and which of them; of none, all that are notified by stream. */
        readonly stream: Streamed | null;
        /** What the service tells of itself: only the bullet `Description` says so. */
        readonly description: DescriptionFormat | null;
        /** The view in which the rows of the body are shown; null for their own form. */
        readonly view: Name | null;
        readonly members: readonly Member[];
        readonly headers: readonly Assignment[];
      }
  );

/** What stands after a verb, with the steps that it holds. */
export type Body<V extends Step['verb']> = V extends Step['verb']
  ? Omit<Extract<Step, { verb: V }>, keyof StepBase | 'verb'>
  : never;

/** Whether an answer has a body. */
export const hasBody = ({ body, stream, description, members }: Extract<Step, { verb: 'Answer' }>): boolean =>
  body !== null || stream !== null || description !== null || members.length > 0;

/** Each step and every step nested in it, in the order in which they stand. */
export function* everyStep(steps: readonly Step[]): Generator<Step> {
  for (const step of steps) {
    yield step;
    if ('steps' in step) yield* everyStep(step.steps);
    if ('otherwise' in step && step.otherwise) yield* everyStep(step.otherwise);
  }
}

/** Steps that come first at every endpoint below a path. */
export interface Under {
  readonly path: string;
  readonly steps: readonly Step[];
  readonly span: Span;
}

export interface Endpoint {
  /** `POST /orders`, as the heading says it. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly settings: Settings;
  readonly parameters: readonly Parameter[];
  readonly steps: readonly Step[];
  readonly span: Span;
}

/**
 * Code of the team’s own, where a document should stop. A pure one runs inside the transaction and only computes; an
 * outside one is queued as the transaction ends, may reach other services, and its result enters through steps.
 */
export interface Handler extends HandlerBullets {
  readonly name: Name;
  readonly takes: readonly Parameter[];
  readonly gives: readonly Parameter[];
  readonly answers: HandlerSteps | null;
  readonly failing: HandlerSteps | null;
  readonly span: Span;
}

/** Steps that are taken when an outside handler has answered, or has failed for good. */
export interface HandlerSteps {
  readonly steps: readonly Step[];
  readonly span: Span;
}

export interface Endpoints {
  readonly settings: Settings;
  readonly parameters: readonly Parameter[];
  readonly unders: readonly Under[];
  readonly list: readonly Endpoint[];
  readonly handlers: readonly Handler[];
}
