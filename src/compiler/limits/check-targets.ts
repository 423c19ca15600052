import type { Target } from '../../language/limits.ts';
import { allowing } from '../../syntax/diagnostic.ts';
import type { Effective } from '../document/effective.ts';
import { namedBy, namesSomeOf, type Targeted } from '../document/effective-limits.ts';
import type { Resolved } from '../document/resolve.ts';
import type { LimitName } from '../statements/limits.ts';
import { limitsDiagnostics as d } from './messages.ts';

/** The names of all endpoints, in the document’s order. */
const endpointNames = (r: Resolved): Set<string> => new Set(r.effective.map((one) => one.endpoint.name));

/** The paths of all endpoints, and every path above them. */
function pathsAbove(r: Resolved): Set<string> {
  const all = r.effective.flatMap(({ endpoint: { path } }) => {
    const steps = path.split('/');
    return steps.slice(1).map((_, i) => steps.slice(0, i + 2).join('/'));
  });
  return new Set(all);
}

/** Returns a test whether a statement is for any endpoint. */
const anywhere = (r: Resolved): ReturnType<typeof namesSomeOf> => namesSomeOf(r.effective);

/** Reports targets that are no endpoint. */
export function checkTargets(r: Resolved, at: readonly Target[]): void {
  for (const target of at) {
    if (r.once(anywhere)({ at: [target] })) continue;
    const { kind, name } = target;
    if (kind === 'endpoint') r.unknown(name, 'endpoint', r.once(endpointNames));
    else if (kind === 'method') {
      const methods = new Set([...r.once(endpointNames)].map((one) => one.split(' ')[0]!));
      r.notes.findings.push(allowing(d.report.methodNowhere(name, { found: name.text }), methods));
    } else {
      const near = r.nearest(name.text, r.once(pathsAbove)) ?? '';
      const finding = d.report.belowNothing(name, { path: name.text, nearest: near });
      r.notes.findings.push(allowing(finding, r.once(pathsAbove)));
    }
  }
}

/**
 * Reports each of several targets of a row that adds nothing to it: no endpoint where the row is in force, or only such
 * endpoints as its other targets include.
 */
export function checkEachTarget(
  r: Resolved,
  { at }: Targeted,
  limit: LimitName | 'Rate',
  inForce: readonly Effective[],
): void {
  if (at.length < 2) return;
  const kept = new Set(at);
  for (const target of at.toReversed()) {
    const own = inForce.filter(namedBy([{ at: [target] }]));
    const others = [...kept].filter((one) => one !== target);
    const twice = own.length > 0 && others.length > 0 && own.every(namedBy([{ at: others }]));
    if (own.length > 0 && !twice) continue;
    kept.delete(target);
    const { name } = target;
    r.notes.findings.push(d.report.targetUnused(name, { found: name.text, limit, ...(twice && { twice: 'yes' }) }));
  }
}
