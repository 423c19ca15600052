import { type Expr, some } from '../../expression/tree/expression.ts';
import type { Type } from '../../expression/tree/types.ts';
import type { Frame, Row, Value } from '../../expression/values/value.ts';
import type { EventPlan, ResourcePlan, ViewMember } from '../../plan/step.ts';
import type { Program } from '../../store/store.ts';
import type { ApiVersion } from '../context/api-version.ts';
import { type Compiled, evaluate, NO_NAMES } from '../expressions/layout.ts';
import { membersOf, noted, type ShowContext, shownAs, typeWriter } from '../resources/shown.ts';

/** A member of a payload that may not be the same for every reader. */
interface Member {
  readonly field: string;
  readonly value: Compiled;
  /** Reads its value, and tells the log when that has no result. */
  readonly read: (given: Value) => Value;
  readonly type: Type;
  readonly view: ViewMember['view'];
}

/**
 * The members of payloads that depend on rows which not everyone may see. The payload that is recorded with an event
 * holds them as nobody in particular sees them; a reader of the stream is given them as it sees those rows when the
 * message is sent, and a receiver that is a row as it sees them when the event is recorded. Everything else of a payload
 * is the same for all, and stays as it was recorded.
 */
export class ReaderPayloads {
  private readonly members = new Map<string, readonly Member[]>();
  private readonly c: ShowContext;

  /** `by`: what tells of the events. `show` sees what its readers may see, each as the caller. */
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

  /** Whether something in the payload of an event may not be the same for every reader. */
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
