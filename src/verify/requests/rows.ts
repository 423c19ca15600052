import type { Contract } from '../../contract/contract.ts';
import { machinesOf } from '../../contract/machines.ts';
import type { Json } from '../../export/json.ts';
import { ownMember } from '../../text/own-members.ts';
import type { Credentials, Known, KnownRow } from './known.ts';

/** Answers questions about rows that need the contract of their resource. */
export class Rows {
  private readonly known: Known;
  private readonly contract: Contract;
  /** Rows by their identity, for each resource that was looked up. */
  private readonly byIdentity = new Map<string, ReadonlyMap<string, KnownRow>>();

  constructor(contract: Contract, known: Known) {
    this.contract = contract;
    this.known = known;
  }

  of(resource: string): readonly KnownRow[] {
    return this.known.rows(resource);
  }

  withIdentity(resource: string, identity: unknown): KnownRow | undefined {
    if (typeof identity !== 'string' && typeof identity !== 'number') return undefined;
    const indexed = this.byIdentity.get(resource) ?? new Map(this.of(resource).map((row) => [row.identity, row]));
    this.byIdentity.set(resource, indexed);
    return indexed.get(String(identity));
  }

  /** The value of a field of a row, which may be its identity or its state. */
  value(row: KnownRow, field: string): Json | undefined {
    const resource = this.contract.resources.find((one) => one.name === row.resource);
    const held = ownMember(row.fields, field) as Json | undefined;
    if (held !== undefined) return held;
    if (resource?.identity === field) return row.identity;
    const [machine, ...others] = resource ? machinesOf(resource) : [];
    return machine?.field === field && others.length === 0 && row.state !== null ? row.state : undefined;
  }

  /** The resource whose row a field names; null for any other field. */
  refersTo(resource: string, field: string): string | null {
    const found = this.contract.resources.find((one) => one.name === resource);
    return found?.fields.find((one) => one.name === field)?.refersTo ?? null;
  }

  /** The kind of a row for a caller: its resource, its state, and whether the row belongs to the caller. */
  kind(row: KnownRow, caller: Credentials | null): string {
    return `${row.resource} ${row.state ?? ''} ${this.belongsTo(row, caller)}`;
  }

  /** The rows that a row refers to. */
  parentsOf(row: KnownRow): KnownRow[] {
    const fields = this.contract.resources.find(({ name }) => name === row.resource)?.fields ?? [];
    return fields.flatMap(({ name, refersTo }) => {
      const held = refersTo === null ? [] : this.value(row, name);
      return (Array.isArray(held) ? held : [held]).flatMap((one) => this.withIdentity(refersTo ?? '', one) ?? []);
    });
  }

  /** The number of relations between two rows: rows to which both refer, and references from one to the other. */
  kinship(row: KnownRow, other: KnownRow): number {
    const named = (one: KnownRow): string[] => {
      const fields = this.contract.resources.find(({ name }) => name === one.resource)?.fields ?? [];
      const out = [`${one.resource} ${one.identity}`];
      for (const { name, refersTo } of fields) if (refersTo !== null) out.push(`${refersTo} ${this.value(one, name)}`);
      return out;
    };
    const known = new Set(named(other));
    return named(row).filter((one) => known.has(one)).length;
  }

  belongsTo(row: KnownRow, caller: Credentials | null): 'own' | 'another’s' | 'nobody’s' {
    const owners = this.contract.schemes.map((one) => one.caller);
    const resource = this.contract.resources.find((one) => one.name === row.resource);
    let found: 'own' | 'another’s' | 'nobody’s' = 'nobody’s';
    if (caller && row.resource === caller.resource) found = row.identity === caller.identity ? 'own' : 'another’s';
    for (const { name, refersTo } of resource?.fields ?? []) {
      const value = refersTo !== null && owners.includes(refersTo) ? this.value(row, name) : undefined;
      if (value === undefined || value === null) continue;
      if (caller && refersTo === caller.resource && sameIdentity(caller.identity, value)) return 'own';
      found = 'another’s';
    }
    return found;
  }
}

const sameIdentity = (identity: string, value: Json | undefined): boolean =>
  typeof value === 'string' ? identity === value : typeof value === 'number' && identity === String(value);
