import type { Resolved } from '../../model/resolve.ts';
import { language } from '../../source/language.ts';
import { versioningDiagnostics as d } from './diagnostics.ts';
import type { Version } from './model.ts';

/** Checks versions: their order, their dates against the policy, and that each difference speaks of a field. */
export function checkVersioning(r: Resolved): void {
  const { versioning } = r.model;
  const { findings } = r.notes;
  if (versioning.none) {
    for (const said of [versioning.current, versioning.without, versioning.policy])
      if (said) findings.push(d.report.schemeNone(said));
    for (const version of versioning.versions) findings.push(d.report.schemeNone(version.span));
    return;
  }
  if (versioning.header && !versioning.without) findings.push(d.report.without(null));
  let before = versioning.current?.value ?? '9999-12-31';
  for (const version of versioning.versions) {
    if (version.name === versioning.current?.value) findings.push(d.report.currentListed(version.span, { version: version.name }));
    else if (version.name >= before) findings.push(d.report.order(version.span, { version: version.name, before }));
    before = version.name;
    checkPolicy(r, version);
    checkDifferences(r, version);
  }
}

function checkPolicy(r: Resolved, version: Version): void {
  const policy = r.model.versioning.policy?.value;
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

function checkDifferences(r: Resolved, version: Version): void {
  for (const one of version.differences?.value ?? []) {
    const resource = r.resource(one.resource);
    const field = resource && r.field(resource, one.field);
    if (!resource || !field) continue;
    const others = version.differences!.value.filter((other) => other !== one && other.field.text === one.field.text);
    if (others.length && version.differences!.value.indexOf(one) > 0 && others.some((o) => o.resource.text === one.resource.text))
      r.notes.findings.push(language.report.twice(one.field, { what: `The difference of ${one.field.text}` }));
    if (one.was && one.was !== field.name.text && resource.fields.some((other) => other.name.text === one.was))
      r.notes.findings.push(d.report.nameTaken(one.field, { resource: resource.name.text, name: one.was }));
  }
}
