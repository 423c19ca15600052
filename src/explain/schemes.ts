import { show } from '../expression/tree/expression.ts';
import { conditionOfCallers } from '../plan/caller-condition.ts';
import type { SchemePlan, TokensPlan } from '../plan/callers.ts';
import type { Plan, ResourcePlan } from '../plan/step.ts';
import { showDuration } from '../text/units.ts';

/** Describes the resource of callers, their credentials, the header, and the condition for their rows. */
export function explainCaller(plan: SchemePlan, resources: readonly ResourcePlan[]): string {
  const { resource, header, scheme, tokens } = plan;
  const what = tokens ? 'token' : 'key';
  const condition = conditionOfCallers(resources, plan);
  const restriction = condition ? `, while ${show(condition)}` : '';
  return `the ${resource} by its ${what} in ${header}:${scheme === null ? '' : ` ${scheme}`} …${restriction}`;
}

/** Describes the requirements for credentials of each scheme. */
export function explainSchemes({ schemes, resources }: Plan): string {
  if (schemes.length === 0) return '';
  const lines = schemes.flatMap((scheme) => {
    const issued = `issued by ${scheme.issuedBy.map((by) => (by === 'steps' ? by : `the ${by}`)).join(' and ')}`;
    const scopes = `scopes ${scheme.scopes.join(', ') || 'none'}`;
    return [
      `  ${scheme.name}: ${scheme.kind}; ${explainCaller(scheme, resources)}; ${issued}; ${scopes}`,
      ...(scheme.tokens ? [`    ${explainTokens(scheme.tokens)}`] : []),
    ];
  });
  return ['Schemes', ...lines].join('\n');
}

function explainTokens(tokens: TokensPlan): string {
  const { keys, lifetime, longest, scopes } = tokens;
  return [
    `${tokens.algorithm}, keys ${keys === 'operator' ? 'given by the operator' : `from ${keys.url}, kept ${showDuration(keys.kept)}`}`,
    `issuer ${tokens.issuer}`,
    `audience ${tokens.audience}`,
    `good for ${lifetime === null ? (longest === null ? 'as long as it says' : `at most ${showDuration(longest)}`) : showDuration(lifetime)}`,
    `clock skew ${tokens.skew ? showDuration(tokens.skew) : 'none'}`,
    `${tokens.field} is claim ${tokens.claim}`,
    ...(scopes ? [`scopes in claim ${scopes.claim}${scopes.form === 'list' ? ', as a list' : ''}`] : []),
    ...(tokens.type ? [`typed ${tokens.type}`] : []),
  ].join('; ');
}

/** Describes the permissions of pages of other origins (CORS). */
export function explainBrowsers({ browsers }: Plan): string {
  if (!browsers) return '';
  const origins = browsers.origins === 'any' ? 'any' : browsers.origins.join(', ');
  const kept = browsers.kept ? `kept ${showDuration(browsers.kept * 1000)}` : 'not kept';
  const shown = browsers.shown.length ? `showing ${browsers.shown.join(', ')}` : 'showing no headers';
  return `Browser origins\n  ${origins}; with${browsers.credentials ? '' : 'out'} credentials; preflight ${kept}; ${shown}`;
}

/** Describes how passwords are stored. */
export function explainPasswords({ passwords }: Plan): string {
  if (!passwords) return '';
  return `Passwords\n  hashed by scrypt, N ${passwords.cost}, r ${passwords.blocks}, p ${passwords.lanes}`;
}
