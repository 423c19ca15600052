import type { Resolved } from '../../model/resolve.ts';
import { listNames } from '../endpoints/checksettings.ts';
import { openEndpoints } from './access.ts';
import { checkOrigins } from './checkorigins.ts';
import { authenticationDiagnostics as d } from './diagnostics.ts';

/** Checks the scheme: whose rows the callers are, and that every scope opens something. Scheme, header and so on are items. */
export function checkAuthentication(r: Resolved): void {
  checkUnaccepted(r);
  checkOrigins(r);
  const scheme = r.model.authentication.schemes[0];
  if (!scheme) return;
  const { findings } = r.notes;
  const resource = scheme.credentials && r.resource(scheme.credentials.value);
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
    if (!r.scopeUses.has(scope.name.text) && !r.meant(scope.name.text) && names.indexOf(scope.name.text) === i)
      findings.push(d.report.scopeUnused(scope.name, { scope: scope.name.text }));
  }
}

/** Where anyone may call, a request may still bring credentials: it is said what becomes of those that don't hold. */
function checkUnaccepted(r: Resolved): void {
  const { unaccepted, schemes } = r.model.authentication;
  const open = r.once(openEndpoints);
  const names = open.map((one) => one.endpoint.name);
  if (unaccepted && open.length === 0) r.notes.findings.push(d.report.unacceptedUnused(unaccepted));
  if (!unaccepted && open.length && schemes.length)
    r.notes.findings.push(d.report.unaccepted(null, { endpoint: listNames(names) }, names));
}
