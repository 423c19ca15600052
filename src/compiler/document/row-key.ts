import type { Resource } from '../statements/resources.ts';
import { identityOf } from './resolve.ts';

/** The key of a resource: the identity, or the first unconditional unique rule over required references alone. */
export function keyOf(resource: Resource): readonly string[] {
  const identity = identityOf(resource);
  if (identity) return [identity.name.text];
  const rule = resource.uniques.find(
    (one) =>
      !one.condition &&
      one.fields.length > 0 &&
      one.fields.every((name) => {
        const field = resource.fields.find((each) => each.name.text === name.text);
        return field?.type?.value.kind === 'reference' && field.presence?.value === 'always';
      }),
  );
  return rule?.fields.map((name) => name.text) ?? [];
}
