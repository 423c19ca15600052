import type { Pages } from '../../plan/limits.ts';
import type { Located } from '../../syntax/names.ts';
import type { Effective } from './effective.ts';
import type { Resolved } from './resolve.ts';

/** Whether an endpoint answers a list in pages. */
export function isPaged(one: Effective): boolean {
  return one.every.some((step) => step.verb === 'List' && step.bound === 'pages');
}

/** Whether a step of an endpoint lists all rows, without pages. */
export function listsAll(one: Effective): boolean {
  return one.every.some((step) => (step.verb === 'List' || step.verb === 'Group') && step.bound === 'all');
}

/** The form of an endpoint's pages: its own, or else that of all pages. */
export function pagesOf(r: Resolved, one: Effective): Located<Pages> | null {
  return one.settings.pages ?? r.model.limits.pages;
}
