import { type Expr, some } from '../../expression/tree/expression.ts';
import { callerCondition } from '../../plan/caller-condition.ts';
import { bullet } from '../../syntax/diagnostic.ts';
import type { Token } from '../../syntax/tokens.ts';
import { listed } from '../../text/suggest.ts';
import { callerAnywhere } from '../document/access.ts';
import { neverHolds } from '../document/conditions.ts';
import type { Resolved } from '../document/resolve.ts';
import type { Scheme } from '../statements/authentication.ts';
import type { Resource } from '../statements/resources.ts';
import { authenticationDiagnostics as d } from './messages.ts';

/**
 * Checks that the rows that authenticate by a scheme can be visible to themselves, with each of the scheme's scopes and
 * without scopes: a row that is hidden from itself is no caller.
 */
export function checkCallers(r: Resolved): void {
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
  const needed = neededScopes(r, name, scopes, seen);
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
function neededScopes(r: Resolved, resource: string, scopes: readonly string[], visible: Expr): string[] | null {
  const isHidden = (own: readonly string[]): boolean => {
    const condition = callerCondition({ resource, scopes: own }, visible);
    return condition !== null && neverHolds(r, condition);
  };
  if (!isHidden([])) return null;
  if (isHidden(scopes)) return [];
  return scopes.filter((scope) => some(visible, (part) => part.op === 'const' && part.value === scope));
}

/** A condition that can follow `||`. */
const alternative = ({ text }: Token): string => (text.includes('?') ? `(${text})` : text);
