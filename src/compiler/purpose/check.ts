import { itemDiagnostics as d } from '../document/messages.ts';
import type { Resolved } from '../document/resolve.ts';

/** Checks the title and the address; purpose and domain are items. */
export function checkPurpose(r: Resolved): void {
  if (!r.model.title) r.notes.findings.push(d.report.title(null));
  const { purpose } = r.model;
  if (!purpose.address && (purpose.purpose || purpose.domain)) r.notes.findings.push(d.report.address(null));
}
