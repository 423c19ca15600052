import {
  ENDPOINT,
  ENDPOINTS,
  type EndpointBullets,
  type Method,
  type ParameterCells,
} from '../../language/endpoints.ts';
import type { ValueOf } from '../../language/grammar.ts';
import type { HandlerBullets } from '../../language/handlers.ts';
import type { ScheduleBullets } from '../../language/schedules.ts';
import { nothing, type Stated } from '../../language/statement.ts';
import type { STEPS, Verb } from '../../language/steps.ts';
import type { Located, Name } from '../../syntax/names.ts';
import type { Span } from '../../syntax/span.ts';
import type { Token } from '../../syntax/tokens.ts';

/** The bullets of one endpoint, or of all endpoints. */
export type Settings = EndpointBullets;

/** The bullets of all endpoints, and those of all endpoints of a method. */
export type PartSettings = Settings & Pick<Stated<typeof ENDPOINTS>, `idempotencyOf${Method}`>;

/** Settings without any statement. */
export const NO_SETTINGS: Settings = nothing(ENDPOINT);

/** A part without any statement about endpoints. */
export const NO_PART_SETTINGS: PartSettings = { ...nothing(ENDPOINTS), pages: null, tag: null, deprecated: null };

export interface Parameter extends Omit<ParameterCells, 'name' | 'presence' | 'otherwise' | 'keeps'> {
  readonly name: Name;
  readonly presence: Located<'always' | 'optional' | 'else'> | null;
  /** The default value after `else`, for a request that does not send the parameter. */
  readonly fallback: Token | null;
  /** The code that answers a value that isn't allowed. */
  readonly otherwise: Name | null;
  readonly keeps: Token | null;
  readonly span: Span;
}

/** A write of a step: to one named row, or to rows of a resource. */
export type RowWrite =
  | { readonly does: 'Change' | 'Move' | 'Remove'; readonly row: string }
  | { readonly does: 'Create' | 'Remove'; readonly resource: string };

/** Rows that a step names: rows of a resource, or items of a list that has a name. */
type Naming = { readonly as: string } & ({ readonly resource: string } | { readonly list: string });

/** The effects of a step, as far as its own text shows them. */
export interface StepEffects {
  readonly writes: RowWrite | null;
  /**
   * Whether the step has other effects that last beyond the request. `credentialOf`: the scheme whose credential the
   * step issues; this lasts if the scheme stores a hash of the credential.
   */
  readonly keeps: boolean | { readonly credentialOf: string };
  readonly names: Naming | null;
  /** Whether the step needs data of a request, or answers the request. */
  readonly byRequest: boolean;
}

interface StepBase {
  readonly span: Span;
  readonly does: StepEffects;
}

/** The steps that a step of a verb holds. */
type Held<V extends Verb> = V extends 'If'
  ? {
      readonly steps: readonly Step[];
      /** Null where the document states no steps for the other case. */
      readonly otherwise: readonly Step[] | null;
    }
  : V extends 'For each'
    ? { readonly steps: readonly Step[] }
    : unknown;

/** The statement after a verb, with the steps nested in the step. */
export type Body<V extends Verb> = V extends Verb ? ValueOf<(typeof STEPS)[V]> & Held<V> : never;

/** A step of a verb, as the language has it. */
export type Step = { [V in Verb]: StepBase & { readonly verb: V } & Body<V> }[Verb];

/** Whether an answer has a body. */
export const hasBody = ({ body, stream, description, members }: Extract<Step, { verb: 'Answer' }>): boolean =>
  body !== null || stream !== null || description !== null || members.length > 0;

/** Whether all ways through steps end in an Answer. */
export const alwaysAnswer = (steps: readonly Step[]): boolean =>
  steps.some(
    (step) =>
      step.verb === 'Answer' || (step.verb === 'If' && alwaysAnswer(step.steps) && alwaysAnswer(step.otherwise ?? [])),
  );

/** Whether an answer streams rows. */
export const isRows = ({ form }: Extract<Step, { verb: 'Answer' }>): boolean =>
  form !== null && form.kind !== 'text' && form.kind !== 'file';

/** Whether an answer is a file. */
export const isFile = ({ form }: Extract<Step, { verb: 'Answer' }>): boolean => form?.kind === 'file';

/** Each step and every step nested in it, in document order. */
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

/** Steps that run after an outside handler has answered, or has failed for good. */
export interface HandlerSteps {
  readonly steps: readonly Step[];
  readonly span: Span;
}

/** Steps that the service runs by itself at stated times. */
export interface Schedule extends ScheduleBullets {
  readonly name: Name;
  readonly steps: readonly Step[];
  readonly span: Span;
}

/** A tag of operations in descriptions; the prose below its heading describes it. */
export interface Tag {
  readonly name: Name;
  readonly span: Span;
}

export interface Endpoints {
  readonly settings: PartSettings;
  readonly parameters: readonly Parameter[];
  readonly unders: readonly Under[];
  readonly list: readonly Endpoint[];
  readonly handlers: readonly Handler[];
  readonly schedules: readonly Schedule[];
  readonly tags: readonly Tag[];
}
