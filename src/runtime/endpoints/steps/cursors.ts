import type { Value } from '../../../expression/values/value.ts';
import type { PagePlan } from '../../../plan/step.ts';
import type { Refusal } from '../../context/refusal.ts';
import type { RequestContext } from '../../context/request-context.ts';
import type { Errors } from '../../errors/refusal.ts';
import { Sealed } from '../../http/sealed.ts';

/** The order of a list, to which its cursors are bound. */
export interface CursorOrder {
  /** A text that identifies the order: different orders have different texts. */
  readonly text: string;
  /** The most bytes that a row's position may have: all cursors are padded to this length. */
  readonly room: number;
}

/**
 * Seals cursors: the position of a page's last row, encrypted, since the caller may not see the fields of the order. A
 * cursor is bound to its endpoint, caller, filters, order and version, and refused with any other.
 */
export class Cursors {
  private readonly sealed: Sealed;

  constructor(secret: Buffer) {
    this.sealed = new Sealed(secret, 'cursors');
  }

  seal(x: RequestContext, { text, room }: CursorOrder, position: readonly Value[]): string {
    const place = written(position);
    return this.sealed.seal(bound(x, text), place + ' '.repeat(Math.max(0, room - Buffer.byteLength(place))));
  }

  /** Returns the position in a cursor; null where the cursor was not made for this request. */
  open(x: RequestContext, { text }: CursorOrder, cursor: string): Value[] | null {
    const place = this.sealed.open(bound(x, text), cursor);
    return place === null ? null : read(place);
  }
}

/** Returns the context to which a cursor is bound. */
function bound({ endpoint, segments, callerKey, frame, apiVersion }: RequestContext, order: string): string {
  const { query, header, request } = frame;
  return JSON.stringify([endpoint, segments, callerKey, query, header, request, order, apiVersion.version]);
}

/**
 * Returns a position as text: JSON in which each string is replaced by its length, followed by the strings. A string
 * then takes the bytes of its characters, without escapes.
 */
function written(position: readonly Value[]): string {
  const texts = position.filter((value) => typeof value === 'string');
  return (
    JSON.stringify(position.map((value) => (typeof value === 'string' ? `${value.length}` : value))) + texts.join('')
  );
}

/** Reads a position from its text; padding at the end is ignored. */
function read(place: string): Value[] {
  let at = place.indexOf(']') + 1;
  return (JSON.parse(place.slice(0, at)) as Value[]).map((value) => {
    if (typeof value !== 'string') return value;
    const from = at;
    at += Number(value);
    return place.slice(from, at);
  });
}

/** Reads the size of the page and its place from the request. A value out of range is refused, never rounded. */
export function pageReader(plan: PagePlan, errors: Errors) {
  return (x: RequestContext): Refusal | null => {
    const all = (name: string): string[] => x.parameters.filter(([sent]) => sent === name).map(([, value]) => value);
    const limits = all(plan.limit);
    const places = all(plan.place);
    const asked = limits.length === 0 ? plan.standard : /^[1-9]\d*$/.test(limits[0]!) ? Number(limits[0]) : 0;
    const limit = plan.beyond === 'left out' ? Math.min(asked, plan.most) : asked;
    const place = places[0] ?? null;
    const offset = offsetOf(plan, place, limit);
    if (limits.length > 1 || places.length > 1 || limit < 1 || limit > plan.most || offset === null)
      return errors.condition('page refused');
    x.page = { limit, place, offset, number: plan.by === 'number' ? Number(place ?? 1) : 1 };
    return null;
  };
}

/** Returns the offset of the page; null where the parameter is not valid. */
function offsetOf(plan: PagePlan, place: string | null, limit: number): number | null {
  if (place === null || plan.by === 'cursor' || plan.by === 'identity') return 0;
  const at = /^(?:0|[1-9]\d{0,15})$/.test(place) ? Number(place) : Number.POSITIVE_INFINITY;
  if (!Number.isSafeInteger(at)) return null;
  if (plan.by === 'offset') return at;
  // Offsets end at the largest safe integer: such a page is past the end anyway.
  return at === 0 ? null : Math.min((at - 1) * limit, Number.MAX_SAFE_INTEGER);
}
