import type { VersionContract } from '../../contract/contract.ts';
import type { Expr } from '../../expression/tree/expression.ts';

/** The name by which callers see a field of a listed row, or of a row that it shows; null if they do not see it. */
export function shownName(version: VersionContract, e: Expr): string | null {
  if (e.op !== 'get' || e.of.type.kind !== 'row') return null;
  const { resource } = e.of.type;
  const members = version.shapes.flatMap((one) => (one.resource === resource ? one.type.members : []));
  const own = members.find((one) => one.field === `${resource}.${e.member}`)?.name;
  if (own === undefined) return null;
  if (e.of.op === 'name') return e.of.name === 'this' ? own : null;
  const outer = shownName(version, e.of);
  return outer === null ? null : `${outer}.${own}`;
}
