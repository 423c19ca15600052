import type { Streamed } from '../../language/answer.ts';
import type { Events } from '../statements/events.ts';

/**
 * The names of a stream's events: those in the answer, or all that are notified by stream; null while an event does not
 * state its channel.
 */
export function streamedEvents({ list }: Events, { events }: Streamed): string[] | null {
  if (events.length) return events.map((name) => name.text);
  const notified = list.flatMap(({ name, notifiedBy }) => (notifiedBy ? [{ name, by: notifiedBy.value }] : []));
  if (notified.length < list.length) return null;
  return notified.flatMap(({ name, by }) => (by.includes('stream') ? [name.text] : []));
}
