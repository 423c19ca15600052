import { lineKey } from '../../plan/lines.ts';
import type { ColumnPlan } from '../../plan/rows.ts';
import type { Plan } from '../../plan/step.ts';
import type { ColumnKind } from '../../plan/value-forms.ts';
import type { Trace } from '../oracle/trace.ts';
import { type Draft, need, needAny } from './draft.ts';
import type { Reach } from './reach.ts';

/** How values stand in requests and answers, as the part Resources says for all fields. */
export function wireDrafts(plan: Plan, reach: Reach): Draft[] {
  const columns = plan.resources.flatMap((resource) => resource.columns.map((column) => ({ resource, column })));
  /** The traces of those fields that are met so. */
  const of = (whats: readonly string[], where: (column: ColumnPlan, requested: boolean) => boolean): readonly Trace[] =>
    columns
      .filter(({ resource, column }) => where(column, reach.inRequests(resource.name, column.name) !== null))
      .flatMap(({ resource, column }) =>
        whats.map((what): Trace => ({ statement: lineKey.field(resource.name, column.name), what })),
      );
  const form = (fact: string, kind: ColumnKind): Draft => ({
    key: lineKey.part('resources', fact),
    item: 'resources/formats',
    needs: [
      needAny(
        `a ${kind} is shown, or taken from a request`,
        of(['shown', 'accepted'], (one) => one.rule.kind === kind),
      ),
    ],
  });
  const requests = (fact: string, name: string, traces: readonly Trace[]): Draft => ({
    key: lineKey.part('resources', fact),
    item: 'resources/fields',
    needs: [needAny(name, traces)],
  });
  const own = (fact: string): Trace => ({ statement: lineKey.part('resources', fact), what: 'met' });
  const unknown = plan.endpoints.flatMap((one): Trace[] =>
    (['payloads', 'request'] as const).flatMap((fact) => [
      { statement: lineKey.endpoint(one.name, fact), what: 'refused unknown field' },
      { statement: lineKey.endpoint(one.name, fact), what: 'ignored unknown field' },
    ]),
  );
  const decimals = (): Draft => {
    const draft = form('decimals', 'decimal');
    const isTaken = columns.some(
      ({ resource, column }) => column.rule.kind === 'decimal' && reach.inRequests(resource.name, column.name) !== null,
    );
    const isRounded = plan.wire.decimals !== null && plan.wire.decimals.rounding !== 'refused';
    const halfway = need('a decimal halfway between two is taken and rounded', draft.key, 'halfway');
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
    requests('text', 'a text with white space around it is sent', [own('text')]),
    requests('emptyText', 'an empty text is sent', [own('emptyText')]),
    requests('unknownFields', 'a request holds an unknown field', unknown),
  ];
  return drafts.filter((one) => one.needs.every((each) => each.traces.length > 0));
}
