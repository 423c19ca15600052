import type { EndpointContract } from '../../contract/endpoint.ts';
import { keysOf } from '../../text/own-members.ts';

/** Facts of the contract that a client does not express. */
const REASONS = {
  bounds: 'Bounds, patterns and formats of values stand in comments. The service checks them.',
  'unknown members':
    'Members of a body that the document doesn’t name are ignored by the service, and refused by the types',
  codes: 'Refusals tell no code: those with one status are not told apart.',
  checks: 'The order in which a request is checked, and the conditions of rules, guards and transitions.',
  rates: 'Rates, sizes and time-outs that the service keeps to. A refusal that asks to wait is waited for.',
  rows: 'Which rows a caller sees, and which rows can call, who gives fields their values, and what is true of every row.',
  states: 'States and transitions, but for the names of states.',
  versions: 'The other versions of the service.',
  deprecated: 'Only the headers of answers say when this version was deprecated, and when it ends',
  browsers: 'From which origins browsers may call the service, and which headers of answers they show.',
  tokens: 'What a token has to be, and who issues it.',
  webhooks: 'Attempts, pauses and order of webhooks, and who receives which.',
  signatures: 'The signature of webhooks has a form of its own, which no function of the client verifies.',
  streams: 'How many streams may be open at once, how long events are kept, and when a slow reader is cut off.',
  iterators: 'There is no iterator over pages where neither a page nor its rows tell where the next one begins',
  'links in browsers':
    'Pages are followed by the header Link, which browsers don’t show to pages of other origins here: there, iterators end after one page',
  HEAD: 'HEAD is answered, and is no method of the client',
  'If-Match of GET': 'If-Match of a GET.',
  elsewhere: 'What is answered to what is no request of HTTP.',
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
