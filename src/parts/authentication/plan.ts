import type { Resolved } from '../../model/resolve.ts';
import type { CredentialsPlan } from '../../plan/step.ts';

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
