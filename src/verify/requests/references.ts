import { numberedUuid } from '../../contract/samples/forms.ts';
import type { ContractType } from '../../contract/types.ts';
import type { Json } from '../../export/json.ts';
import type { Situation } from './candidate.ts';
import type { Variant } from './variant.ts';

/** A number that no row has. */
const NO_ROW = 999_999_999;
/** The number of rows of one kind that are tried as references. */
const OF_KIND = 2;
/** The number of rows that are considered. */
const MOST = 100;

/** An identity in a body: the test identifies rows by text, even where their identities are numbers. */
export const asIdentity = (identity: Json, { kind }: ContractType): Json =>
  kind === 'integer' && typeof identity === 'string' && /^\d+$/.test(identity) ? Number(identity) : identity;

/** Identities for a value that names a row: of each kind of rows, of removed ones, of another resource’s, of none. */
export function referenceVariants(situation: Situation, resource: string, type: ContractType): Variant[] {
  const { known, contract, random, rows } = situation;
  if (type.kind === 'list' || type.kind === 'set')
    return listVariants(referenceVariants(situation, resource, type.of), type.kind === 'list');
  const of = (identity: string, what: string, valid: boolean): Variant => ({
    value: asIdentity(identity, type),
    what,
    valid,
  });
  const out: Variant[] = [];
  const met = new Map<string, number>();
  for (const row of random.some(rows.of(resource), MOST)) {
    const owners = contract.schemes.map((one) => one.caller);
    const kind = owners.includes(resource) ? resource : rows.kind(row, null);
    const count = met.get(kind) ?? 0;
    if (count >= OF_KIND + (owners.includes(resource) ? 3 : 1)) continue;
    met.set(kind, count + 1);
    const state = row.state === null ? '' : ` in ${row.state}`;
    out.push(of(row.identity, `names ${resource} “${row.identity}”${state}`, true));
    if (count === 0 && row.identity !== row.identity.toUpperCase())
      out.push(of(row.identity.toUpperCase(), `names ${resource} “${row.identity}” in large letters`, true));
  }
  for (const identity of known.removed(resource).slice(-OF_KIND))
    out.push(of(identity, `names ${resource} “${identity}”, which has been removed`, false));
  for (const other of contract.resources) {
    const row = other.name === resource ? undefined : random.among(rows.of(other.name));
    if (row) out.push(of(row.identity, `names ${other.name} “${row.identity}” in the place of ${resource}`, false));
  }
  out.push(of(type.kind === 'integer' ? String(NO_ROW) : numberedUuid(0xffff_ffff), `names no ${resource}`, false));
  return out;
}

/** Lists of identities: of one each, of two in both orders, of one twice, and of one behind a good one. */
function listVariants(items: readonly Variant[], repeats: boolean): Variant[] {
  const list = (some: readonly Variant[], valid = some.every((one) => one.valid)): Variant => ({
    value: some.map(({ value }) => value as Json),
    what: `is a list of ${some.length}: ${some.map(({ what }) => what).join('; ')}`,
    valid,
  });
  const good = items.filter(({ valid }) => valid);
  const [one, other = one] = [good[0], good.find(({ value }) => !isSame(value, good[0]?.value))];
  const out = items.map((item) => list([item]));
  if (!one || !other) return out;
  const bad = items.filter(({ valid }) => !valid);
  return [
    ...out,
    list([]),
    list([one, other]),
    list([other, one]),
    list([one, one], repeats),
    ...bad.map((item) => list([one, item])),
  ];
}

/** Identities are equal in any letters. */
const isSame = (a: unknown, b: unknown): boolean => `${a}`.toLowerCase() === `${b}`.toLowerCase();
