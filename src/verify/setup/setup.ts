import type { Json } from '../../export/json.ts';
import type { Plan } from '../../plan/step.ts';

/** A row’s fields by their names in the document (current version), as the wire writes their values. */
export type Fields = Readonly<Record<string, Json>>;

/** Claims of a token, by their names; those that name the caller or list scopes are not among them. */
export type Claims = Readonly<Record<string, Json>>;

/** A receiver that is registered already: the test listens at its address. */
export interface RegisteredReceiver {
  readonly url: string;
  readonly events: readonly string[];
  /** Null where the document has no versions. */
  readonly version: string | null;
  /** `whsec_…`, as the Standard Webhooks have it. */
  readonly secret: string;
}

/**
 * The operator’s part for a tested implementation, which a document leaves open. A member that is missing makes the
 * statements that need it untestable.
 */
export interface Setup {
  /** Adds a row on behalf of the operator. Returns the fields of the row, including its identity. */
  readonly row?: ((resource: string, fields: Fields) => Promise<Fields>) | undefined;
  /**
   * Issues credentials of a scheme for a row that `row` has returned, with these scopes and claims: the value for the
   * scheme’s header. The claims may be ones that the document does not allow.
   */
  readonly caller?:
    | ((scheme: string, identity: string, scopes: readonly string[], claims?: Claims) => Promise<string>)
    | undefined;
  /** The claims of the tokens of a scheme that there are, for a setup that cannot issue others. */
  readonly claims?: ((scheme: string) => readonly Claims[]) | undefined;
  /** Registers a receiver of webhooks, and returns its secret (`whsec_…`). `events`: the names in the document. */
  readonly receiver?: ((url: string, events: readonly string[], version: string | null) => Promise<string>) | undefined;
  /** Receivers that were registered by hand, for a service that has no other way. */
  readonly receivers?: readonly RegisteredReceiver[] | undefined;
  /**
   * All rows of a resource as the service stores them, with values that no answer shows, such as a token in an e-mail.
   */
  readonly list?: ((resource: string) => Promise<readonly Fields[]>) | undefined;
  /** The clock of the service, in milliseconds since the epoch, and a way to move it. */
  readonly clock?: { now(): Promise<number>; pass(milliseconds: number): Promise<void> } | undefined;
  /** Resets the service: all rows, credentials, receivers and counts are removed. */
  readonly reset?: (() => Promise<void>) | undefined;
  /** Called once at the end. */
  readonly close?: (() => Promise<void>) | undefined;
}

/**
 * A field that every row of a resource has and that a row of the setup lacks; null where the row is complete. The test
 * would read the row as one without the value, and blame the service for showing it. Passwords are not checked, since a
 * service never returns them.
 */
export function missingField(plan: Plan, resource: string, fields: Readonly<Record<string, unknown>>): string | null {
  const known = plan.resources.find((one) => one.name === resource);
  const missing = known?.columns.find(
    ({ name, nullable, password }) => !nullable && !password && (fields[name] === undefined || fields[name] === null),
  );
  return missing?.name ?? null;
}
