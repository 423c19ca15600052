import { CONDITIONS } from '../../plan/conditions.ts';
import { isSameId, type Lines, lineOf, type StatementId, statementId } from '../../plan/lines.ts';
import { PART_ITEMS, type PartName, partAndItem } from '../../plan/parts.ts';
import { type Trace, traceKey } from '../oracle/trace.ts';
import type { Need, SetupMember, Statement } from './statement.ts';

/** The reasons why statements were not tested. */
export interface Untested {
  /** Members that the setup does not have. */
  readonly lacking: ReadonlySet<SetupMember>;
  /** A sentence about single statements, by the texts of their ids, such as why no request can be made. */
  readonly reasons: ReadonlyMap<string, string>;
  /** The reason for statements that could have been tested. */
  readonly untried: keyof typeof UNTRIED;
  /** The statements that the run is about, by the texts of their ids; null: all. */
  readonly only: ReadonlyMap<string, StatementId> | null;
}

/**
 * The statement of a break. `what`: the trace of the break, where a line states several items; null where it is not
 * known.
 */
interface Broken {
  readonly statement: StatementId | null;
  readonly what?: string | null | undefined;
}

export type Outcome = 'kept' | 'broken' | 'untestable';

/** The outcome of a statement, with the reason. */
export interface Result {
  readonly statement: Statement;
  readonly outcome: Outcome;
  /** Why it is untestable, in a sentence; null otherwise. */
  readonly because: string | null;
  /** The needs that were not met, by their names. */
  readonly unmet: readonly string[];
}

/**
 * The outcome of each statement: broken where a break names it; kept where everything that it needs was tried and
 * nothing was broken; untestable otherwise, with the reason. A statement that was not tried is never kept.
 */
export function judge(
  statements: readonly Statement[],
  traces: readonly Trace[],
  breaks: readonly Broken[],
  untested: Untested,
): Result[] {
  const tried = new Set(traces.map(traceKey));
  const broken = new Set(breaks.flatMap((one) => brokenBy(one, statements)));
  return statements.map((statement): Result => {
    const unmet = statement.needs.filter((need) => !need.traces.some((trace) => tried.has(traceKey(trace))));
    const result = { statement, unmet: unmet.map((need) => need.name) };
    if (broken.has(statement)) return { ...result, outcome: 'broken', because: null };
    const because = reasonOf(statement, unmet, untested);
    return because === null
      ? { ...result, outcome: 'kept', because: null }
      : { ...result, outcome: 'untestable', because };
  });
}

/**
 * The statements that a break concerns: those at its line whose needs include the broken trace; if there are none, the
 * first statement of the line.
 */
function brokenBy({ statement: id, what }: Broken, statements: readonly Statement[]): readonly Statement[] {
  if (id === null) return [];
  const of = statementsAt(id, statements);
  const exact = of.filter((one) =>
    one.needs.some(({ traces, lesser = [] }) =>
      [...traces, ...lesser].some((trace) => isSameId(trace.statement, id) && trace.what === what),
    ),
  );
  return exact.length > 0 ? exact : of.slice(0, 1);
}

/**
 * The statements of an id. The id of a break may be of a fact that is no statement of its own, such as a condition of
 * an adopted published list, or the access of an endpoint where nobody has credentials: then the statement that
 * contains the fact is broken.
 */
function statementsAt(id: StatementId, statements: readonly Statement[]): readonly Statement[] {
  for (const one of [id, ...holdersOf(id)]) {
    const of = statements.filter((statement) => isSameId(statement.id, one));
    if (of.length > 0) return of;
  }
  const needing = statements.filter(({ needs }) =>
    needs.some(({ traces }) => traces.some((one) => isSameId(one.statement, id))),
  );
  if (needing.length > 0) return needing;
  // A line without tests of its own may contain another statement.
  return statements.filter((one) => id.kind === 'step' && one.line === id.line);
}

/** The ids of statements that may contain a fact, the nearest first. */
function holdersOf(id: StatementId): StatementId[] {
  switch (id.kind) {
    case 'endpoint':
    case 'parameter':
      return [statementId.heading(id.endpoint)];
    case 'field':
    case 'unique':
    case 'holds':
    case 'overlap':
    case 'reference':
    case 'view':
      return [statementId.resource(id.resource, 'shown'), statementId.resource(id.resource, 'name')];
    case 'payload':
      return [statementId.part('errors', 'payload')];
    case 'code': {
      const condition = CONDITIONS.find((one) => one.replaceAll(/[ -]/g, '_') === id.code);
      return condition ? [statementId.condition(condition)] : [];
    }
    default:
      return [];
  }
}

/** The beginnings of the reason for a statement that requests could try and none did. */
export const UNTRIED = {
  budget: 'Not tried within the budget',
  only: 'Not tried with --only',
  found: 'No request was found that tries it',
} as const;

/** The beginning of a reason that says that nothing tried the statement; undefined for any other reason. */
export const untriedIn = (because: string): string | undefined =>
  Object.values(UNTRIED).find((why) => because.startsWith(`${why}: `));

/** How the report calls the members of a setup. */
const MEMBERS: Readonly<Record<SetupMember, string>> = {
  row: 'a way to add rows (`row`)',
  caller: 'a way to issue credentials (`caller`)',
  receiver: 'a way to register receivers (`receiver`)',
  list: 'a way to list rows (`list`), which hold a value that no answer shows',
  clock: 'a clock that can be moved (`clock`)',
  reset: 'a way to begin anew (`reset`)',
};

/** Why a statement does not count as kept, as a sentence; null where it does. */
function reasonOf(statement: Statement, unmet: readonly Need[], untested: Untested): string | null {
  const reason = untested.reasons.get(statement.key);
  // A need may be met without any request, by timed work of the service.
  if (statement.needs.length > 0 && unmet.length === 0) return null;
  if (statement.untestable !== null) return statement.untestable;
  if (statement.needs.length === 0) return reason ?? 'No request can try it.';
  const lacking = [...new Set(unmet.flatMap((need) => need.setup))].filter((member) => untested.lacking.has(member));
  if (lacking.length > 0) return `The setup lacks ${lacking.map((member) => MEMBERS[member]).join(' and ')}.`;
  const why = untested.only && !untested.only.has(statement.key) ? 'only' : untested.untried;
  return reason ?? `${UNTRIED[why]}: ${unmet.map((need) => need.name).join('; ')}.`;
}

/** One of the 31 items: whether the document states it, and the outcomes of its statements. */
export interface ItemCoverage extends Readonly<Record<Outcome, number>> {
  readonly part: PartName;
  readonly item: string;
  readonly stated: boolean;
}

/**
 * The 31 items in document order. `lines`: the lines of the plan. The purpose of the service counts as stated by its
 * line, since no caller can test it.
 */
export function coverageOf(results: readonly Result[], lines: Lines): ItemCoverage[] {
  return PART_ITEMS.map((name) => {
    const [part, item] = partAndItem(name);
    const of = results.filter(({ statement }) => statement.part === part && statement.item === item);
    const count = (outcome: Outcome): number => of.filter((one) => one.outcome === outcome).length;
    const counts = { kept: count('kept'), broken: count('broken'), untestable: count('untestable') };
    const stated = of.length > 0 || (part === 'purpose' && lineOf(lines, statementId.part(part, item)) !== undefined);
    return { part, item, stated, ...counts };
  });
}
