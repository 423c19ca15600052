import { both, type Expr } from '../../../expression/tree/expression.ts';
import type { Span } from '../../../syntax/span.ts';
import { neededScopes, opensToNobody, schemesAt } from '../../document/access.ts';
import { outcomesAt } from '../../document/conditions.ts';
import { type Assumption, assumed } from '../../expression/assumed.ts';
import type { Scheme } from '../../statements/authentication.ts';
import type { Resource } from '../../statements/resources.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import type { Checking } from './checking.ts';

/** One kind of caller that an endpoint accepts. */
interface Kind {
  /** Whether the request has no credentials. */
  readonly nobody: boolean;
  readonly assumption: Assumption;
}

/** The verbs of steps that select rows. */
type Selecting = 'Find' | 'Authenticate' | 'List' | 'Group' | 'Ensure' | 'For each' | 'Remove every';

/**
 * Reports a step that selects only rows that are invisible to every caller of the endpoint, such as a list for another
 * kind of caller. At an endpoint that accepts anonymous requests, Authenticate needs rows that are visible without
 * credentials: a client that logs in has no credentials yet.
 */
export function checkSeen(c: Checking, verb: Selecting, resource: Resource, where: Expr | null, span: Span): void {
  const stated = resource.visible?.value;
  const visible = stated && stated !== 'everyone' && c.visibleOnly ? c.r.expr(stated) : undefined;
  if (!visible || !resource.visible) return;
  const kinds = kindsAt(c);
  if (!kinds) return;
  const outcomes = outcomesAt(c.r, c.one.parameters);
  const isHidden = ({ assumption }: Kind): boolean => {
    const test = assumed(both(visible, where) ?? visible, assumption);
    return test.op === 'const' ? test.value !== true : outcomes.decided(test) === 'never';
  };
  const params = {
    verb,
    resource: resource.name.text,
    endpoint: c.endpoint,
    line: `${c.r.line(resource.visible.from)}`,
  };
  const nobody = kinds.find((kind) => kind.nobody);
  if (verb === 'Authenticate' && nobody && isHidden(nobody)) c.findings.push(d.report.loginHidden(span, params));
  else if (kinds.length && kinds.every(isHidden)) c.findings.push(d.report.neverSeen(span, params));
}

/** The kinds of callers that an endpoint accepts; null where its Access is not settled. */
function kindsAt(c: Checking): Kind[] | null {
  const { schemes } = c.r.model.authentication;
  if (!c.one.settings.access || schemes.some(({ caller }) => !caller)) return null;
  const out: Kind[] = schemesAt(schemes, c.one).map((scheme) => ({ nobody: false, assumption: callerOf(c, scheme) }));
  if (!opensToNobody(c.one)) return out;
  const isNull = (text: string): boolean => text === 'caller' || text.startsWith('caller.');
  return [...out, { nobody: true, assumption: { isNull, hasScope: () => false } }];
}

/** The facts about a caller by one scheme: it is a row of one resource, and has no scopes but those of the scheme. */
function callerOf(c: Checking, scheme: Scheme): Assumption {
  const own = scheme.caller?.text ?? '';
  const access = c.one.settings.access?.value;
  const scopes = new Set((scheme.scopes ?? []).map((scope) => scope.name.text));
  return {
    isNull: (text) => /^caller\.[A-Z]\w*$/.test(text) && c.r.rows.has(text.slice(7)) && text !== `caller.${own}`,
    isThere: (text) => text === 'caller' || text === `caller.${own}`,
    hasScope: (scope) => {
      if (!scopes.has(scope)) return false;
      // Of several scopes joined by “or”, a caller may lack each, unless its scheme has only one of them.
      const needed = access?.kind === 'scope' ? neededScopes(access) : null;
      if (!needed?.scopes.includes(scope)) return null;
      return needed.all || needed.scopes.filter((one) => scopes.has(one)).length === 1 ? true : null;
    },
  };
}
