import type { Expr } from '../../../expression/tree/expression.ts';
import * as t from '../../../expression/tree/types.ts';
import { isSafe } from '../../../plan/callers.ts';
import type { InsideStep } from '../../../plan/step.ts';
import type { Name } from '../../../syntax/names.ts';
import type { Token } from '../../../syntax/tokens.ts';
import { opensToNobody, schemesAt } from '../../document/access.ts';
import { isKept } from '../../document/writes.ts';
import { isSecret } from '../../resources/check-passwords.ts';
import type { Scheme } from '../../statements/authentication.ts';
import { everyStep, type Step } from '../../statements/endpoints.ts';
import type { Checking, Of } from '../check/checking.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import { NOTHING, type VerbModule } from './verb.ts';

/** Issue `t`: Scheme for e with scopes a, b · without scopes; Issue `s`: R.secret for `x` */
export const ISSUE: VerbModule<'Issue'> = {
  does: ({ scheme, to }) => ({
    ...NOTHING,
    byRequest: true,
    ...(issuesSecret(scheme) ? { writes: { does: 'Change', row: to.text } } : { keeps: { credentialOf: scheme.text } }),
  }),
  check(c, step) {
    if (issuesSecret(step.scheme)) return checkSecret(c, step);
    const scheme = schemeOf(c, step.scheme);
    const to = checkHolder(c, step.to, scheme);
    const scopesBy = scheme && checkScopes(c, step, scheme);
    const { idempotency } = c.one.settings;
    if (idempotency && idempotency.value !== 'none') c.findings.push(d.report.issueKept(step.span, {}, [c.endpoint]));
    if (scheme?.cookie) checkSet(c, step);
    else if (!scheme || scheme.header) c.issued.push(step.as);
    c.issuedAt.set(step.as.text, c.depth);
    c.nameRow(step.as, t.CREDENTIAL);
    if (!scheme || !to || scopesBy === undefined) return null;
    const scopes = namesOf(step).map((scope) => scope.text);
    const kept = isKept(scheme.name, c.r.model.authentication.schemes);
    return { do: 'issue', as: step.as.text, scheme: scheme.name, to, scopes, scopesBy, kept, line: c.line(step) };
  },
};

/** Whether an Issue names a field of a resource, and no scheme. */
const issuesSecret = ({ text }: Name): boolean => SECRET.test(text);

/** `Invitation.secret` */
const SECRET = /^([A-Z][A-Za-z0-9]*)\.(\S+)$/;

/** Checks an Issue that draws the secret of a row. */
function checkSecret(c: Checking, step: Of<'Issue'>): InsideStep | null {
  const [, owner = '', name = ''] = SECRET.exec(step.scheme.text) ?? [];
  const resource = c.r.resource({ ...step.scheme, text: owner });
  const field = resource && c.r.field(resource, { ...step.scheme, text: name });
  if (c.one.settings.idempotency && c.one.settings.idempotency.value !== 'none')
    c.findings.push(d.report.issueKept(step.span, {}, [c.endpoint]));
  if (step.scopes) c.findings.push(d.report.issueNoScopes(step.span, { scheme: step.scheme.text }));
  if (field && !isSecret(field)) c.findings.push(d.report.issueNoSecret(step.scheme, { field: step.scheme.text }));
  const to = c.row(step.to);
  if (to && resource && to !== resource)
    c.findings.push(d.report.issueSecretTo(step.to, { field: step.scheme.text, resource: owner }));
  const all = c.one.every.filter(
    (one) => one.verb === 'Issue' && one.scheme.text === step.scheme.text && one.to.text === step.to.text,
  );
  if (all[0] !== step && mostIssued(c.one.steps, (one) => all.includes(one)) > 1)
    c.findings.push(d.report.issueSecretAgain(step.span, { field: step.scheme.text, row: step.to.text }));
  c.issued.push(step.as);
  c.issuedAt.set(step.as.text, c.depth);
  c.nameRow(step.as, t.CREDENTIAL);
  if (!field || to !== resource) return null;
  const of = { row: step.to.text, resource: owner, field: name };
  c.drawn = [...c.drawn, { ...of, before: new Set(c.names.keys()) }];
  return { do: 'issue secret', as: step.as.text, ...of, line: c.line(step) };
}

/** Checks that an answer can set the cookie of an issued credential, and once. */
function checkSet(c: Checking, step: Of<'Issue'>): void {
  const report = (what: string) => c.findings.push(d.report.issueCookie(step.span, { what }, [c.endpoint]));
  const all = c.one.every.filter((one) => one.verb === 'Issue' && one.scheme.text === step.scheme.text);
  const { method } = c.one.endpoint;
  if (isSafe(method)) report(`A ${method} sets no cookie: pages of other origins can send it. Use POST.`);
  if (c.one.every.some((one) => one.verb === 'For each' && [...everyStep(one.steps)].includes(step)))
    report('A For each would set the cookie several times. Move the Issue out of it.');
  else if (all[0] !== step && mostIssued(c.one.steps, (one) => all.includes(one)) > 1)
    report(`The cookie of “${step.scheme.text}” is set twice. Remove one Issue.`);
}

