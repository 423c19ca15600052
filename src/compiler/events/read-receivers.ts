import type { Hears, Managed } from '../statements/events.ts';
import type { Phrase } from '../syntax/phrase.ts';
import { takeName } from '../syntax/read.ts';
import type { Span } from '../syntax/span.ts';

/** `registered by the operator, …`, or `the rows of Hook, at url, for events, signed with secret` */
export function readReceivers(value: Phrase): 'operator' | Managed | null {
  const kind = value.choose(['registered by the operator, each for chosen events', 'the rows of']);
  if (kind !== 'the rows of') return kind && 'operator';
  const resource = takeName(value, 'use', 'a resource');
  const url = resource && value.expect(', at') ? takeName(value, 'use', 'a field') : null;
  if (!url) return null;
  const all = value.take(', for every event');
  const events = !all && value.expect(', for') ? takeName(value, 'use', 'a field') : null;
  if (!all && !events) return null;
  const secret = value.expect(', signed with') ? takeName(value, 'use', 'a field') : null;
  if (!secret) return null;
  return { resource: resource!, url, events, secret, current: value.take(', in the current version') };
}

/** ``Hears of Order: `owner == about.customer` ``, `Hears of Order: everything` */
export function readHears(value: Phrase, span: Span, key: Phrase): Hears | null {
  const resource = takeName(key, 'use', 'a resource');
  const condition = value.take('everything')
    ? 'everything'
    : value.code('expression', 'everything, or a condition in inline code');
  return resource && condition ? { resource, condition, from: span.from, to: span.to } : null;
}
