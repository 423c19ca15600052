import type { PageContract } from '../../contract/endpoint.ts';
import type { Json } from '../../export/json.ts';
import { isObject } from '../../text/own-member.ts';
import { type Exchange, headerOf, type Request } from '../target/exchange.ts';

/** A request with another value of one query parameter. */
export function withParameter(request: Request, name: string, value: string): Request {
  const [path = '', query = ''] = request.target.split('?');
  const others = query.split('&').filter((one) => one !== '' && decodeURIComponent(one.split('=')[0] ?? '') !== name);
  const asked = [...others, `${encodeURIComponent(name)}=${encodeURIComponent(value)}`].join('&');
  return { ...request, target: `${path}?${asked}` };
}

/** The items of a page. */
export function itemsOf({ payload }: PageContract, body: Json): readonly Json[] {
  const name = payload?.find(({ value }) => value === 'items')?.name;
  const items = name === undefined ? body : membersOf(body)[name];
  return Array.isArray(items) ? items : [];
}

/** The cursor or place of the next page in an answer; null where there is none. */
export function nextOf({ payload, place }: PageContract, { outcome }: Exchange): string | null {
  if ('failed' in outcome || outcome.status !== 200) return null;
  const name = payload?.find(({ value }) => value === 'next')?.name;
  if (name !== undefined) {
    const next = membersOf(jsonOf(outcome.body))[name];
    return typeof next === 'string' || typeof next === 'number' ? String(next) : null;
  }
  const link = /<([^>]*)>\s*;\s*rel="?next"?/i.exec(headerOf(outcome.headers, 'Link') ?? '')?.[1];
  return link === undefined ? null : new URLSearchParams(link.split('?')[1] ?? '').get(place);
}

function jsonOf(body: Buffer): Json {
  try {
    return JSON.parse(body.toString()) as Json;
  } catch {
    return null;
  }
}

const membersOf = (value: Json): Readonly<Record<string, Json>> => (isObject(value) ? value : {});
