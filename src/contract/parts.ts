import { conditionOfCallers } from '../plan/caller-condition.ts';
import { lineKey } from '../plan/lines.ts';
import type { SchemePlan } from '../plan/step.ts';
import type {
  AddressContract,
  BrowsersContract,
  RateContract,
  SchemeContract,
  TokenContract,
  VersioningContract,
  WireContract,
} from './contract.ts';
import { expressionOrNull, mergeLines, type PlanReader } from './plan-reader.ts';

export function addressContract(r: PlanReader): AddressContract {
  return { url: r.plan.address.url, lines: r.lines(lineKey.part('purpose', 'address')) };
}

export function wireContract(r: PlanReader): WireContract {
  const { text, missing, emptyText } = r.plan.wire;
  const facts = ['timestamps', 'dates', 'durations', 'decimals', 'text', 'missing', 'nulls', 'emptyText'];
  return { text, missing, emptyText, lines: r.lines(...facts.map((fact) => lineKey.part('resources', fact))) };
}

export function schemeContract(r: PlanReader, scheme: SchemePlan): SchemeContract {
  const { name, kind, header, scheme: word, resource, issuedBy, scopes } = scheme;
  const facts = ['name', 'kind', 'header', 'credentials', 'caller'];
  const token = ['algorithm', 'subject', 'keys', 'issuer', 'audience', 'lifetime', 'skew', 'scopesIn'];
  const condition = conditionOfCallers(r.plan.resources, scheme);
  return {
    name,
    kind,
    header,
    word,
    caller: resource,
    while: expressionOrNull(condition),
    issuedBy,
    scopes: scopes.map((scope) => ({ name: scope, lines: r.lines(lineKey.scheme(name, `scope ${scope}`)) })),
    token: tokenContract(scheme),
    lines: mergeLines(
      r.lines(...[...facts, ...token].map((fact) => lineKey.scheme(name, fact))),
      condition ? r.lines(lineKey.resource(resource, 'visible')) : [],
    ),
  };
}

function tokenContract({ tokens }: SchemePlan): TokenContract | null {
  if (!tokens) return null;
  const { algorithm, type, issuer, audience, keys, lifetime, longest, skew, claim, field, scopes } = tokens;
  return {
    algorithm,
    type,
    issuer,
    audience,
    keys: keys === 'operator' ? null : keys.url,
    lifetime,
    longest,
    skew,
    subject: { claim, field },
    scopes,
  };
}

export function browsersContract(r: PlanReader): BrowsersContract | null {
  const { browsers } = r.plan;
  if (!browsers) return null;
  return {
    origins: browsers.origins,
    credentials: browsers.credentials,
    preflightSeconds: browsers.kept,
    exposedHeaders: browsers.shown,
    lines: r.lines(lineKey.part('authentication', 'origins')),
  };
}

export function rateContracts(r: PlanReader): RateContract[] {
  return r.plan.rates.map(({ name, per, count, milliseconds, headers }, i) => ({
    name,
    per,
    requests: count,
    milliseconds,
    headers,
    lines: r.lines(lineKey.rate(i), lineKey.part('limits', 'rateHeaders')),
  }));
}

export function versioningContract(r: PlanReader): VersioningContract | null {
  const { versions } = r.plan;
  if (!versions) return null;
  const { by, without, vary, headers } = versions;
  const facts = ['scheme', 'current', 'without', 'policy'];
  return {
    by,
    without,
    vary: vary !== null,
    headers,
    lines: r.lines(...facts.map((fact) => lineKey.part('versioning', fact))),
  };
}
