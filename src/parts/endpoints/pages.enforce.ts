import { timingSafeEqual } from 'node:crypto';
import type { Value } from '../../expression/value.ts';
import type { PagePlan } from '../../plan/step.ts';
import type { Exchange } from '../../serve/exchange.ts';
import { Mac } from '../../serve/wire/mac.ts';
import type { Errors, Refusal } from '../errors/enforce.ts';

const MAC_BYTES = 16;

/**
 * Cursors: where the page before ended, authenticated, and bound to the endpoint, caller, filters, order and version
 * that they were made for. Any other is refused.
 */
export class Cursors {
  private readonly codes: Mac;

  constructor(secret: Buffer) {
    this.codes = new Mac(secret);
  }

  seal(x: Exchange, order: string, position: readonly Value[]): string {
    const payload = JSON.stringify(position);
    const bytes = Buffer.allocUnsafe(MAC_BYTES + Buffer.byteLength(payload));
    bytes.write(this.mac(x, order, payload), 'latin1');
    bytes.write(payload, MAC_BYTES);
    return bytes.toString('base64url');
  }

  /** The position that a cursor stands for; null where it isn't one of ours for this request. */
  open(x: Exchange, order: string, cursor: string): Value[] | null {
    // How long an address may be bounds it.
    if (!/^[A-Za-z0-9_-]{24,}$/.test(cursor)) return null;
    const bytes = Buffer.from(cursor, 'base64url');
    const payload = bytes.subarray(MAC_BYTES).toString();
    const mac = Buffer.from(this.mac(x, order, payload), 'latin1');
    if (!timingSafeEqual(bytes.subarray(0, MAC_BYTES), mac)) return null;
    if (bytes.toString('base64url') !== cursor) return null;
    return JSON.parse(payload) as Value[];
  }

  private mac(x: Exchange, order: string, payload: string): string {
    const { query, header, request } = x.frame;
    const bound = JSON.stringify([
      x.endpoint,
      x.segments,
      x.callerKey,
      query,
      header,
      request,
      order,
      x.speech.version,
    ]);
    return this.codes.of(`${bound}\0${payload}`).slice(0, MAC_BYTES);
  }
}

/** Reads how large a page is asked for and from where. What can't be given is refused, never rounded. */
export function pageReader(plan: PagePlan, errors: Errors) {
  return (x: Exchange): Refusal | null => {
    const all = (name: string): string[] => x.parameters.filter(([sent]) => sent === name).map(([, value]) => value);
    const limits = all(plan.limit);
    const places = all(plan.place);
    const asked = limits.length === 0 ? plan.standard : /^[1-9]\d*$/.test(limits[0]!) ? Number(limits[0]) : 0;
    const limit = plan.beyond === 'left out' ? Math.min(asked, plan.most) : asked;
    const place = places[0] ?? null;
    const offset = offsetOf(plan, place, limit);
    if (limits.length > 1 || places.length > 1 || limit < 1 || limit > plan.most || offset === null)
      return errors.condition('page refused');
    x.page = { limit, place, offset, number: plan.by === 'number' ? offset / limit + 1 : 1 };
    return null;
  };
}

/** How many rows stand before the page; null where the parameter doesn't say so. */
function offsetOf(plan: PagePlan, place: string | null, limit: number): number | null {
  if (place === null || plan.by === 'cursor' || plan.by === 'identity') return 0;
  if (plan.by === 'offset') return /^(?:0|[1-9]\d{0,11})$/.test(place) ? Number(place) : null;
  return /^[1-9]\d{0,8}$/.test(place) ? (Number(place) - 1) * limit : null;
}
