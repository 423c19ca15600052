import type { BasicPlan } from '../../plan/callers.ts';
import { schemesAt } from '../document/access.ts';
import { ratesAt } from '../document/effective-limits.ts';
import type { Resolved } from '../document/resolve.ts';
import { listNames } from '../endpoints/check/settings.ts';
import { passwordOf } from '../resources/check-passwords.ts';
import type { Scheme } from '../statements/authentication.ts';
import { type Resource, uniqueRules } from '../statements/resources.ts';
import { authenticationDiagnostics as d } from './messages.ts';

/** Whether requests carry the user name and the password of a row (RFC 7617). */
export const isBasic = ({ kind }: Scheme): boolean => kind?.value === 'HTTP Basic';

/** Checks the statements about HTTP Basic: such a scheme needs them all, and any other has none. */
export function checkBasic(r: Resolved, scheme: Scheme, resource: Resource | null): void {
  const { findings } = r.notes;
  const { realm, header, cookie, crossOrigin, caller, scopes, tokens } = scheme;
  const params = { scheme: scheme.name };
  if (!isBasic(scheme)) {
    if (realm && scheme.kind) findings.push(d.report.realmUnused(realm, params));
    return;
  }
  // The origin of the service's own pages is that of its address.
  r.urlUsed = true;
  const place = cookie ?? header;
  const isRight = header?.value.name === 'Authorization' && header.value.scheme?.toLowerCase() === 'basic';
  if (place && (cookie || !isRight)) findings.push(d.report.basicHeader(place));
  // Without “Cross-origin writes”, the question of the item asks for the header.
  if (!place && crossOrigin)
    findings.push(
      d.report.schemeUnsaid(scheme.span, { what: 'header', ...params }, null, '`Authorization: Basic {credentials}`'),
    );
  if (!realm) findings.push(d.report.realm(scheme.span, params));
  if (!crossOrigin) findings.push(d.report.crossOriginBasic(scheme.span, params));
  if (scopes?.[0]) findings.push(d.report.scopesOfBasic(scopes[0].span, params));
  if (resource && !passwordOf(resource, false) && scheme.credentials)
    findings.push(d.report.passwordOfBasic(scheme.credentials, { resource: resource.name.text }));
  if (caller && !tokens.subject) findings.push(d.report.userName(caller, { resource: caller.text }));
  if (resource) checkUserName(r, scheme, resource);
  checkGuessing(r, scheme);
}

/** Checks that the user name finds one row: a text that is unique, and compared as its rule compares it. */
function checkUserName(r: Resolved, { tokens: { subject } }: Scheme, resource: Resource): void {
  const field = subject && r.field(resource, subject.value.field);
  if (!subject || !field) return;
  const { claim, ignoresCase } = subject.value;
  const params = { resource: resource.name.text, field: field.name.text };
  if (claim !== null) {
    r.notes.findings.push(d.report.userName(subject, params));
    return;
  }
  const rule = uniqueRules(resource).find(
    ({ fields, condition }) => fields.length === 1 && fields[0] === field.name.text && !condition,
  );
  if (!rule || field.type?.value.kind !== 'string') r.notes.findings.push(d.report.userNameUnique(subject, params));
  else if (rule.ignoringCase.length > 0 !== ignoresCase)
    r.notes.findings.push(d.report.userNameCase(subject, { ...params, ignores: ignoresCase ? 'yes' : '' }));
}

/** Asks how many passwords one address may try where no rate counts requests before their passwords are verified. */
function checkGuessing(r: Resolved, scheme: Scheme): void {
  const { schemes } = r.model.authentication;
  const open = r.effective
    .filter((one) => schemesAt(schemes, one).includes(scheme) && ![...ratesAt(r, one)].some(countsFirst))
    .map((one) => one.endpoint.name);
  if (open.length)
    r.notes.findings.push(d.report.guessing(scheme.span, { endpoint: listNames(open), scheme: scheme.name }, open));
}

const countsFirst = ({ per }: { readonly per: string }): boolean => per === 'address';

/** The plan of a scheme of HTTP Basic; undefined while a statement is missing or wrong. */
export function planBasic(r: Resolved, scheme: Scheme): BasicPlan | undefined {
  const { realm, crossOrigin, credentials, tokens } = scheme;
  const resource = credentials && r.resourceNamed(credentials.value.resource.text);
  const password = resource && passwordOf(resource, false);
  if (!realm || !crossOrigin || !password || !tokens.subject) return undefined;
  const { field, ignoresCase } = tokens.subject.value;
  const origins = crossOrigin.value;
  return { realm: realm.value, field: field.text, ignoresCase, password: password.name.text, origins };
}
