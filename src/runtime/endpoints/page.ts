import type { Value } from '../../expression/values/value.ts';
import { objectWriter } from '../../http/nested-json.ts';
import type { PagePlan } from '../../plan/step.ts';
import type { Program } from '../../store/store.ts';
import type { RequestedPage } from '../context/request-context.ts';
import type { View } from '../resources/shown.ts';
import type { ListPage, StepRun } from './steps/context.ts';

type PageValue = NonNullable<PagePlan['payload']>[number]['value'];

/** Compiles the writer of a page as JSON: its items alone, or an envelope with the members that the document names. */
export function compilePage(
  slot: number,
  view: View,
  page: PagePlan,
  missing: 'null' | null,
): (run: StepRun) => Program<string> {
  const { payload } = page;
  const write = objectWriter(
    (payload ?? []).map(({ name }, i) => ({ name, write: (texts: readonly (string | null)[]) => texts[i]! })),
  );
  return function* answer({ x, work: { frame }, extras, page: taken }) {
    let items = '';
    for (const [i, row] of taken!.rows.entries())
      items += (items && ',') + view.written(row, extras[slot]?.[i] ?? [], frame, x.apiVersion);
    if (!payload) return `[${items}]`;
    return write(
      payload.map(({ value }) => (value === 'items' ? `[${items}]` : told(value, x.page!, page, taken!)) ?? missing),
    );
  };
}

/** Returns a member of a page's envelope, as JSON; null where it has no value. */
function told(
  value: Exclude<PageValue, 'items'>,
  asked: RequestedPage,
  page: PagePlan,
  { next, total }: ListPage,
): string | null {
  const json = (one: Value): string | null => (one === null ? null : JSON.stringify(one));
  switch (value) {
    case 'next':
      return json(next);
    case 'previous':
      return json(before(asked, page, total!));
    case 'more':
      return json(next !== null);
    case 'total':
      return json(total);
    case 'size':
      return json(asked.limit);
    case 'offset':
      return json(asked.offset);
    case 'number':
      return json(asked.number);
    case 'pages':
      return json(Math.ceil(total! / asked.limit));
  }
}

/**
 * Returns the page parameter of the previous page: its number or its offset. The page before one past the end is the
 * last page.
 */
export function before({ limit, offset, number }: RequestedPage, { by }: PagePlan, total: number): number | null {
  if (offset === 0) return null;
  const pages = Math.max(1, Math.ceil(total / limit));
  if (by === 'number') return Math.min(number - 1, pages);
  return offset >= total ? (pages - 1) * limit : Math.max(0, offset - limit);
}
