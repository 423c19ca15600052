import type { Row, Value } from '../../../expression/value.ts';
import type { InsideStep, PagePlan, WirePlan } from '../../../plan/step.ts';
import type { Exchange } from '../../../serve/exchange.ts';
import type { Expressions, Names } from '../../../serve/layout.ts';
import type { Program, Store } from '../../../store/store.ts';
import type { Issuers } from '../../authentication/issue.enforce.ts';
import type { Errors } from '../../errors/enforce.ts';
import type { Resource } from '../../resources/enforce.ts';
import type { Passwords } from '../../resources/passwords.enforce.ts';
import type { View } from '../../resources/shown.ts';
import type { Work } from '../../resources/work.ts';
import type { Handlers } from '../handlers/handlers.enforce.ts';
import type { Cursors } from '../pages.enforce.ts';

/** A page of a list. */
export interface PageTaken {
  /** The rows as they were when the list was read, whatever later steps have made of them. */
  readonly rows: readonly Row[];
  /** Where the next page begins; null where there is none. */
  readonly next: Value;
  /** How many rows the whole list has, where that is told. */
  readonly total: number | null;
}

/** One run of an endpoint's steps. */
export interface Run {
  readonly x: Exchange;
  readonly work: Work;
  /** What is known of the page that is answered, once its list has been read. */
  page: PageTaken | null;
  /** What the store has computed of the rows of a list, by the place of its name. */
  readonly extras: Array<readonly Row[] | null>;
  /** After which row the page begins; empty for the first page, null until the cursor has been opened. */
  after: readonly Value[] | null;
}

/** Runs one step inside the transaction; throws a Refusal where it stops the request. */
export type Step = (run: Run) => Program<void>;

/** What steps are compiled with. */
export interface StepContext {
  readonly store: Store;
  readonly expressions: Expressions;
  readonly errors: Errors;
  readonly handlers: Handlers;
  readonly cursors: Cursors;
  readonly issuers: Issuers;
  /** Null where the document has no passwords. */
  readonly passwords: Passwords | null;
  readonly page: PagePlan | null;
  readonly wire: WirePlan;
  readonly names: Names;
  /** True if steps change rows: then what one step finds, others may change. */
  readonly writes: boolean;
  /** What comes before all steps: conditions that are checked before any step can refuse. */
  readonly first: Step[];
  resource(name: string): Resource;
  /** What is read of the rows that a step names, beside what the answer shows of them; null where it may be anything. */
  columnsRead(name: string, resource: string): ReadonlySet<string> | null;
  /** How the answer shows the rows that a List names, by that name. */
  readonly views: ReadonlyMap<string, View>;
}

export type Of<K extends InsideStep['do']> = Extract<InsideStep, { do: K }>;
