import { CREDENTIAL_BULLETS } from '../../language/authentication.ts';
import { factsOf } from '../../language/statement.ts';
import type { SchemePlan } from '../../plan/callers.ts';
import { openEndpoints } from '../document/access.ts';
import type { Resolved } from '../document/resolve.ts';
import { listNames } from '../endpoints/check/settings.ts';
import type { Scheme } from '../statements/authentication.ts';
import { checkCallers } from './check-callers.ts';
import { checkOrigins } from './check-origins.ts';
import { checkTokens } from './check-tokens.ts';
import { authenticationDiagnostics as d } from './messages.ts';
import { planSchemes } from './plan.ts';

/** Checks the schemes: callers, tokens, browser origins, and that every scope is used. Returns their plans. */
export function checkAuthentication(r: Resolved): SchemePlan[] | undefined {
  checkUnaccepted(r);
  checkOrigins(r);
  for (const [i, scheme] of r.model.authentication.schemes.entries()) checkScheme(r, scheme, i === 0);
  checkCallers(r);
  return planSchemes(r.model.authentication.schemes);
}

function checkScheme(r: Resolved, scheme: Scheme, first: boolean): void {
  const { findings } = r.notes;
  if (!first) askForMore(r, scheme);
  const resource = scheme.credentials && r.resource(scheme.credentials.value.resource);
  checkTokens(r, scheme, resource);
  if (scheme.caller) {
    r.resource(scheme.caller);
    if (resource && scheme.caller.text !== resource.name.text) {
      const params = { caller: scheme.caller.text, credentials: resource.name.text };
      findings.push(d.report.callerDiffers(scheme.caller, params));
    }
  } else {
    findings.push(d.report.caller(scheme.span, { scheme: scheme.name, resource: resource?.name.text ?? 'Customer' }));
  }
  const names = (scheme.scopes ?? []).map((scope) => scope.name.text);
  for (const [i, scope] of (scheme.scopes ?? []).entries()) {
    if (!r.scopeUses.has(scope.name.text) && !r.isSuggested(scope.name.text) && names.indexOf(scope.name.text) === i)
      findings.push(d.report.scopeUnused(scope.name, { scope: scope.name.text }));
  }
}

const CREDENTIAL_FACTS = factsOf(CREDENTIAL_BULLETS);

/** Asks for the missing bullets of a further scheme. The bullets of the first scheme are items, asked for elsewhere. */
function askForMore(r: Resolved, scheme: Scheme): void {
  for (const { member, what, write } of CREDENTIAL_FACTS)
    if (!scheme[member])
      r.notes.findings.push(d.report.schemeUnsaid(scheme.span, { what, scheme: scheme.name }, null, write));
}

/** Checks the statement about invalid credentials: endpoints that accept anonymous requests need it, and only they. */
function checkUnaccepted(r: Resolved): void {
  const { unaccepted, schemes } = r.model.authentication;
  const open = r.once(openEndpoints);
  const names = open.map((one) => one.endpoint.name);
  if (unaccepted && open.length === 0) r.notes.findings.push(d.report.unacceptedUnused(unaccepted));
  if (!unaccepted && open.length && schemes.length)
    r.notes.findings.push(d.report.unaccepted(null, { endpoint: listNames(names) }, names));
}
