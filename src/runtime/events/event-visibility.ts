import type { Frame, Row, Value } from '../../expression/values/value.ts';
import type { EmittedPlan, Plan } from '../../plan/step.ts';
import type { Program } from '../../store/store.ts';
import { storedColumns } from '../../store/tables.ts';
import { ownMember } from '../../text/own-members.ts';
import type { RequestContext } from '../context/request-context.ts';
import { type Compiled, type Expressions, evaluate, NO_NAMES } from '../expressions/layout.ts';
import type { Resource } from '../resources/rules.ts';
import type { ReaderPayloads } from './reader-payloads.ts';

type VisibleFields = ReadonlyMap<string, string | null> | 'hidden' | null;

/** The visibility of events for a reader of the stream: of the event's row, and of other rows in its payload. */
export class EventVisibility {
  private readonly others: ReaderPayloads;
  private readonly columns = new Map<string, Columns>();
  private readonly visible = new Map<
    string,
    { readonly resource: Resource; readonly columns: Columns; readonly test: Compiled }
  >();

  /** The events that steps emit, each with the test of whether a reader sees it; null where every reader does. */
  private readonly emitted: ReadonlyMap<string, { readonly columns: Columns; readonly test: Compiled | null }>;

  /** The queries of `expressions` see every row. */
  constructor(
    resources: Iterable<Resource>,
    { emitted = [] }: Pick<Plan, 'emitted'>,
    expressions: Expressions,
    others: ReaderPayloads,
  ) {
    this.others = others;
    this.emitted = new Map(
      emitted.map((event) => {
        const { name, visible } = event;
        const test = visible && expressions.compile(visible, { ...NO_NAMES, vars: ['about'] });
        return [name, { columns: columnsOfEvent(event), test }];
      }),
    );
    for (const resource of resources) {
      const { name } = resource.plan;
      this.columns.set(name, columnsOf(resource));
      const visible = expressions.visibility(name);
      if (visible)
        this.visible.set(name, {
          resource,
          columns: columnsOf(resource),
          test: expressions.compile(visible, NO_NAMES),
        });
    }
  }

  /**
   * Whether a reader may see an event that a step has emitted. `glimpse` has the values of its members; an event of an
   * earlier document, in which every reader saw it or in which it was about a row, is not shown where the condition needs them.
   */
  *seesEmitted(frame: Frame, type: string, glimpse: string | null): Program<boolean> {
    const known = this.emitted.get(type);
    if (!known) return false;
    const { columns, test } = known;
    if (!test) return true;
    if (glimpse === null) return false;
    const { vars } = frame;
    frame.vars = [unpacked(columns, glimpse)];
    const holds = (yield* evaluate(test, frame)) === true;
    frame.vars = vars;
    return holds;
  }

  /**
   * Whether a reader may see the row of an event, both as stored with the event and as it is now, if it still exists.
   */
  *sees(frame: Frame, name: string, glimpse: string | null): Program<boolean> {
    const known = this.visible.get(name);
    if (!known) return true;
    if (glimpse === null) return false;
    const { resource, columns, test } = known;
    const told = unpacked(columns, glimpse);
    if (!(yield* this.holds(test, frame, told))) return false;
    const now = yield* resource.byIdentity(told[resource.identity] as Value);
    return now === null || (yield* this.holds(test, frame, now));
  }

  /**
   * Returns the payload members that differ per reader, as JSON; null where the payload has none, and `hidden` where
   * the event was recorded while all readers got equal payloads, so that no row is stored to compute them from.
   */
  *members(x: RequestContext, event: string, name: string, glimpse: string | null): Program<VisibleFields> {
    if (!this.others.differ(event)) return null;
    if (glimpse === null) return 'hidden';
    return yield* this.others.of(event, unpacked(this.columns.get(name)!, glimpse), x.frame, x.apiVersion);
  }

  private *holds(test: Compiled, frame: Frame, row: Row): Program<boolean> {
    frame.row = row;
    const holds = (yield* evaluate(test, frame)) === true;
    frame.row = null;
    return holds;
  }
}

/** The member that marks a map in stored text: no other value of a row is an object. */
const MAP = ' map';

/**
 * Returns a row as text, from which visibility is evaluated later. Values have names, since the columns of nodes may
 * differ.
 */
export function packed({ names, left }: Columns, row: readonly Value[]): string {
  const values = Object.fromEntries(
    names.flatMap((name, at) => (left.has(at) || row[at] === null ? [] : [[name, row[at]]])),
  );
  return JSON.stringify(values, (_key, value) => (value instanceof Map ? { [MAP]: [...value] } : value));
}

/**
 * The columns of a resource, and those that are not stored for visibility: cached JSON, and hashes of passwords, which
 * no answer or expression reads.
 */
export interface Columns {
  readonly names: readonly string[];
  readonly left: ReadonlySet<number>;
}

/** The members of an event that steps emit, in the order in which expressions read their values. */
export const columnsOfEvent = ({ members }: EmittedPlan): Columns => ({
  names: members.map(({ name }) => name),
  left: new Set(),
});

export function columnsOf({ plan, shown }: Resource): Columns {
  const passwords = plan.columns.flatMap(({ password }, at) => (password ? [at] : []));
  return {
    names: storedColumns(plan).map(({ name }) => name),
    left: new Set(shown === null ? passwords : [...passwords, shown]),
  };
}

/** Reads a stored row from its text. */
function unpacked({ names }: Columns, text: string): Row {
  const values = JSON.parse(text, (_key, value) =>
    typeof value === 'object' && value !== null && MAP in value ? new Map(value[MAP]) : value,
  ) as Row | Record<string, Value>;
  // Earlier releases stored rows without names.
  return Array.isArray(values) ? values : names.map((name) => ownMember(values as Record<string, Value>, name) ?? null);
}
