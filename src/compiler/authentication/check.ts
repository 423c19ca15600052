import { alwaysTrue } from '../../expression/tree/always.ts';
import { type Expr, some } from '../../expression/tree/expression.ts';
import { CREDENTIAL_BULLETS } from '../../language/authentication.ts';
import { factsOf } from '../../language/statement.ts';
import { callerCondition } from '../../plan/caller-condition.ts';
import type { SchemePlan } from '../../plan/callers.ts';
import { bullet } from '../../syntax/diagnostic.ts';
import type { Name } from '../../syntax/names.ts';
import type { Token } from '../../syntax/tokens.ts';
import { listed } from '../../text/suggest.ts';
import { callerAnywhere, openEndpoints } from '../document/access.ts';
import { checkCondition, neverHolds } from '../document/conditions.ts';
import type { Resolved } from '../document/resolve.ts';
import { listNames } from '../endpoints/check/settings.ts';
import type { Scheme } from '../statements/authentication.ts';
import type { Resource } from '../statements/resources.ts';
import { checkBasic } from './check-basic.ts';
import { checkCookie } from './check-cookies.ts';
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
  return planSchemes(r);
}

function checkScheme(r: Resolved, scheme: Scheme, first: boolean): void {
  const { findings } = r.notes;
  if (!first) askForMore(r, scheme);
  const resource = scheme.credentials && r.resource(scheme.credentials.value.resource);
  checkTokens(r, scheme, resource);
  checkBasic(r, scheme, resource);
  checkCookie(r, scheme);
  if (scheme.caller) {
    r.resource(scheme.caller);
    if (scheme.condition) checkWhile(r, scheme, scheme.caller, scheme.condition);
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

/** Checks the condition of callers: some row calls by the scheme, and some row may not. */
function checkWhile(r: Resolved, { name }: Scheme, caller: Name, condition: Token): void {
  const test = checkCondition(r, condition, r.scope(new Map(), caller.text), '“while”', 'rows');
  if (test && neverHolds(r, test))
    r.notes.findings.push(d.report.callersNever(condition, { scheme: name, resource: caller.text }));
  else if (test && alwaysTrue(test)) r.notes.findings.push(d.report.callersAlways(condition));
}

const CREDENTIAL_FACTS = factsOf(CREDENTIAL_BULLETS);

/** Asks for the missing bullets of a further scheme. The bullets of the first scheme are items, asked for elsewhere. */
function askForMore(r: Resolved, scheme: Scheme): void {
  for (const { member, what, write } of CREDENTIAL_FACTS)
    if (!scheme[member] && !(member === 'header' && (scheme.cookie || scheme.crossOrigin)))
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

/**
 * Checks that the rows that authenticate by a scheme can be visible to themselves, with each of the scheme's scopes and
 * without scopes: a row that is hidden from itself is no caller.
 */
function checkCallers(r: Resolved): void {
  const reported = new Set<string>();
  for (const scheme of r.model.authentication.schemes) {
    const resource = r.model.resources.list.find(({ name }) => name.text === scheme.caller?.text);
    if (resource && !reported.has(resource.name.text) && isReported(r, scheme, resource))
      reported.add(resource.name.text);
  }
}

function isReported(r: Resolved, scheme: Scheme, resource: Resource): boolean {
  const { visible } = resource;
  if (!visible || visible.value === 'everyone' || scheme.scopes === null) return false;
  const seen = r.expr(visible.value);
  const { caller, name } = { caller: r.once(callerAnywhere).get('caller'), name: resource.name.text };
  if (!seen || !caller || caller.kind === 'unknown') return false;
  const scopes = scheme.scopes.map((scope) => scope.name.text);
  const claims = scheme.claims.map((claim) => claim.name.text);
  const needed = neededScopes(r, { resource: name, scopes, claims }, seen);
  if (needed === null) return false;
  const itself = `this == ${caller.kind === 'object' ? `caller.${name}` : 'caller'}`;
  const write = bullet('Visible', `\`${itself} || ${alternative(visible.value)}\``);
  const params = {
    resource: name,
    scheme: scheme.name,
    scopes: needed.length === 1 ? `the scope ${needed[0]}` : `one of the scopes ${listed(needed)}`,
  };
  const report = needed.length === 0 ? d.report.callersHidden : d.report.callersHiddenWithout;
  r.notes.findings.push(report(visible, params, null, write));
  return true;
}

/**
 * The scopes of which credentials must have at least one, so that the row of the caller is visible to itself. Empty if
 * no scope is sufficient; null if none is necessary.
 */
function neededScopes(r: Resolved, of: Parameters<typeof callerCondition>[0], visible: Expr): string[] | null {
  const { scopes } = of;
  const isHidden = (own: readonly string[]): boolean => {
    const condition = callerCondition({ ...of, scopes: own }, visible);
    return condition !== null && neverHolds(r, condition);
  };
  if (!isHidden([])) return null;
  if (isHidden(scopes)) return [];
  return scopes.filter((scope) => some(visible, (part) => part.op === 'const' && part.value === scope));
}

/** A condition that can follow `||`. */
const alternative = ({ text }: Token): string => (text.includes('?') ? `(${text})` : text);
