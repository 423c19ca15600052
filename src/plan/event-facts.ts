import { showDuration } from '../text/units.ts';
import { fact, IRREGULAR, orNone, TEXT, TIME, whereLower, wordOf } from './plain-fact.ts';

/**
 * The facts of webhooks, beside their receivers. The members of the plan and of the contract, their words in `contract`
 * and `plan`, the comparison in `diff`, the schema, and the statements that `test` tries derive from this table.
 */
export const WEBHOOK_FACTS = {
  signature: IRREGULAR,
  timeout: fact({
    form: TIME,
    contract: 'timeoutMilliseconds',
    row: ['time-out'],
    says: (time) => `time-out ${showDuration(time)}`,
    change: ['the time-out', whereLower('untold')],
    tries: [{ name: 'a receiver that takes too long counts as refusing', what: 'again', clock: true }],
  }),
  delays: IRREGULAR,
  order: fact({
    form: orNone(TEXT),
    contract: 'orderPer',
    about:
      'The resource for whose rows events are delivered in order; null when events are not ordered. “event”: the events that steps emit are delivered in the order of each name; “Order, others per event”: both.',
    row: ['order', (of) => (of === null ? 'none' : `per ${of}`)],
    says: (of) => (of === null ? 'in no order' : `in order per ${of}`),
    change: ['the order of events', (old) => (old === null ? 'unused' : 'otherwise')],
    tries: (of) => {
      if (of === null) return [];
      const name =
        of === 'event' ? 'deliveries of one event come in its order' : 'deliveries of one row come in its order';
      return [{ name, what: 'kept' }];
    },
  }),
  delivery: IRREGULAR,
  kept: fact({
    form: orNone(TIME, 'for good'),
    contract: 'keptMilliseconds',
    about: 'How long an event is stored after its last delivery. Null: events are stored forever.',
    row: ['kept', (time) => (time === null ? 'for good' : `${showDuration(time)} after delivery`)],
    says: null,
    change: ['how long events are kept after their delivery', 'unused'],
    tries: [{ name: 'an event is removed when its time is over', what: 'removed' }],
    untestable: 'Callers and receivers do not see how long an event is stored: only the operator’s replay does.',
  }),
} as const;

/** The facts of streams. */
export const STREAM_FACTS = {
  format: IRREGULAR,
  data: fact({
    form: wordOf('payload', 'envelope'),
    row: ['data'],
    says: (data) => `messages of ${data === 'payload' ? 'the payload' : 'type, timestamp and data'}`,
    change: ['the data of messages', 'unreadable'],
    tries: 'an event',
  }),
  resumption: IRREGULAR,
  retry: fact({
    form: orNone(TIME),
    row: ['retry'],
    says: (time) => (time === null ? '' : `told to come back after ${showDuration(time)}`),
    change: ['the retry delay', 'unused'],
    tries: (time) => (time === null ? [] : [{ name: 'a stream says how long to wait', what: 'sent' }]),
  }),
  heartbeat: fact({
    form: orNone(TIME),
    row: ['heartbeat'],
    says: (time) => (time === null ? '' : `a comment every ${showDuration(time)}`),
    change: ['the heartbeat', 'unused'],
    tries: (time) =>
      time === null ? [] : [{ name: 'a stream without events sends a comment', what: 'sent', clock: true }],
  }),
  patience: fact({
    form: TIME,
    row: ['patience'],
    says: (time) => `cut off where they take nothing for ${showDuration(time)}`,
    change: ['the time-out of slow readers', whereLower('refused')],
    tries: [{ name: 'a reader that takes nothing is closed', what: 'closed' }],
    untestable: 'How much waits in buffers between the service and a reader is not stated.',
  }),
  atOnce: IRREGULAR,
} as const;
