import { isObject, ownMember } from '../text/own-members.ts';
import { type Ledger, token } from './ledger.ts';
import type { Reason } from './reasons.ts';
import type { OpenApiVersion } from './source.ts';

/** The file that is imported, and which of its facts the document states. */
interface OpenApiFile {
  readonly root: Readonly<Record<string, unknown>>;
  readonly version: OpenApiVersion;
  readonly ledger: Ledger;
}

/** A value of the file, with its place. */
export class Node {
  readonly file: OpenApiFile;
  readonly value: unknown;
  readonly pointer: string;

  constructor(file: OpenApiFile, value: unknown, pointer: string) {
    this.file = file;
    this.value = value;
    this.pointer = pointer;
  }

  /** The member or item of a name, if there is one. */
  get(key: string): Node | null {
    const { value } = this;
    if (typeof value !== 'object' || value === null) return null;
    const member = ownMember(value as Readonly<Record<string, unknown>>, key);
    return member === undefined ? null : new Node(this.file, member, `${this.pointer}/${token(key)}`);
  }

  /** The node at the end of a way of names. */
  find(...keys: readonly string[]): Node | null {
    return keys.reduce<Node | null>((at, key) => at?.get(key) ?? null, this);
  }

  /** The members of an object. */
  members(): Array<readonly [string, Node]> {
    if (!isObject(this.value)) return [];
    return Object.keys(this.value).flatMap((key) => {
      const member = this.get(key);
      return member ? [[key, member] as const] : [];
    });
  }

  items(): Node[] {
    return Array.isArray(this.value) ? this.value.flatMap((_item, i) => this.get(`${i}`) ?? []) : [];
  }

  /** A member that is text. */
  text(key: string): string | null {
    const value = this.get(key)?.value;
    return typeof value === 'string' ? value : null;
  }

  /** A member that is a number. */
  number(key: string): number | null {
    const value = this.get(key)?.value;
    return typeof value === 'number' && Number.isFinite(value) ? value : null;
  }

  /** Whether a member is true. */
  flag(key: string): boolean {
    return this.get(key)?.value === true;
  }

  /** Whether the value has no members of members: no statement is made of more. */
  isPlain(): boolean {
    const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;
    return isScalar(this.value) || (Array.isArray(this.value) && this.value.every(isScalar));
  }

  /** The fact here is stated, with everything below. */
  state(): void {
    this.file.ledger.state(this.pointer);
  }

  /** The facts at some members are stated, as far as there are such members. */
  stateMembers(...keys: readonly string[]): void {
    for (const key of keys) if (this.get(key)?.isPlain()) this.get(key)?.state();
  }

  /** The facts here cannot be stated. */
  leave(reason: Reason | { readonly text: string }): void {
    this.file.ledger.leave(this.pointer, reason);
  }

  /** The node that a `$ref` leads to, or the node itself; null where a reference leads nowhere, which is listed. */
  resolved(): Node | null {
    const seen = new Set<string>();
    let at: Node = this;
    for (;;) {
      const reference = at.text('$ref');
      if (reference === null) return at;
      const problem = seen.has(reference) ? 'cyclic' : reference.startsWith('#') ? null : 'external';
      const next: Node | null = problem ? null : at.referred(reference);
      if (!next) {
        at.get('$ref')?.leave(problem ?? 'dangling');
        return null;
      }
      at.stateMembers('$ref');
      seen.add(reference);
      at = next;
    }
  }

  private referred(reference: string): Node | null {
    const root = new Node(this.file, this.file.root, '#');
    if (reference === '#') return root;
    if (!reference.startsWith('#/')) return null;
    const keys = reference.slice(2).split('/').map(keyOf);
    return root.find(...keys);
  }
}

/** The name that a step of a reference writes. */
function keyOf(step: string): string {
  let plain = step;
  try {
    plain = decodeURIComponent(step);
  } catch {
    // A step that is not percent-encoded is taken as it is written.
  }
  return plain.replaceAll('~1', '/').replaceAll('~0', '~');
}
