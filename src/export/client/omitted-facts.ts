import type { EndpointContract } from '../../contract/endpoint.ts';
import { keysOf } from '../../text/own-members.ts';

/** Facts of the contract that a client does not express. */
const REASONS = {
  bounds: 'Bounds, patterns and formats of values, except in comments. The service checks them.',
  'unknown members':
    'Members of bodies that the document does not name, which the service ignores and the types refuse',
  codes: 'The codes of refusals: payloads of errors have none, so refusals with the same status look alike.',
  checks: 'The order of the checks of a request, the code of each check, and conditions of rules and transitions.',
  texts: 'Whether the service trims texts, and whether it keeps empty ones.',
  unread: 'Whether the service refuses or ignores parameters and bodies that an endpoint does not read.',
  headers: 'Headers of answers, except those that comments of methods name.',
  cookies: 'The attributes of cookies, the realm of HTTP Basic, and the origins whose pages may send credentials.',
  lists: 'The order of lists by values that callers do not see.',
  tags: 'Tags, and their prose.',
  dates: 'Conditional requests with dates.',
  rates: 'Rates, size limits and time-outs. The client waits for `Retry-After` before it repeats a refused request.',
  rows: 'Which rows a caller may see, which rows a filter selects, which rows may call, the sources of values, and rules of rows.',
  states: 'States and transitions, except the names of states.',
  versions: 'The other versions of the service.',
  deprecated: 'The date from which this version is deprecated.',
  browsers: 'The origins from which browsers may call the service, and the headers of answers that pages can read.',
  tokens: 'The claims that a token must have, and who issues tokens.',
  events: 'When each event happens.',
  webhooks: 'Attempts, pauses and order of webhooks, and their receivers.',
  streams: 'How many streams may be open at once, how long events are kept, and when a slow reader is cut off.',
  iterators: 'Iterators over pages, where neither a page nor its rows determine the next page',
  'links in browsers':
    'In browsers, pages after the first: pages of other origins cannot read the header `Link`, so iterators end',
  HEAD: 'HEAD requests, which the service answers',
  'If-Match of GET': 'The header `If-Match` of a GET.',
  elsewhere: 'Answers to data that is not an HTTP request.',
  unsettled: 'Endpoints that the document leaves open.',
} as const;

type Omission = keyof typeof REASONS;

/** Collects the facts that a client does not express, so that its header can list them. */
export class OmittedFacts {
  private readonly found = new Map<Omission, Set<string>>();

  add(what: Omission, at = ''): void {
    const places = this.found.get(what) ?? new Set();
    if (at) places.add(at);
    this.found.set(what, places);
  }

  /** Whether the client does not express a fact at a place. */
  has(what: Omission, at: string): boolean {
    return this.found.get(what)?.has(at) ?? false;
  }

  /** One sentence per fact, in a fixed order, with the places of the fact. */
  list(): string[] {
    return keysOf(REASONS).flatMap((what) => {
      const places = this.found.get(what);
      if (!places) return [];
      const why = REASONS[what];
      return [places.size ? `- ${why.replace(/\.$/, '')}: ${[...places].join(', ')}.` : `- ${why}`];
    });
  }
}

export const placeOf = ({ method, path }: EndpointContract): string => `${method} ${path}`;
