import { sameValue } from '../../expression/values/value.ts';
import type { Oracle } from '../oracle/oracle.ts';
import type { OracleRow, Rows } from '../oracle/rows.ts';
import type { Drive, Option } from './drive.ts';

/** The number of candidates to each endpoint that are considered. */
const LOOKED_AT = 24;

/**
 * Changes rows of each resource, from each state. A change without an event must cause no delivery; a change with an
 * event must cause one from each state.
 */
export class Changes {
  private readonly drive: Drive;
  /** The API version of the requests; null: the current one. */
  private readonly version: string | null;
  private readonly made = new Set<string>();

  constructor(drive: Drive, version: string | null = null) {
    this.drive = drive;
    this.version = version;
  }

  /** Sends a request that changes rows in a new way; returns false if there is none. */
  async makeAnother(): Promise<boolean> {
    const { drive, made } = this;
    const isNew = (option: Option): boolean => {
      const key = this.keyOf(option);
      return key !== '' && !made.has(key);
    };
    const where = { most: LOOKED_AT, version: this.version };
    // Some states can only be reached through other states.
    const option = (await drive.atOnce(isNew, where)) ?? (this.version === null ? await drive.find(isNew) : null);
    if (!option) return false;
    made.add(this.keyOf(option));
    await drive.send(option.request);
    return true;
  }

  /**
   * The changes of rows that a request is predicted to make: resources, and fields that change. Empty where nothing
   * changes.
   */
  private keyOf({ foreseen }: Option): string {
    const { session } = this.drive;
    const differences = session.subject.plan.resources.flatMap(({ name }) =>
      changesIn(name, session.oracle, foreseen.oracle),
    );
    return [...new Set(differences)].sort().join(', ');
  }
}

function changesIn(resource: string, before: Oracle, after: Oracle): string[] {
  const [old, now] = [before.state.rows, after.state.rows];
  const made = now.all(resource).filter((row) => !old.byIdentity(resource, now.identity(row)));
  const changed = old.all(resource).flatMap((row): string[] => {
    const other = now.byIdentity(resource, old.identity(row));
    if (!other) return [`${resource} removed`];
    return [...row.values]
      .filter(([field, value]) => !sameValue(value, other.get(field)))
      .map(([field]) => `${resource}.${field}${moved(now, field, row, other)}`);
  });
  return [...made.map(() => `${resource} created`), ...changed];
}

/** The old and the new state, if the field holds the state; empty for another field. */
const moved = (rows: Rows, field: string, before: OracleRow, after: OracleRow): string =>
  field === rows.plan(before.resource).states?.field ? ` ${before.get(field)} to ${after.get(field)}` : '';
