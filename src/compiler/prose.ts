import type { Prose } from '../plan/prose.ts';
import type { Span } from '../syntax/span.ts';
import type { Resolved } from './document/resolve.ts';

/** The prose of the document: purpose and domain of the service, and the paragraphs below resources and endpoints. */
export function planProse(r: Resolved, settled: ReadonlySet<string>): Prose[] {
  const { purpose, resources, endpoints, prose } = r.model;
  const stated = (['purpose', 'domain'] as const).flatMap((about): Prose[] => {
    const one = purpose[about];
    return one ? [{ about, name: '', text: one.value, line: r.line(one.from) }] : [];
  });
  const below = (about: Prose['about'], name: string, at: Span): Prose[] => {
    const found = prose.find(({ heading }) => heading.from <= at.from && at.from <= heading.to);
    return found ? [{ about, name, text: found.text, line: r.line(found.span.from) }] : [];
  };
  return [
    ...stated,
    ...resources.list.flatMap(({ name }) => below('resource', name.text, name)),
    ...endpoints.list.flatMap(({ name, span }) => (settled.has(name) ? below('endpoint', name, span) : [])),
  ];
}
