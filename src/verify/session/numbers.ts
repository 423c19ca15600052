import { decodeSegment } from '../../http/query.ts';
import type { Oracle } from '../oracle/oracle.ts';
import type { Request } from '../target/exchange.ts';
import type { Subject } from './subject.ts';
import type { Symbols } from './symbols.ts';

/**
 * The numbers that a service gives its rows (`sequence`), by the request that made each row: in another session, where
 * fewer rows were made before it, it has another number.
 */
export class Numbers {
  private readonly subject: Pick<Subject, 'plan' | 'contract'>;
  private readonly given: Array<{ readonly key: string; readonly resource: string; readonly value: string }> = [];

  constructor(subject: Pick<Subject, 'plan' | 'contract'>) {
    this.subject = subject;
  }

  /** Records the rows that a request has created. `name`: the name of the request. */
  learn(before: Oracle, after: Oracle, name: string): void {
    for (const { name: resource, columns } of this.subject.plan.resources) {
      const numbered = columns.filter(({ sequence }) => sequence !== null);
      if (numbered.length === 0) continue;
      const known = new Set(before.state.rows.all(resource).map((row) => before.state.rows.identity(row)));
      const made = after.state.rows.all(resource).filter((row) => !known.has(after.state.rows.identity(row)));
      for (const [i, row] of made.entries())
        for (const column of numbered)
          this.given.push({
            key: `${column.name} of ${resource} ${i} of ${name}`,
            resource,
            value: String(row.get(column.name)),
          });
    }
  }

  /** Tells them, so that requests that name rows by them can be made again. */
  tell(symbols: Symbols): void {
    for (const { key, resource, value } of this.given) symbols.addNumber(resource, key, value);
  }

  /** The resource whose row each segment of a path numbers, by the place of the segment. */
  inPath({ state }: Oracle, { method, target }: Request): ReadonlyMap<number, string> {
    const out = new Map<number, string>();
    const [path = ''] = target.split('?');
    const routed = state.routes.fitting(path).find((one) => one.method === method);
    const endpoint = this.subject.contract.versions
      .flatMap(({ endpoints }) => endpoints)
      .find(({ name }) => name === routed?.endpoint?.name);
    if (!routed || !endpoint) return out;
    const segments = path.split('/').map((one) => decodeSegment(one));
    for (const parameter of endpoint.parameters) {
      if (parameter.in !== 'path' || !parameter.finds) continue;
      const at = segments.lastIndexOf(routed.segments.get(parameter.name) ?? '');
      if (at >= 0) out.set(at, parameter.finds.resource);
    }
    return out;
  }
}
