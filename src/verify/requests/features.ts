import type { Contract, ResourceContract } from '../../contract/contract.ts';
import { addTo } from '../../text/lists.ts';
import type { Constant } from './constants.ts';
import type { Credentials, Known, KnownRow } from './known.ts';
import type { Rows } from './rows.ts';

/** A field by which rows of a resource refer to others. */
interface Referring {
  readonly resource: ResourceContract;
  readonly field: string;
}

/**
 * Finds features that distinguish a row from others: guards, rules and visibility depend on the row and on the rows
 * around it.
 */
export class Features {
  private readonly contract: Contract;
  /** Returns the constants of the document’s expressions. */
  private readonly constants: () => readonly Constant[];
  private readonly known: Known;
  private readonly rows: Rows;
  /** The rows that refer to others, by the field that does and the identity that it has. */
  private readonly referring = new Map<string, ReadonlyMap<string, readonly KnownRow[]>>();

  constructor(contract: Contract, known: Known, rows: Rows, constants: () => readonly Constant[]) {
    this.constants = constants;
    this.contract = contract;
    this.known = known;
    this.rows = rows;
  }

  /** The features of a row for a caller, each as a text that is equal for equal features. */
  of(row: KnownRow, caller: Credentials | null): string[] {
    const resource = this.contract.resources.find((one) => one.name === row.resource);
    if (!resource) return [];
    const whose = `${this.rows.belongsTo(row, caller)} ${row.resource}`;
    return [
      ...this.ofFields(resource, row).map((one) => `${whose} ${one}`),
      ...this.referringTo(resource.name)
        .flatMap((one) => this.ofReferring(one, row, caller))
        .map((one) => `${whose} ${one}`),
    ];
  }

  /** The values of the row's fields that have few possible values. */
  told(row: KnownRow): string[] {
    const resource = this.contract.resources.find((one) => one.name === row.resource);
    return resource ? this.ofFields(resource, row) : [];
  }

  /** Which of few values each field has, and whether it has one. */
  private ofFields({ fields }: ResourceContract, row: KnownRow): string[] {
    return fields.flatMap(({ name, type, optional }) => {
      const value = this.rows.value(row, name) ?? null;
      const few = type.kind === 'boolean' || (type.kind === 'text' && type.oneOf !== null);
      if (few) return [`${name} ${value}`];
      const near =
        typeof value === 'number' &&
        this.constants().some((one) => typeof one.value === 'number' && Math.abs(one.value - value) <= 1);
      if (near) return [`${name} ${value}, without ${this.missing(fields, row)}`];
      return optional ? [`${name} ${value === null ? 'missing' : 'there'}`] : [];
    });
  }

  private missing(fields: ResourceContract['fields'], row: KnownRow): string {
    const absent = fields.filter(({ name, optional }) => optional && (this.rows.value(row, name) ?? null) === null);
    return absent.map(({ name }) => name).join(', ') || 'nothing';
  }

  /** Whether other rows refer to it, in which states, and whether they are the caller’s. */
  private ofReferring({ resource, field }: Referring, row: KnownRow, caller: Credentials | null): string[] {
    const others = this.indexed(resource.name, field).get(row.identity) ?? [];
    const about = `${resource.name}.${field}`;
    if (others.length === 0) return [`${about} none`];
    const out = [`${about} ${others.length === 1 ? 'one' : 'many'}`];
    for (const other of others.slice(-MOST_REFERRING)) {
      if (other.state !== null) out.push(`${about} ${other.state}`);
      if (this.rows.belongsTo(other, caller) === 'own')
        out.push(...['', ...this.ofFields(resource, other)].map((one) => `own ${about} ${one}`));
    }
    return out;
  }

  private referringTo(name: string): Referring[] {
    return this.contract.resources.flatMap((resource) =>
      resource.fields.flatMap((field) => (field.refersTo === name ? [{ resource, field: field.name }] : [])),
    );
  }

  private indexed(resource: string, field: string): ReadonlyMap<string, readonly KnownRow[]> {
    const key = `${resource}.${field}`;
    const found = this.referring.get(key);
    if (found) return found;
    const made = new Map<string, KnownRow[]>();
    for (const row of this.known.rows(resource)) {
      const held = this.rows.value(row, field) ?? '';
      for (const identity of Array.isArray(held) ? held : [held]) addTo(made, String(identity), row);
    }
    this.referring.set(key, made);
    return made;
  }
}

/** The number of rows that refer to one row and are considered: the newest ones. */
const MOST_REFERRING = 20;
