import { ENDPOINTS, METHODS, SETTINGS } from '../../../language/endpoints.ts';
import { factsOf, isSame } from '../../../language/statement.ts';
import { isSafe } from '../../../plan/callers.ts';
import { bullet, type Finding, type Written } from '../../../syntax/diagnostic.ts';
import type { Located } from '../../../syntax/names.ts';
import { opensToNobody } from '../../document/access.ts';
import { bodyParameters, type Effective, sharedSettings, takesBody } from '../../document/effective.ts';
import type { Resolved } from '../../document/resolve.ts';
import { stores } from '../../document/writes.ts';
import type { Settings } from '../../statements/endpoints.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import { isConditional, isUntagged, takesPreconditions } from './preconditions.ts';

/** Checks the settings of the part and of single endpoints: each is stated where it is needed, and nowhere else. */
export function checkSettings(r: Resolved, all: readonly Effective[]): void {
  for (const { member: key, key: name, write } of factsOf(SETTINGS)) {
    const where = all.filter((one) => !one.settings[key] && owes(r, one, key));
    const { of, about } = askedOf(key, where);
    const [first] = about;
    if (first)
      r.notes.findings.push(
        d.report.setting(
          first.endpoint.span,
          { key: `${name}${of}`, endpoint: listNames(namesOf(about)) },
          namesOf(where),
          key === 'access' ? accessToWrite(r) : write,
        ),
      );
    checkEffect(r, all, key, name);
  }
  checkEffect(r, all, 'untagged', 'Preconditions without an ETag');
  checkEffect(r, all, 'audience', 'Audience');
  checkMethods(r, all);
  for (const one of all) checkDeprecated(r, one);
  const silent = all.filter((one) => isUntagged(r, one) && isSilent(one));
  const [first] = silent;
  if (first)
    r.notes.findings.push(
      d.report.preconditionsUnstated(first.endpoint.span, { endpoint: listNames(namesOf(silent)) }, namesOf(silent)),
    );
}

/** Whether neither the document’s conditional requests nor another statement say that preconditions are ignored. */
const isSilent = ({ settings }: Effective): boolean =>
  settings.untagged === null && settings.conditional?.value === 'strong ETag';

const namesOf = (list: readonly Effective[]): string[] => list.map((one) => one.endpoint.name);

/** The endpoints that a question names: for Request, preferably writes; for Conditional requests, preferably GETs. */
function askedOf(key: keyof Settings, where: readonly Effective[]): { of: string; about: readonly Effective[] } {
  const gets = where.filter(({ endpoint }) => endpoint.method === 'GET');
  const writes = where.filter(({ endpoint }) => endpoint.method !== 'GET');
  if (key === 'request') return writes.length ? { of: '', about: writes } : { of: ' of GET', about: gets };
  if (key === 'conditional') return gets.length ? { of: '', about: gets } : { of: ' of writes', about: writes };
  return { of: '', about: where };
}

/** The Access to suggest: a scope of the document, or else any caller, or else anyone. */
function accessToWrite(r: Resolved): Written {
  const scheme = r.model.authentication.schemes[0];
  const caller = scheme?.caller?.text;
  return bullet('Access', scheme?.scopes?.[0]?.name.text ?? (caller ? `any ${caller}` : 'anyone'));
}

/** Whether an endpoint must state the setting. “Conditional requests: none” also settles preconditions on writes. */
const owes = (r: Resolved, one: Effective, key: keyof Settings): boolean =>
  applies(r, one, key) && (key !== 'preconditions' || one.settings.conditional?.value === 'strong ETag');

/** Whether the setting has an effect on an endpoint: HEAD on a GET alone, Unread bodies only where no body is read. */
function applies(r: Resolved, one: Effective, key: keyof Settings): boolean {
  if (key === 'access') return !statesNoCallers(r);
  if (key === 'head') return one.endpoint.method === 'GET';
  if (key === 'conditional') return one.settings.conditional?.value !== 'strong ETag' || isConditional(one);
  if (key === 'preconditions') return takesPreconditions(r, one) && !saysNothing(r, one, key);
  if (key === 'untagged') return isUntagged(r, one) && !saysNothing(r, one, key);
  return key !== 'unreadBodies' || !takesBody(one);
}

/** Whether “Preconditions: ignored” only repeats “Conditional requests: none”. */
function saysNothing(r: Resolved, { settings, endpoint }: Effective, key: 'preconditions' | 'untagged'): boolean {
  const part = r.model.endpoints.settings[key];
  if (settings[key]?.value !== 'ignored' || settings.conditional?.value !== 'none') return false;
  return !endpoint.settings[key] || !part || part.value === null;
}

/** Whether the document states that the service has no authentication. */
export function statesNoCallers(r: Resolved): boolean {
  const { authentication, absences: sayings } = r.model;
  const stated = sayings.some((one) => one.part === 'authentication' && one.item === 'scheme' && one.state === 'none');
  return (authentication.none || stated) && authentication.schemes.length === 0;
}

/** Reports settings without effect: those that apply to no endpoint, and those that repeat the setting of the part. */
function checkEffect(r: Resolved, all: readonly Effective[], key: keyof Settings, name: keyof typeof SETTINGS): void {
  const part = r.model.endpoints.settings[key];
  const uncalled = key === 'access' && needsCallers(r, r.model.endpoints.settings);
  const takesIt = (one: Effective): boolean => one.settings[key] === part && applies(r, one, key);
  if (part && all.length && !uncalled && !all.some(takesIt)) r.notes.findings.push(unused(part, name));
  for (const one of all) {
    const own = one.endpoint.settings[key];
    if (!own || (key === 'access' && needsCallers(r, one.endpoint.settings))) continue;
    const { method } = one.endpoint;
    const shared = sharedSettings(r.model.endpoints, method)[key];
    if (!applies(r, one, key)) r.notes.findings.push(unused(own, name));
    else if (shared && isSame(SETTINGS[name], own.value, inForce(one, key, shared.value)))
      r.notes.findings.push(
        d.report.settingRepeated(own, { key: name, ...(shared !== part && { of: `${name} of ${method}` }) }),
      );
  }
}

