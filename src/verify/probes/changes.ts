import { sameValue } from '../../expression/values/value.ts';
import type { Oracle } from '../oracle/oracle.ts';
import type { Drive, Option } from './drive.ts';

/** How many requests to each endpoint are looked at. */
const LOOKED_AT = 24;

/** Makes changes of rows of each kind: of what no event tells, nobody is to hear. */
export class Changes {
  private readonly drive: Drive;
  private readonly made = new Set<string>();

  constructor(drive: Drive) {
    this.drive = drive;
  }

  /** Sends a request that changes rows in a way that none before it has; false where there is none. */
  async makeAnother(): Promise<boolean> {
    const { drive, made } = this;
    const isNew = (option: Option): boolean => {
      const key = this.keyOf(option);
      return key !== '' && !made.has(key);
    };
    const option = await drive.atOnce(isNew, { most: LOOKED_AT });
    if (!option) return false;
    made.add(this.keyOf(option));
    await drive.send(option.request);
    return true;
  }

  /** What would become of rows: of which resource, and which fields alone. Empty where nothing would. */
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
      .map(
        ([field]) => `${resource}.${field}${field === now.plan(resource).states?.field ? ` ${other.get(field)}` : ''}`,
      );
  });
  return [...made.map(() => `${resource} created`), ...changed];
}
