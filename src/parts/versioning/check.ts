import type { Resolved } from '../../model/resolve.ts';
import { versioningDiagnostics as d } from './diagnostics.ts';
import { checkDifferences } from './differences.ts';
import type { Version } from './model.ts';

/** Checks versions: their order, their dates against the policy, and that each difference speaks of a field. */
export function checkVersioning(r: Resolved): void {
  const { versioning } = r.model;
  const { findings } = r.notes;
  if (versioning.none) {
    // That the scheme is none and an item is stated is said of the first such item already.
    const first = versioning.current ?? versioning.policy;
    for (const said of [versioning.current, versioning.without, versioning.policy])
      if (said && said !== first) findings.push(d.report.schemeNone(said));
    for (const version of versioning.versions) findings.push(d.report.schemeNone(version.span));
    return;
  }
  const taken = [
    'authorization',
    'if-match',
    'content-type',
    'content-length',
    'host',
    'accept',
    'connection',
    'transfer-encoding',
  ];
  for (const { settings } of [r.model.endpoints, ...r.model.endpoints.list]) {
    const key = settings.idempotency;
    if (!key || key.value === 'none') continue;
    const name = key.value.header.toLowerCase();
    if (taken.includes(name)) findings.push(d.report.headerTaken(key, { name: key.value.header }));
    if (name === versioning.header?.value.toLowerCase())
      findings.push(d.report.headerTaken(versioning.header, { name: key.value.header }));
  }
  if (versioning.header && taken.includes(versioning.header.value.toLowerCase()))
    findings.push(d.report.headerTaken(versioning.header, { name: versioning.header.value }));
  if (versioning.header && !versioning.without) findings.push(d.report.without(null));
  let before = versioning.current?.value ?? '9999-12-31';
  for (const version of versioning.versions) {
    if (version.name === versioning.current?.value)
      findings.push(d.report.currentListed(version.span, { version: version.name }));
    else if (version.name >= before) findings.push(d.report.order(version.span, { version: version.name, before }));
    before = version.name;
    checkPolicy(r, version);
  }
  checkDifferences(r);
}

function checkPolicy(r: Resolved, version: Version): void {
  const policy = r.model.versioning.policy?.value;
  if (version.deprecated && version.deprecated.value < Date.parse(version.name))
    r.notes.findings.push(d.report.deprecatedBefore(version.deprecated, { version: version.name }));
  if (!policy || !version.deprecated || !version.sunset) return;
  const earliest = new Date(version.deprecated.value);
  earliest.setUTCMonth(earliest.getUTCMonth() + policy.months);
  if (version.sunset.value >= earliest.getTime()) return;
  const params = {
    version: version.name,
    months: `${policy.months}`,
    earliest: earliest.toISOString().slice(0, 10),
  };
  r.notes.findings.push(d.report.tooSoon(version.sunset, params));
}
