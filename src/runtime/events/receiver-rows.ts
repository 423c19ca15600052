import type { Value } from '../../expression/values/value.ts';
import type { ReceiversPlan } from '../../plan/step.ts';
import type { Program } from '../../store/store.ts';
import type { Resource } from '../resources/rules.ts';
import { receiverId } from './receiver-lookup.ts';

/** Finds receivers that are rows, by the ids of their deliveries. */
export class ReceiverRows {
  /** Whether the operator allows private addresses of receivers. */
  readonly allowPrivate: boolean;
  private readonly resource: Resource;
  private readonly url: number;
  private readonly secret: number;
  private readonly prefix: string;

  private constructor(plan: ReceiversPlan, resource: Resource, allowPrivate: boolean) {
    const column = (field: string): number => resource.plan.columns.findIndex((one) => one.name === field);
    this.allowPrivate = allowPrivate;
    this.resource = resource;
    this.url = column(plan.url);
    this.secret = column(plan.secret);
    this.prefix = receiverId(plan.resource, '');
  }

  /** Returns the receivers of a document; null where the operator registers receivers, or the document has none. */
  static of(
    plan: ReceiversPlan | null | undefined,
    resources: ReadonlyMap<string, Resource>,
    allowPrivate: boolean,
  ): ReceiverRows | null {
    const resource = plan && resources.get(plan.resource);
    return resource ? new ReceiverRows(plan, resource, allowPrivate) : null;
  }

  has(id: string): boolean {
    return id.startsWith(this.prefix);
  }

  *find(id: string): Program<{ readonly url: Value; readonly secret: Value } | null> {
    const row = yield* this.resource.byIdentity(id.slice(this.prefix.length));
    return row && { url: row[this.url]!, secret: row[this.secret]! };
  }
}
