import type { Event, Events } from '../compiler/statements/events.ts';
import type { Node } from './node.ts';
import type { Places } from './places.ts';
import { here, LONGEST_NAME, named } from './resources.ts';

/** Reads webhooks: each is an event that is notified by webhook. The file does not state when, nor of which row. */
export function eventsOf(root: Node, places: Places): Events {
  const hooks = root.file.version === '2.0' || root.file.version === '3.0' ? null : root.get('webhooks');
  const taken = new Set<string>();
  const list = (hooks?.members() ?? []).flatMap(([name, node]): Event[] => {
    if (name.length > LONGEST_NAME || !/^[A-Za-z][\w.-]*\w$/.test(name) || taken.has(name.toLowerCase())) {
      node.leave('fieldName');
      return [];
    }
    taken.add(name.toLowerCase());
    for (const [key, member] of node.members()) if (key !== '$ref') member.leave('event');
    places.set(node.pointer, 'events', '', 'Event', name);
    return [
      {
        name: named(name),
        when: null,
        emitted: false,
        payload: null,
        members: null,
        notifiedBy: here(['webhook' as const]),
        span: { from: 0, to: 0 },
      },
    ];
  });
  return { none: false, list, webhook: null, stream: null };
}
