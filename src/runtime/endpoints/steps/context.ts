import type { Row, Value } from '../../../expression/values/value.ts';
import type { Validators } from '../../../http/preconditions.ts';
import type { AnswerStep, EmittedPlan, InsideStep, PagePlan, WirePlan } from '../../../plan/step.ts';
import type { Call, Program, Store } from '../../../store/store.ts';
import type { Issuers } from '../../authentication/issue.ts';
import type { RequestContext } from '../../context/request-context.ts';
import type { Errors } from '../../errors/refusal.ts';
import type { Expressions, Names } from '../../expressions/layout.ts';
import type { Files } from '../../files/files.ts';
import type { Answer } from '../../http/message.ts';
import type { Passwords } from '../../resources/passwords.ts';
import type { Resource } from '../../resources/rules.ts';
import type { ShowContext, View } from '../../resources/shown.ts';
import type { UnitOfWork } from '../../resources/unit-of-work.ts';
import type { Handlers } from '../handlers/handlers.ts';
import type { Cursors } from './cursors.ts';

/** A page of a list. */
export interface ListPage {
  /** The rows as they were when the list was read; later steps don't change them. */
  readonly rows: readonly Row[];
  /** The page parameter of the next page; null where there is none. */
  readonly next: Value;
  /** The number of rows of the whole list, where the answer has it. */
  readonly total: number | null;
}

/** One run of an endpoint's steps. */
export interface StepRun {
  readonly x: RequestContext;
  readonly work: UnitOfWork;
  /** The page that the answer shows; null until its list has been read. */
  page: ListPage | null;
  /** The values that the store has computed of the rows of a list, by the slot of the list's name. */
  readonly extras: Array<readonly Row[] | null>;
  /** Values of `Set-Cookie` for the answer, by the names of the cookies; null where no step has set any. */
  cookies: Map<string, string> | null;
  /** The answer in a branch that the steps have ended in; null where they end in the last one. */
  answered: Answering | null;
  /** The selection of the rows that the answer streams; null until their list has been reached. */
  rows: Call | null;
  /** The position of the row before the page; empty for the first page, null until the cursor has been read. */
  after: readonly Value[] | null;
}

/** The run of the steps of a request, before its first step. */
export const newRun = (x: RequestContext, work: UnitOfWork): StepRun => ({
  x,
  work,
  page: null,
  extras: [],
  cookies: null,
  answered: null,
  rows: null,
  after: null,
});

/** Runs one step inside the transaction; throws a Refusal where it stops the request. */
export interface Step {
  (run: StepRun): Program<void>;
  /**
   * The calls of the step that depend on the request alone, where its other calls change nothing: they can be sent before the
   * steps before it have run.
   */
  readonly ahead?: (run: StepRun) => readonly Call[];
}

/** Takes the answer's values at the end of the transaction and writes them as JSON, in the version asked for. */
export type Answering = (run: StepRun) => Program<Answer>;

/**
 * Returns the validators (RFC 9110, section 8.8) that a GET of the same path would have now; null if the GET would be
 * refused.
 */
export type Representation = (run: StepRun) => Program<Validators | null>;

/** The dependencies of compiled steps. */
export interface StepContext {
  readonly store: Store;
  readonly expressions: Expressions;
  readonly errors: Errors;
  readonly files: Files;
  readonly handlers: Handlers;
  readonly cursors: Cursors;
  readonly issuers: Issuers;
  /** Null where the document has no passwords. */
  readonly passwords: Passwords | null;
  readonly page: PagePlan | null;
  readonly wire: WirePlan;
  readonly names: Names;
  /** Whether the steps change rows: a later step may then change the rows that an earlier one found. */
  readonly writes: boolean;
  /** Preconditions: checked before the first step. */
  readonly first: Step[];
  /** The events that steps emit. */
  readonly emitted: readonly EmittedPlan[];
  readonly show: ShowContext;
  resource(name: string): Resource;
  /** Compiles an answer. */
  answering(step: AnswerStep): Answering;
  /** Compiles the validators of a GET's answer at the address of a request. */
  representation(get: string): Representation;
  /** The views in which the answer shows the rows of Lists, by the names of these. */
  readonly views: ReadonlyMap<string, View>;
}

/** Compiles a step of the plan. */
export type CompileStep = (step: InsideStep, c: StepContext) => Step;

/** Returns the slot of a name; -1 where the step has none. */
export const slotOf = (name: string | null, c: StepContext): number =>
  name === null ? -1 : c.names.vars.indexOf(name);

export type Of<K extends InsideStep['do']> = Extract<InsideStep, { do: K }>;
