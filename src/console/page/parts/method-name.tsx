import { addresses } from '../app/addresses.ts';
import { Method } from './refusal.tsx';

/** The name of an endpoint, with its method set apart, as a link to it. */
export function EndpointLink({ name }: { readonly name: string }) {
  const at = name.indexOf(' ');
  if (at < 0) return <span class="muted">{name}</span>;
  return (
    <a class="endpoint-link" href={addresses.endpoint(name)}>
      <Method method={name.slice(0, at)} />
      <span>{name.slice(at + 1)}</span>
    </a>
  );
}