/** The most of some credentials that steps issue in one request: of an If, one of the two branches runs. */
function mostIssued(steps: readonly Step[], isOne: (step: Step) => boolean): number {
  const of = (step: Step): number => {
    if (step.verb === 'If') return Math.max(mostIssued(step.steps, isOne), mostIssued(step.otherwise ?? [], isOne));
    return isOne(step) ? 1 : 0;
  };
  return steps.reduce((sum, step) => sum + of(step), 0);
}

/** The scopes that a step names. */
const namesOf = ({ scopes }: Of<'Issue'>): readonly Name[] => (scopes && !('kind' in scopes) ? scopes : []);

/** Checks the scopes of an issued credential; returns the expression for them, and undefined where it has a fault. */
function checkScopes(c: Checking, step: Of<'Issue'>, scheme: Scheme): Expr | null | undefined {
  const known = (scheme.scopes ?? []).map((scope) => scope.name.text);
  if (known.length && step.scopes === null)
    c.findings.push(d.report.issueScopes(step.span, { scheme: scheme.name, scopes: known.join(', ') }, [c.endpoint]));
  if (known.length === 0 && step.scopes) {
    c.findings.push(d.report.issueNoScopes(namesOf(step)[0] ?? step.span, { scheme: scheme.name }));
    return undefined;
  }
  for (const scope of namesOf(step)) if (!known.includes(scope.text)) c.r.unknown(scope, 'scope', known);
  if (!step.scopes || !('kind' in step.scopes)) return null;
  const scope = { ...t.STRING, oneOf: known, owner: 'a scope' };
  const by = c.type(step.scopes, { kind: 'list', of: scope, nullable: false }, '“with scopes”');
  if (!by) return undefined;
  const possible = textsOf(by);
  if (!possible?.every((text) => known.includes(text)))
    c.findings.push(d.report.issueScopesBeyond(step.scopes, { scheme: scheme.name, scopes: known.join(', ') }));
  return by;
}

/** The texts that a list may hold, by its literals and the allowed values of its items; null where any may be in it. */
function textsOf(list: Expr): readonly string[] | null {
  const { type } = list;
  if (list.op === 'if') {
    const [yes, no] = [textsOf(list.then), textsOf(list.else)];
    return yes && no && [...yes, ...no];
  }
  if (list.op === 'list') {
    const items = list.items.map((one) => (one.op === 'const' ? [String(one.value)] : t.valuesOf(one.type)));
    return items.every((one) => one !== null) ? items.flat() : null;
  }
  return type.kind === 'list' ? t.valuesOf(type.of) : null;
}

/** Revoke every Scheme for e · the Scheme sent */
export const REVOKE: VerbModule<'Revoke'> = {
  does: () => ({ ...NOTHING, keeps: true }),
  check(c, step) {
    const scheme = schemeOf(c, step.scheme);
    if (scheme?.kind && scheme.kind.value !== 'API key' && scheme.kind.value !== 'HTTP Basic')
      c.findings.push(d.report.revokeToken(step.scheme, { scheme: scheme.name }));
    const of = step.of && checkHolder(c, step.of, scheme);
    if (!step.of && scheme) {
      const accepted = schemesAt(c.r.model.authentication.schemes, c.one);
      // Steps after a transition have no request, and so no sent credential to revoke.
      if (accepted.some((one) => one !== scheme) || opensToNobody(c.one) || !c.visibleOnly)
        c.findings.push(d.report.revokeSent(step.scheme, { scheme: scheme.name, endpoint: c.endpoint }));
    }
    return !scheme || (step.of && !of) ? null : { do: 'revoke', scheme: scheme.name, of, line: c.line(step) };
  },
};

/** The scheme of that name, or null with a finding. Reports a scheme whose credentials are not issued by steps. */
function schemeOf(c: Checking, name: Name): Scheme | null {
  const { schemes } = c.r.model.authentication;
  const scheme = schemes.find((one) => one.name === name.text) ?? null;
  const names = schemes.map((one) => one.name);
  if (!scheme) {
    c.r.unknown(name, 'scheme', names);
    c.broken = true;
  } else if (scheme.credentials && !scheme.credentials.value.by.includes('steps'))
    c.findings.push(d.report.issuedElsewhere(name, { scheme: scheme.name, kind: scheme.kind?.value ?? '' }));
  return scheme;
}

/** The row to which a credential belongs, or will belong. */
function checkHolder(c: Checking, token: Token, scheme: Scheme | null): Expr | null {
  const resource = scheme?.credentials?.value.resource.text;
  return c.type(token, resource && c.r.resourceNamed(resource) ? t.rowOf(resource) : null, '“for”');
}

/** Reports issued credentials that no expression reads in some requests: nobody would receive them. */
export function checkIssued(c: Checking): void {
  if (c.broken) return;
  for (const token of c.issued) {
    const { text: name } = token;
    const reads = c.exprs.filter((expr) => c.names.has(name) && expr.op === 'name' && expr.name === name);
    // Each of several Answers has to show it.
    const lost = c.hasSeveralAnswers ? 0 : (c.handedSometimes.get(name) ?? 0);
    if (reads.length <= lost) c.findings.push(d.report.issueUnused(token, { name }));
  }
}
