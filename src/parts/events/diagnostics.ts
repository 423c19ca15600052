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
  payloadOwn: {
    severity: 'error',
    what: (p) => `“as ${p.resource}” says nothing: it is what ${p.resource} alone means.`,
    why: 'The shown form of a resource goes by its name.',
    write: (p) => `${p.resource}`,
  },
  payloadCaller: {
    severity: 'error',
    what: (p) => `${p.event} would show ${p.field}, which depends on the caller.`,
    why: 'An event has no caller: whoever hears of it gets the same payload. Show the row in a view without it.',
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
  hears: {
    severity: 'question',
    what: (p) => `Of which ${p.resource} rows does a receiver hear?`,
    why: 'Receivers belong to those who made them, and are told of no more than is stated.',
    write: (p) => `- Hears of ${p.resource}: everything`,
  },
  hearsHidden: {
    severity: 'question',
    what: (p) => `May every receiver that hears of ${p.event} be told what ${p.field} shows of ${p.resource} rows?`,
    why: 'Not every caller may see them, and receivers are told of no more than is stated. Or show the row in a view without it.',
    write: (p) => `- Hears of ${p.resource}: everything`,
  },
  hearsInPart: {
    severity: 'error',
    what: (p) =>
      `${p.event} would show ${p.field}, which depends on ${p.resource} rows, and receivers hear of some of those alone.`,
    why: 'The condition is asked of the row that an event is about, and every receiver of the event gets the same payload. Show the row in a view without it.',
  },
  hearsUnused: {
    severity: 'error',
    what: () => 'The operator registers the receivers, each for chosen events.',
    why: 'They hear of every row: this would have no effect.',
  },
  hearsNothing: {
    severity: 'error',
    what: (p) => `No webhook tells of ${p.resource}.`,
    why: 'What is heard of it would have no effect.',
  },
  receiverField: {
    severity: 'error',
    what: (p) => `${p.field} has to be ${p.what}, and always present.`,
    why: 'Every row of the resource is a receiver that is told of events.',
  },
  neverChosen: {
    severity: 'error',
    what: (p) => `${p.event} is notified by webhook, and ${p.field} does not allow it.`,
    why: 'No receiver could choose it.',
  },
  receiverVersion: {
    severity: 'question',
    what: () => 'In which version are the payloads of these receivers?',
    why: 'The names of fields differ from version to version.',
    write: () => ', in the current version',
  },
  versionUnused: {
    severity: 'error',
    what: () => 'The document has no versions.',
    why: 'It would have no effect.',
  },
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
  streamMissing: {
    severity: 'question',
    what: (p) => `What is the stream like that ${p.what}?`,
    why: 'Its form, how a reader comes back to it and what ends it have to be stated.',
    write: () => '### Stream',
  },
  streamUnused: {
    severity: 'error',
    what: () => 'No event is notified by stream.',
    why: 'What is stated about the stream would have no effect.',
  },
  streamUnanswered: {
    severity: 'question',
    what: () => 'Where is the stream? No endpoint answers with it.',
    why: 'A reader has to know where to ask for it.',
    write: () => '1. Answer 200 with the stream.',
  },
  notInStream: {
    severity: 'error',
    what: (p) => `${p.event} is notified by stream, and no endpoint’s stream holds it.`,
    why: 'Nobody would hear of it.',
  },
  notStreamed: {
    severity: 'error',
    what: (p) => `${p.event} is not notified by stream.`,
    why: 'What a stream holds is stated in the column “Notified by”.',
  },
  streamFormat: ask(
    'In which format is the stream?',
    'A reader has to know how to read it.',
    '- Format: server-sent events (WHATWG HTML)',
  ),
  streamData: ask('What is the data of a message?', 'A reader has to know what it gets.', '- Data: the payload'),
  resumption: ask(
    'Can a reader come back to where it was?',
    'Connections break, and what happened meanwhile is lost, or kept for some time.',
    '- Resumption: Last-Event-ID, for 24 hours, else events_gone',
  ),
  retry: ask(
    'When is a reader whose connection broke told to come back?',
    'Otherwise each waits as long as it likes.',
    '- Retry: after 3 seconds',
  ),
  heartbeat: ask(
    'What is sent where nothing happens?',
    'Connections on which nothing is sent are closed by what stands between.',
    '- Heartbeat: every 15 seconds',
  ),
  patience: ask(
    'What becomes of a reader that takes nothing?',
    'It would be waited for for ever.',
    '- Slow readers: cut off after 30 seconds',
  ),
  atOnce: ask(
    'How many streams may a caller have open?',
    'Each of them holds a connection.',
    '- At once: 5 for each caller, else too_many_streams',
  ),
  atOnceUncalled: {
    severity: 'error',
    what: () => 'A bound of each caller needs callers, and the document has none.',
    why: 'It would never refuse a stream.',
    write: () => '- At once: 5 for each address without a caller, else too_many_streams',
  },
  atOnceNobody: {
    severity: 'question',
    what: (p) => `${p.endpoint} may be called without credentials: how many streams may be open then?`,
    why: 'A bound of each caller counts the streams of those with credentials alone.',
    write: () => '5 for each caller, 5 for each address without a caller, else too_many_streams',
  },
  atOnceNobodyUnused: {
    severity: 'error',
    what: () => 'Every stream has a caller here.',
    why: 'A bound of each address without a caller would never refuse a stream.',
    write: () => '- At once: 5 for each caller, else too_many_streams',
  },
  codeMissing: {
    severity: 'question',
    what: (p) => `Which code refuses ${p.what}?`,
    why: 'A refusal has a code of the table of errors.',
    write: (p) => `, else ${p.code}`,
  },
  delivery: ask(
    'How often may a receiver get the same event?',
    'It has to know whether to expect repeats.',
    '- Delivery: at least once',
  ),
});
