import type { Contract, FieldContract } from '../contract/contract.ts';
import type { ContractType, MemberContract } from '../contract/types.ts';
import { type Expr, parts } from '../expression/tree/expression.ts';
import { same } from './compare.ts';

/** A change of a type, and the field that has it; null if no field does. */
interface Change {
  readonly of: string | null;
  readonly old: ContractType;
  readonly next: ContractType;
}

/** Changes of the types of fields. Such a change is reported once for the field, wherever the field is shown. */
export class FieldChanges {
  /** The stored field of each change, by the change. */
  private readonly stored = new Map<string, string>();
  /** The identity field behind each field with a reference. */
  private readonly identities = new Map<string, string>();
  private readonly derived = new Set<string>();
  /** Derived fields with a changed expression. Whether they have a value follows from the expression. */
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

  /** The change, with its field: the given one, or a stored field that has changed in the same way. */
  explained(old: ContractType, next: ContractType, field: string | null): Change {
    const own = field !== null && !this.derived.has(field);
    const of = own ? (this.identities.get(field) ?? field) : (this.stored.get(keyOf(old, next)) ?? null);
    if (of !== null) return { of, old, next };
    const items = this.items(old, next);
    return items ?? { of: field, old, next };
  }

  /** Whether a shown value is, or is computed from, a derived field whose expression has changed. */
  isDerivedAnew({ field, expression }: Pick<MemberContract, 'field' | 'expression'>): boolean {
    const reads = (e: Expr): boolean =>
      (e.op === 'get' && e.of.type.kind === 'row' && this.rederived.has(`${e.of.type.resource}.${e.member}`)) ||
      parts(e).some(reads);
    return (field !== null && this.rederived.has(field)) || (expression !== null && reads(expression.tree));
  }

  /** The change of a list whose items alone have another type. */
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
