import type { Resolved } from '../../model/resolve.ts';
import type { AnswerStep, BeforeStep, BrowsersPlan, CredentialsPlan, InsideStep } from '../../plan/step.ts';
import { originsOf } from './checkorigins.ts';

/** Where credentials stand, and whose rows they are for. */
export function planCredentials(r: Resolved): CredentialsPlan | null {
  const scheme = r.model.authentication.schemes[0];
  if (!scheme) return null;
  return {
    header: scheme.header!.value.name,
    scheme: scheme.header!.value.scheme,
    resource: scheme.credentials!.value.text,
    scopes: (scheme.scopes ?? []).map((scope) => scope.name.text),
  };
}

/** What pages of other origins are told. Null: nothing. */
export function planBrowsers(r: Resolved): BrowsersPlan | null {
  const origins = originsOf(r.model.authentication)?.value;
  if (!origins || origins === 'none') return null;
  const { from, credentials, keptMilliseconds, shown } = origins;
  return { origins: from, credentials, kept: keptMilliseconds / 1000, shown: shown.map((name) => name.text) };
}

/** The request headers that an endpoint reads by what the document states, beside those that any page may send. */
export function requestHeaders(
  r: Resolved,
  before: readonly BeforeStep[],
  inside: readonly InsideStep[],
  after: AnswerStep,
): string[] {
  const out = before.flatMap((step) => headersOf(r, step));
  if (matches(inside) || after.conditional) out.push('If-Match');
  if (after.conditional) out.push('If-None-Match');
  return [...new Set(out)].sort();
}

function headersOf(r: Resolved, step: BeforeStep): string[] {
  switch (step.do) {
    case 'authenticate':
      return r.model.authentication.schemes.flatMap((scheme) => scheme.header?.value.name ?? []);
    case 'choose version':
      return r.model.versioning.header ? [r.model.versioning.header.value] : [];
    case 'read body':
      return ['Content-Type'];
    case 'claim key':
      return [step.header];
    case 'limit':
    case 'require scope':
    case 'negotiate':
    case 'refuse body':
    case 'read parameters':
    case 'validate body':
    case 'read page':
      return [];
  }
}

/** Whether a Match is among steps, however deep. */
function matches(steps: unknown): boolean {
  if (typeof steps !== 'object' || steps === null) return false;
  return ('do' in steps && steps.do === 'match') || Object.values(steps).some(matches);
}
