import type { ColumnKind } from '../../expression/values/kinds.ts';
import { statementId } from '../../plan/lines.ts';
import type { ColumnPlan } from '../../plan/rows.ts';
import type { Plan } from '../../plan/step.ts';
import type { Trace } from '../oracle/trace.ts';
import type { Reach } from './reach.ts';
import { type Draft, need, needAny } from './statement.ts';
import { AROUND } from './tried.ts';

/** Whether a field takes short texts of any characters. */
const isFree = ({ rule, password }: ColumnPlan): boolean =>
  rule.kind === 'text' &&
  !password &&
  rule.format === null &&
  rule.pattern === null &&
  rule.oneOf === null &&
  (rule.min ?? 0) <= 1 &&
  (rule.max ?? SHORT) >= SHORT;

/** A character between two others. */
const SHORT = 3;

/** The statements of the part Resources about the form of all values in requests and answers. */
export function wireDrafts(plan: Plan, reach: Reach): Draft[] {
  const columns = plan.resources.flatMap((resource) => resource.columns.map((column) => ({ resource, column })));
  /** The traces of fields that try a statement of the part. */
  const of = (whats: readonly string[], where: (column: ColumnPlan, requested: boolean) => boolean): readonly Trace[] =>
    columns
      .filter(({ resource, column }) => where(column, reach.inRequests(resource.name, column.name) !== null))
      .flatMap(({ resource, column }) =>
        whats.map((what): Trace => ({ statement: statementId.field(resource.name, column.name), what })),
      );
  const form = (fact: string, kind: ColumnKind): Draft => ({
    id: statementId.part('resources', fact),
    item: 'resources/formats',
    needs: [
      needAny(
        `a ${kind} is shown, or taken from a request`,
        of(['shown', 'accepted'], (one) => one.rule.kind === kind),
      ),
    ],
  });
  const requests = (fact: string, name: string, traces: readonly Trace[]): Draft => ({
    id: statementId.part('resources', fact),
    item: 'resources/fields',
    needs: [needAny(name, traces)],
  });
  const own = (fact: string): Trace => ({ statement: statementId.part('resources', fact), what: 'met' });
  const unknown = plan.endpoints.flatMap((one): Trace[] =>
    (['payloads', 'request'] as const).flatMap((fact) => [
      { statement: statementId.endpoint(one.name, fact), what: 'refused unknown field' },
      { statement: statementId.endpoint(one.name, fact), what: 'ignored unknown field' },
    ]),
  );
  const textDraft = (isFreeAnywhere: boolean): Draft => {
    const id = statementId.part('resources', 'text');
    const around = (isFreeAnywhere ? AROUND : AROUND.slice(0, 1)).map(([what]) =>
      need(`a text between ${what} is sent`, id, `between ${what}`),
    );
    return { id, item: 'resources/fields', needs: around };
  };
  const decimals = (): Draft => {
    const draft = form('decimals', 'decimal');
    const isTaken = columns.some(
      ({ resource, column }) => column.rule.kind === 'decimal' && reach.inRequests(resource.name, column.name) !== null,
    );
    const isRounded = plan.wire.decimals !== null && plan.wire.decimals.rounding !== 'refused';
    const halfway = need('a decimal halfway between two is taken and rounded', draft.id, 'halfway');
    return isTaken && isRounded ? { ...draft, needs: [...draft.needs, halfway] } : draft;
  };
  const drafts = [
    form('timestamps', 'timestamp'),
    form('dates', 'date'),
    form('durations', 'duration'),
    decimals(),
    requests(
      'missing',
      'an answer shows a row without a field',
      of(['absent'], (one) => one.nullable),
    ),
    requests(
      'nulls',
      'a request holds null',
      of(['null', 'refused null_refused'], (_, requested) => requested),
    ),
    textDraft(columns.some(({ resource, column }) => isFree(column) && reach.inRequests(resource.name, column.name))),
    requests('emptyText', 'an empty text is sent', [own('emptyText')]),
    requests('unknownFields', 'a request holds an unknown field', unknown),
  ];
  return drafts.filter((one) => one.needs.every((each) => each.traces.length > 0));
}
