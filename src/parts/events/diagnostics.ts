import { catalogue } from '../../source/diagnostic.ts';

const ask = (what: string, why: string, write: string) => ({
  severity: 'question' as const,
  what: () => what,
  why,
  write: () => write,
});

export const eventsDiagnostics = catalogue('events', {
  blankCell: {
    severity: 'question',
    what: (p) => `${p.event} says nothing under “${p.column}”.`,
    why: 'When an event happens, what it carries and who hears of it is its contract.',
  },
  attempts: {
    severity: 'error',
    what: (p) => `${p.attempts} attempts need ${Number(p.attempts) - 1} delays, and ${p.delays} are stated.`,
    why: 'The first attempt is made at once, and each later one waits for its own delay.',
  },
  payloadDiffers: {
    severity: 'error',
    what: (p) => `The event is about ${p.resource}, and its payload is ${p.payload}.`,
    why: 'The payload is the shown form of the row that the event is about.',
    write: (p) => `${p.resource}`,
  },
  neverChanges: {
    severity: 'error',
    what: (p) => `${p.field} never changes, so that this could never happen.`,
    why: 'An identity, and what only the creation of a row gives, stay as they are.',
  },
  neverAt: {
    severity: 'error',
    what: () => 'This is never an instant.',
    why: 'The event could never happen.',
  },
  alwaysWhile: {
    severity: 'error',
    what: () => 'This condition always holds.',
    why: 'It would have no effect: without it the event is the same.',
  },
  webhookMissing: {
    severity: 'question',
    what: (p) => `How is ${p.event} notified by webhook?`,
    why: 'Who receives it, how it is signed and what happens when it fails has to be stated.',
    write: () => '### Webhook',
  },
  webhookUnused: {
    severity: 'error',
    what: () => 'No event is notified by webhook.',
    why: 'What is stated about webhooks would have no effect.',
  },
  receivers: ask(
    'Who registers the receivers of webhooks?',
    'Nothing is sent to an address that nobody entered.',
    '- Receivers: registered by the operator, each for chosen events',
  ),
  signature: ask(
    'How are webhooks signed?',
    'A receiver has to be able to tell them from forgeries.',
    '- Signature: Standard Webhooks',
  ),
  timeout: ask(
    'How long may a receiver take?',
    'A receiver that hangs must not be waited for for ever.',
    '- Time-out: 15 seconds',
  ),
  delays: ask(
    'How often is a webhook tried, and when?',
    'What happens when a receiver fails has to be stated.',
    '- Attempts: 3, after 5 seconds, 5 minutes',
  ),
  order: ask('In which order do webhooks arrive?', 'A receiver that applies them has to know.', '- Order: per Order'),
  orderResource: {
    severity: 'error',
    what: (p) => `No event is about ${p.resource}.`,
    why: 'The order would be kept for rows that never have events.',
  },
  orderMissing: {
    severity: 'error',
    what: (p) => `The order is stated per ${p.stated}, and ${p.event} is about ${p.resource}.`,
    why: 'The order of its events is not stated.',
  },
  delivery: ask(
    'How often may a receiver get the same event?',
    'It has to know whether to expect repeats.',
    '- Delivery: at least once',
  ),
});
