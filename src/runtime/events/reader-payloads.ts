import { type Expr, some } from '../../expression/tree/expression.ts';
import type { Type } from '../../expression/tree/types.ts';
import type { Frame, Row, Value } from '../../expression/values/value.ts';
import type { EventPlan, ResourcePlan, ViewMember } from '../../plan/step.ts';
import type { Program } from '../../store/store.ts';
import type { ApiVersion } from '../context/request-context.ts';
import { type Compiled, evaluate, NO_NAMES } from '../expressions/layout.ts';
import { membersOf, noted, type ShowContext, shownAs, typeWriter } from '../resources/shown.ts';

/** A payload member that may differ per reader. */
interface Member {
  readonly field: string;
  readonly value: Compiled;
  /** Reads the member's value, and records a missing result. */
  readonly read: (given: Value) => Value;
  readonly type: Type;
  readonly view: ViewMember['view'];
}

/**
 * The payload members that depend on rows which not everyone may see. The recorded payload has them as visible without
 * a caller. A reader of the stream gets them by its own visibility when the message is sent; a receiver that is a row,
 * by its visibility when the event is recorded. All other members are as recorded.
 */
export class ReaderPayloads {
  private readonly members = new Map<string, readonly Member[]>();
  private readonly c: ShowContext;

  /** `by` is the channel of the events. `show` has the visibility of its readers, each as the caller. */
  constructor(resources: readonly ResourcePlan[], by: EventPlan['to'][number], show: ShowContext) {
    this.c = show;
    const made = new Map<string, readonly Member[]>();
    for (const { name: resource, events } of resources)
      for (const { name, view, to } of events) {
        if (!to.includes(by)) continue;
        const key = `${resource} ${view}`;
        const members = made.get(key) ?? this.hidingIn(resource, view);
        made.set(key, members);
        if (members.length) this.members.set(name, members);
      }
  }

  /** Whether the payload of an event may differ per reader. */
  differ(event: string): boolean {
    return this.members.has(event);
  }

  /** Returns the members of an event's payload that differ per reader, as JSON; null for a member that is left out. */
  *of(event: string, row: Row, frame: Frame, apiVersion: ApiVersion): Program<ReadonlyMap<string, string | null>> {
    const out = new Map<string, string | null>();
    frame.row = row;
    for (const { field, value, read, type, view } of this.members.get(event) ?? [])
      out.set(field, typeWriter(type, view, apiVersion, this.c)(read((yield* evaluate(value, frame)) as Value)));
    frame.row = null;
    return out;
  }

  private hidingIn(resource: string, view: string): readonly Member[] {
    const { expressions } = this.c;
    return membersOf(resource, view, this.c).flatMap((member): Member[] => {
      const lowering = expressions.lowering();
      const lowered = shownAs(lowering.lower(member.value), member.view, lowering, this.c);
      const hides = (part: Expr): boolean => part.op === 'query' && expressions.visibility(part.resource) !== null;
      if (!some(lowered, hides)) return [];
      const value = expressions.compileLowered(lowered, NO_NAMES);
      const read = noted((given: Value) => given, resource, member, this.c);
      return [{ field: member.field, value, read, type: lowered.type, view: member.view }];
    });
  }
}