/** Checks the dates of a deprecated endpoint, its code, and that the header Sunset has a date. */
function checkDeprecated(r: Resolved, { endpoint }: Effective): void {
  const { deprecated } = endpoint.settings;
  if (!deprecated) return;
  const { from, until, sunset } = deprecated.value;
  if (until) r.code(until.code, 'step');
  if (until && until.at.value <= from)
    r.notes.findings.push(d.report.sunsetBefore(until.at, { endpoint: endpoint.name }));
  if (!until && sunset) r.notes.findings.push(d.report.sunsetUndated(deprecated, { endpoint: endpoint.name }));
}

/** Reports bullets about a method without effect: no endpoint takes them, or they repeat the bullet of all endpoints. */
function checkMethods(r: Resolved, all: readonly Effective[]): void {
  const { settings } = r.model.endpoints;
  for (const method of METHODS) {
    const key = `Idempotency of ${method}` as const;
    const stated = settings[ENDPOINTS[key].member];
    if (!stated || all.length === 0) continue;
    const { idempotency } = settings;
    if (!all.some((one) => one.settings.idempotency === stated))
      r.notes.findings.push(d.report.methodUnused(stated, { key, method }));
    else if (idempotency && isSame(SETTINGS.Idempotency, stated.value, idempotency.value))
      r.notes.findings.push(d.report.settingRepeated(stated, { key, of: 'Idempotency' }));
  }
}

/** The finding on a setting without effect, with a message of its own for preconditions that are ignored anyway. */
const unused = (stated: Located<unknown>, key: string): Finding =>
  key.startsWith('Preconditions ') && stated.value === 'ignored'
    ? d.report.ignoredAnyway(stated, { key })
    : d.report.settingUnused(stated, { key });

/**
 * Whether `Access` requires a caller although the document has no authentication schemes. Another finding reports this,
 * so that checks of settings skip such an endpoint.
 */
const needsCallers = (r: Resolved, { access }: Settings): boolean =>
  access !== null && access.value.kind !== 'anyone' && r.model.authentication.schemes.length === 0;

/** The setting of the part as it applies to an endpoint: entity tags of answers to GET alone, forms to bodies alone. */
function inForce(one: Effective, key: keyof Settings, value: unknown): unknown {
  if (key === 'payloads' && !takesBody(one)) return 'JSON';
  return key === 'conditional' && one.endpoint.method !== 'GET' ? 'none' : value;
}

/** Checks the method: a GET has no request body, no idempotency key and no writes; a QUERY has a body. */
export function checkMethod(r: Resolved, one: Effective): void {
  const { endpoint } = one;
  const { request, idempotency } = one.settings;
  const params = { endpoint: endpoint.name, method: endpoint.method };
  // A bullet of the part stays for others: the endpoint needs one of its own.
  const place = endpoint.settings.idempotency ? {} : { place: endpoint.name };
  const writes = one.every.filter((step) => stores(step, r.model.authentication.schemes));
  if (idempotency && idempotency.value !== 'none' && writes.length === 0)
    r.notes.findings.push(d.report.idempotencyUnsafe(idempotency, { ...params, ...place }));
  if (idempotency && idempotency.value !== 'none' && statesNoCallers(r))
    r.notes.findings.push(d.report.idempotencyCaller(idempotency, { who: 'the document has no callers', ...place }));
  else if (idempotency && idempotency.value !== 'none' && opensToNobody(one))
    r.notes.findings.push(d.report.idempotencyCaller(idempotency, { who: `${endpoint.name} may have none`, ...place }));
  checkKept(r, one);
  if (!isSafe(endpoint.method)) return;
  for (const step of writes) r.notes.findings.push(d.report.safeWrites(step.span, params));
  if (endpoint.method === 'QUERY') {
    if (!takesBody(one) && request) r.notes.findings.push(d.report.queryWithoutBody(endpoint.span, params));
    return;
  }
  if (request && request.value !== 'none') r.notes.findings.push(d.report.requestOnSafe(request, params));
  for (const parameter of bodyParameters(one)) r.notes.findings.push(d.report.requestOnSafe(parameter.name, params));
}

/** Checks that the kept answers of idempotency keys include those of success. */
function checkKept(r: Resolved, { endpoint, settings: { idempotency }, every }: Effective): void {
  if (!idempotency || idempotency.value === 'none') return;
  const { answersBelow } = idempotency.value;
  const answer = every.find((step) => step.verb === 'Answer' && step.status.value >= answersBelow);
  // A bound below 200 has a finding of its own.
  if (answer?.verb !== 'Answer' || answersBelow < 200) return;
  const params = { endpoint: endpoint.name, status: `${answer.status.value}`, below: `${answersBelow}` };
  r.notes.findings.push(d.report.answersKept(idempotency, params));
}

/** `GET /a and 3 others` */
export function listNames(names: readonly string[]): string {
  const [first = '', ...others] = names;
  if (others.length === 0) return first;
  return others.length === 1 ? `${first} and ${others[0]}` : `${first} and ${others.length} others`;
}
