import type { AddressPlan } from '../../plan/step.ts';
import type { Resolved } from '../document/resolve.ts';

/** The address of the service, and whether anything uses it. */
export function planAddress(r: Resolved): AddressPlan {
  const address = r.model.purpose.address?.value;
  return { url: address?.kind === 'stated' ? address.url : null, used: r.urlUsed, usedByRows: r.urlUsedByRows };
}
