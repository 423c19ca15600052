import { draftOf, patchOf } from './draft.ts';
import { type Fault, Problem, problem } from './problems.ts';
import type { Page } from './service.ts';
import { DEPRECATED_VERSION, type Draft, type Order, type Patch, RETIRED_VERSION, VERSION } from './terms.ts';

/** An order as callers of the deprecated version know it: its product has another name, and it has no note. */
interface OlderOrder extends Omit<Order, 'sku' | 'note'> {
  readonly product: string;
}

/** What answers in the deprecated version say of it: RFC 9745 and RFC 8594. */
export const DEPRECATION: readonly string[] = [
  'Deprecation',
  `@${DEPRECATED_VERSION.deprecated / 1000}`,
  'Sunset',
  new Date(DEPRECATED_VERSION.sunset).toUTCString(),
];

/** Whether a request speaks the deprecated version; the problem of one that speaks none that is served. */
export function versionOf(header: string | undefined, now: number): boolean | Problem {
  if (header === undefined || header === VERSION) return false;
  if (header === RETIRED_VERSION) return problem('version_retired');
  if (header !== DEPRECATED_VERSION.name) return problem('version_unknown');
  return now < DEPRECATED_VERSION.sunset || problem('version_retired');
}

/** An order as the caller’s version shows it. */
export function shown(order: Order, older: boolean): Order | OlderOrder {
  if (!older) return order;
  const { id, customer, sku, quantity, status, created } = order;
  return { id, customer, product: sku, quantity, status, created };
}

export function shownPage(page: Page, older: boolean): unknown {
  return older ? { ...page, items: page.items.map((one) => shown(one, true)) } : page;
}

/** The query of a list in the deprecated version, by the names of the current one. */
export function currentQuery(query: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { product, sku, ...rest } = query;
  const own = product === undefined ? rest : { sku: product, ...rest };
  // The name of the current version is none of this one, and is refused as whatever is not known.
  return sku === undefined ? own : { ...own, [UNKNOWN_SKU]: sku };
}

/** Takes the place of a name that the deprecated version does not know. */
const UNKNOWN_SKU = 'sku\0';

/** A fault by the names of the deprecated version. */
export function olderFault(fault: Fault): Fault {
  const { pointer, parameter, code } = fault;
  if (pointer !== undefined) return { pointer: pointer === '/sku' ? '/product' : pointer.replace('\0', ''), code };
  return { parameter: parameter === 'sku' ? 'product' : (parameter?.replace('\0', '') ?? ''), code };
}

/** The body of a creation in the deprecated version, by the names of the current one. */
export function olderDraft(body: unknown): Draft {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return draftOf(body);
  const { product, sku, note, ...rest } = body as Record<string, unknown>;
  const unknown = {
    ...(sku === undefined ? {} : { [UNKNOWN_SKU]: sku }),
    ...(note === undefined ? {} : { 'note\0': note }),
  };
  return draftOf({ ...(product === undefined ? {} : { sku: product }), ...rest, ...unknown });
}

/** The body of a change in the deprecated version, which knows no note. */
export function olderPatch(body: unknown): Patch {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return patchOf(body);
  const { note, sku, ...rest } = body as Record<string, unknown>;
  const unknown = {
    ...(note === undefined ? {} : { 'note\0': note }),
    ...(sku === undefined ? {} : { [UNKNOWN_SKU]: sku }),
  };
  return patchOf({ ...rest, ...unknown });
}

/** A problem with its faults by the names of the deprecated version. */
export function olderProblem(refusal: Problem): Problem {
  const said = JSON.parse(refusal.body) as { errors?: Fault[] };
  if (!said.errors) return refusal;
  const errors = said.errors.map((fault) => ({ ...olderFault(fault), detail: (fault as { detail?: string }).detail }));
  return new Problem(refusal.status, JSON.stringify({ ...said, errors }), refusal.headers);
}
