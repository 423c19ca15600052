import { admits, type Credentials, callerConditions, concealedFrom } from '../../plan/audience.ts';
import { statementId } from '../../plan/lines.ts';
import { withoutNames } from '../../plan/paths.ts';
import type { BodyPlan, EndpointPlan } from '../../plan/step.ts';
import { evaluate } from './evaluate.ts';
import { type Run, scopeOf } from './run.ts';
import { note } from './scope.ts';

type Description = Extract<BodyPlan, { kind: 'description' }>;

/**
 * The operations that an OpenAPI description has for the caller of a request, as methods with paths in which parameters
 * have no names, in the order of the text. OpenAPI 3.1 has no operations of QUERY.
 */
export function describedOperations(run: Run, { format, content }: Description): readonly string[] {
  const { plan, caller, version } = run.work;
  const who: Credentials = { scheme: caller?.scheme ?? null, scopes: caller?.scopes ?? [] };
  const concealed = concealedFrom(plan.endpoints, [who]);
  const mayCall = (one: EndpointPlan): boolean =>
    admits(one, who) && callerConditions(one).every((condition) => evaluate(condition, scopeOf(run)) === true);
  for (const { name, audience } of plan.endpoints)
    if (audience) note(run.work, statementId.endpoint(name, 'audience'), concealed.has(name) ? 'left out' : 'shown');
  const shown = plan.endpoints.filter(
    (one) => !concealed.has(one.name) && (content === 'every endpoint' || mayCall(one)),
  );
  const by = plan.versions?.by;
  const before = by?.kind === 'path' ? by.prefix.replace('{version}', version).replace(/\/$/, '') : '';
  const has = ({ method }: EndpointPlan): boolean => method !== 'QUERY' || format === 'OpenAPI 3.2';
  return shown
    .filter(has)
    .map(({ method, path }) => `${method} ${withoutNames(before + path)}`)
    .sort();
}
