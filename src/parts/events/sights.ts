import type { Frame, Row, Value } from '../../expression/value.ts';
import { type Compiled, type Expressions, evaluate, NO_NAMES } from '../../serve/layout.ts';
import type { Program } from '../../store/store.ts';
import type { Resource } from '../resources/enforce.ts';

/** Whether a caller may hear of a row: as the event tells of it, and as it is now, if it is still there. */
export class Sights {
  private readonly visible = new Map<string, { readonly resource: Resource; readonly test: Compiled }>();

  constructor(resources: Iterable<Resource>, expressions: Expressions) {
    for (const resource of resources) {
      const { name } = resource.plan;
      const visible = expressions.visibility(name);
      if (visible) this.visible.set(name, { resource, test: expressions.compile(visible, NO_NAMES) });
    }
  }

  *sees(frame: Frame, name: string, glimpse: string | null): Program<boolean> {
    const known = this.visible.get(name);
    if (!known) return true;
    if (glimpse === null) return false;
    const { resource, test } = known;
    const told = unpacked(glimpse);
    if (!(yield* this.holds(test, frame, told))) return false;
    const now = yield* resource.byIdentity(told[resource.identity] as Value);
    return now === null || (yield* this.holds(test, frame, now));
  }

  private *holds(test: Compiled, frame: Frame, row: Row): Program<boolean> {
    frame.row = row;
    const holds = (yield* evaluate(test, frame)) === true;
    frame.row = null;
    return holds;
  }
}

/** What marks a map in text: nothing else in a row has names. */
const MAP = ' map';

/** A row as text, to be judged by later. */
export function packed(row: Row): string {
  return JSON.stringify(row, (_key, value) => (value instanceof Map ? { [MAP]: [...value] } : value));
}

function unpacked(text: string): Row {
  return JSON.parse(text, (_key, value) =>
    typeof value === 'object' && value !== null && MAP in value ? new Map(value[MAP]) : value,
  ) as Row;
}
