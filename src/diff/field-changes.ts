import type { Contract, FieldContract } from '../contract/contract.ts';
import type { ContractType, MemberContract } from '../contract/types.ts';
import { type Expr, parts } from '../expression/tree/expression.ts';
import { same } from './compare.ts';

/** A change of what a value may be, and the field that it is of; null where it is of none. */
interface Change {
  readonly of: string | null;
  readonly old: ContractType;
  readonly next: ContractType;
}

/** What has become of what fields may hold: each such change is told of the field, wherever else it shows. */
export class FieldChanges {
  /** The stored fields that have changed so, by the change. */
  private readonly stored = new Map<string, string>();
  /** The fields that refer to a row, with the identity that they hold. */
  private readonly identities = new Map<string, string>();
  private readonly derived = new Set<string>();
  /** The derived fields whose derivation is another: whether there is a value follows from that. */
  private readonly rederived = new Set<string>();

  constructor(old: Contract, next: Contract) {
    const before = fieldsOf(old);
    const identity = new Map(next.resources.map((one) => [one.name, one.identity]));
    for (const [path, is] of fieldsOf(next)) {
      const was = before.get(path);
      const identityType = (is.refersTo !== null && identity.get(is.refersTo)) || null;
      if (is.given.some(({ by }) => by === 'derived')) {
        this.derived.add(path);
        if (was && !same(was.given, is.given)) this.rederived.add(path);
      }
      if (this.derived.has(path)) continue;
      if (was?.refersTo === is.refersTo && identityType !== null)
        this.identities.set(path, `${is.refersTo}.${identityType}`);
      else if (was && !same(was.type, is.type)) this.stored.set(keyOf(was.type, is.type), path);
    }
  }

  /** What a change is of: the field that has it, or a stored one that has changed in the same way. */
  explained(old: ContractType, next: ContractType, field: string | null): Change {
    const own = field !== null && !this.derived.has(field);
    const of = own ? (this.identities.get(field) ?? field) : (this.stored.get(keyOf(old, next)) ?? null);
    if (of !== null) return { of, old, next };
    const items = this.items(old, next);
    return items ?? { of: field, old, next };
  }

  /** Whether a value that is shown is a derived field, or computed from one, that is derived otherwise now. */
  isDerivedAnew({ field, expression }: Pick<MemberContract, 'field' | 'expression'>): boolean {
    const reads = (e: Expr): boolean =>
      (e.op === 'get' && e.of.type.kind === 'row' && this.rederived.has(`${e.of.type.resource}.${e.member}`)) ||
      parts(e).some(reads);
    return (field !== null && this.rederived.has(field)) || (expression !== null && reads(expression.tree));
  }

  /** What a change of a list is of, where only what its items may be differs. */
  private items(old: ContractType, next: ContractType): Change | null {
    if ((old.kind !== 'list' && old.kind !== 'set') || (next.kind !== 'list' && next.kind !== 'set')) return null;
    if (!same({ ...old, of: null }, { ...next, of: null })) return null;
    const found = this.explained(old.of, next.of, null);
    return found.of === null ? null : found;
  }
}

const keyOf = (old: ContractType, next: ContractType): string => JSON.stringify([old, next]);

const fieldsOf = ({ resources }: Contract): Map<string, FieldContract> =>
  new Map(resources.flatMap(({ name, fields }) => fields.map((one) => [`${name}.${one.name}`, one])));
