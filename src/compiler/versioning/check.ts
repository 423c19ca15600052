import { READ_ALREADY } from '../../language/header-fields.ts';
import { isDate } from '../../language/versioning.ts';
import { parameterSegment } from '../../plan/paths.ts';
import type { VersionsPlan } from '../../plan/step.ts';
import { language } from '../../syntax/messages.ts';
import { statedIdempotency } from '../document/effective.ts';
import type { Resolved } from '../document/resolve.ts';
import type { Version } from '../statements/versioning.ts';
import { checkDifferences } from './differences.ts';
import { versioningDiagnostics as d } from './messages.ts';
import { planVersions } from './plan.ts';

/**
 * Checks versions: their order, their dates against the policy, and that each difference concerns a field. Returns the
 * plan of the versions: null where there are none, undefined while unsettled.
 */
export function checkVersioning(r: Resolved): VersionsPlan | null | undefined {
  const { versioning } = r.model;
  const { findings } = r.notes;
  checkHeaders(r);
  if (versioning.none) {
    // The first item that is stated beside the scheme “none” has been reported already.
    const first = versioning.current ?? versioning.policy;
    for (const setting of [versioning.current, versioning.without, versioning.policy])
      if (setting && setting !== first) findings.push(d.report.schemeNone(setting));
    for (const version of versioning.versions) findings.push(d.report.schemeNone(version.span));
    return null;
  }
  if (versioning.scheme && !versioning.without) findings.push(d.report.without(null));
  checkNames(r);
  checkWithout(r);
  checkPrefix(r);
  for (const version of versioning.versions) checkPolicy(r, version);
  checkDifferences(r);
  return planVersions(r.model);
}

/**
 * Checks that each request header has one use: the version, an idempotency key, credentials, or its meaning in HTTP.
 */
function checkHeaders(r: Resolved): void {
  const { authentication, endpoints, versioning } = r.model;
  const { findings } = r.notes;
  const credentials = authentication.schemes.flatMap(({ header }) => header?.value.name.toLowerCase() ?? []);
  const used = [...READ_ALREADY, ...credentials];
  const own = versioning.header?.value;
  for (const key of statedIdempotency(endpoints)) {
    if (key.value === 'none') continue;
    const { header: name } = key.value;
    if (used.includes(name.toLowerCase())) findings.push(d.report.headerTaken(key, { name }));
    if (name.toLowerCase() === own?.toLowerCase()) findings.push(d.report.headerTaken(versioning.header, { name }));
  }
  if (own && used.includes(own.toLowerCase())) findings.push(d.report.headerTaken(versioning.header, { name: own }));
}

/** Checks that each version has a name of its own that the scheme allows, and that dates are listed newest first. */
function checkNames(r: Resolved): void {
  const { versioning } = r.model;
  const { findings } = r.notes;
  const { current } = versioning;
  const kind = versioning.scheme?.value.kind;
  const names = versioning.versions.map(({ name, at }) => ({ ...at, text: name }));
  for (const name of current ? [{ ...current, text: current.value }, ...names] : names) {
    if (kind === 'date' && !isDate(name.text)) findings.push(d.report.date(name, { found: name.text }));
    else if (kind && kind !== 'date' && !NAMES[kind].test(name.text))
      findings.push(d.report.versionName(name, { found: name.text, scheme: kind }));
  }
  let before = current?.value ?? '9999-12-31';
  for (const [i, { name, at, span }] of versioning.versions.entries()) {
    if (name === current?.value) findings.push(d.report.currentListed(span, { version: name }));
    else if (kind === 'date' && isDate(before) && name >= before)
      findings.push(d.report.order(span, { version: name, before }));
    else if (kind !== 'date' && names.slice(0, i).some((other) => other.text === name))
      findings.push(language.report.twice(at, { what: `The version “${name}”` }));
    before = name;
  }
}

/** Checks that the version of requests that name none is one of the older versions, and is not retired. */
function checkWithout(r: Resolved): void {
  const { without, current, versions } = r.model.versioning;
  if (!without || typeof without.value === 'string') return;
  const name = without.value.version;
  const version = versions.find((one) => one.name === name.text);
  if (name.text === current?.value) r.notes.findings.push(d.report.withoutCurrent(name, { version: name.text }));
  else if (!version)
    r.notes.findings.push(
      d.report.withoutUnknown(name, { found: name.text, versions: versions.map((one) => one.name).join(', ') }),
    );
  else if (version.state === 'retired') r.notes.findings.push(d.report.withoutRetired(name, { version: name.text }));
}

/**
 * Checks that no path of an endpoint begins with the path prefix of a version: requests would never reach the endpoint.
 */
function checkPrefix(r: Resolved): void {
  const { scheme, current, versions } = r.model.versioning;
  if (scheme?.value.kind !== 'path') return;
  const { prefix } = scheme.value;
  const names = [current?.value ?? '', ...versions.map((version) => version.name)].filter(Boolean);
  for (const { path, span, name } of r.model.endpoints.list) {
    const rival = names.map((one) => prefix.replace('{version}', one)).find((one) => mayBegin(path, one));
    if (rival) r.notes.findings.push(d.report.pathTaken(span, { path, prefix: rival }, [name]));
  }
}

/** Whether a path begins with the path of a version, which text around a parameter may match too. */
function mayBegin(path: string, version: string): boolean {
  const own = path.split('/');
  const of = version.split('/');
  if (own.length <= of.length) return false;
  return of.every((segment, i) => {
    const parameter = parameterSegment(own[i] ?? '');
    if (!parameter) return segment === own[i];
    const { before, after } = parameter;
    // A segment that is a parameter alone matches the other names.
    return before + after !== '' && segment.startsWith(before) && segment.endsWith(after);
  });
}

/**
 * The valid names of versions, by scheme: a media type is compared without case, so that it allows no capitals; a path
 * segment contains no slash.
 */
const NAMES = {
  header: /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
  path: /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
  'media type': /^[a-z0-9][a-z0-9._-]{0,63}$/,
};

function checkPolicy(r: Resolved, version: Version): void {
  const policy = r.model.versioning.policy?.value;
  const text = version.name;
  const { findings } = r.notes;
  const [deprecated, sunset] = [version.deprecated, version.sunset];
  if (version.state === 'supported')
    for (const date of [deprecated, sunset])
      if (date && date.value !== 'none') findings.push(d.report.supportedEnds(date, { version: text }));
  if (version.state === null || version.state === 'supported') return;
  if (deprecated && deprecated.value === 'none')
    findings.push(d.report.undated(deprecated, { version: text, state: version.state, date: 'is deprecated' }));
  if (version.state === 'retired' && sunset && sunset.value === 'none')
    findings.push(d.report.undated(sunset, { version: text, state: version.state, date: 'ended' }));
  if (!deprecated || deprecated.value === 'none') return;
  if (isDate(text) && deprecated.value < Date.parse(text))
    findings.push(d.report.deprecatedBefore(deprecated, { version: text }));
  if (!policy || !sunset || sunset.value === 'none') return;
  const earliest = new Date(deprecated.value);
  earliest.setUTCMonth(earliest.getUTCMonth() + policy.months);
  if (sunset.value >= earliest.getTime()) return;
  const params = {
    version: text,
    months: policy.months === 1 ? '1 month' : `${policy.months} months`,
    earliest: earliest.toISOString().replace(/T.*/, ''),
  };
  findings.push(d.report.tooSoon(sunset, params));
}
