import { bulletLesson } from '../../language/bullets.ts';
import { STREAM, WEBHOOK } from '../../language/events.ts';
import { questionsOf } from '../../language/statement.ts';
import { blankCell, bullet, graded, step } from '../../syntax/diagnostic.ts';

/** The findings that are neither wrong nor merely unsaid. */
const STANDINGS = {
  blank: ['blankCell'],
  idle: [
    'webhookUnused',
    'hearsUnused',
    'versionUnused',
    'rotationUnused',
    'streamUnused',
    'atOnceNobodyUnused',
    'othersUnused',
    'visibleOfUnused',
  ],
} as const;

export const eventsDiagnostics = graded('events', STANDINGS, {
  blankCell: blankCell(
    (p) => `${p.event}`,
    {
      Event: 'the name of the event, such as order.placed',
      When: 'what happens, such as “an Order is created”, “is removed”, “is changed in total”, “moves by ship” or “is at” and an instant; or “a step emits it”',
      Payload:
        'the resource that the event is about, such as “Order”, or a view of it, such as “Order as Short”; of an event that a step emits “with” and its members',
      'Notified by': '“webhook”, “stream”, or “webhook, stream”',
    },
    'An event states when it happens, its payload, and whether it is sent by webhook or stream.',
  ),
  attempts: {
    severity: 'error',
    what: (p) => `${p.attempts} attempts need ${Number(p.attempts) - 1} delays. This bullet has ${p.delays}.`,
    why: `The service makes the first attempt at once, and waits before each later attempt for its own delay. ${bulletLesson('webhook', 'Attempts')}`,
  },
  payloadDiffers: {
    severity: 'error',
    what: (p) =>
      `The event is about ${p.resource}, and its payload is ${p.payload}. The payload takes ${p.resource}, or a view of ${p.resource}.`,
    why: 'The payload shows the row that the event is about.',
    write: (p) => `${p.resource}`,
  },
  payloadEmitted: {
    severity: 'error',
    what: (p) =>
      `A step emits ${p.event}, which is then about no row. The payload takes “with” and the names of its members, such as “with day, open”.`,
    why: 'The steps Emit give the members their values.',
  },
  payloadMembers: {
    severity: 'error',
    what: (p) =>
      `${p.event} is about a ${p.resource}, and its payload is the row. Write ${p.resource} or a view of ${p.resource}, or write “a step emits it” under When.`,
    why: 'Only steps give single members of an event their values.',
    write: (p) => `${p.resource}`,
  },
  memberName: {
    severity: 'error',
    what: (p) =>
      `“${p.found}” is not a name of a member of an event. Such a name begins with a letter, followed by letters, digits and “_”.`,
    why: 'Expressions read the member by its name.',
  },
  neverEmitted: {
    severity: 'error',
    what: (p) => `No step emits ${p.event}, so the event could never happen. Add a step Emit, or remove the event.`,
    why: 'An event that is about no row happens when a step emits it.',
    write: (p) => step('Emit', `${p.event} with ${p.members}.`),
  },
  emittedTypes: {
    severity: 'error',
    what: (p) =>
      `The member ${p.member} of ${p.event} is ${p.found} here and ${p.first} in line ${p.line}. Give it values of one type.`,
    why: 'Receivers and readers get a member in one form.',
  },
  emittedToRows: {
    severity: 'error',
    what: (p) =>
      `${p.event} is about no row, and receivers are rows, which hear of rows. Let the operator register receivers, or notify by stream alone.`,
    why: '“Hears of” selects receivers by the row of an event.',
  },
  orderOthers: {
    severity: 'question',
    what: (p) =>
      `The order is stated per ${p.resource}, and a step emits ${p.event}, which is about no row. Does a receiver get the events of that name in their order? Write “per ${p.resource}, others per event”, or “none” for any order of all events.`,
    why: 'In order, an event that fails delays the later events of its name.',
    write: () => ', others per event',
  },
  othersUnused: {
    severity: 'error',
    what: () => 'No step emits an event that is sent by webhook, so “others per event” has no effect. Remove it.',
    why: 'A statement without effect hides a mistake.',
  },
  orderRow: {
    severity: 'error',
    what: (p) =>
      `“per event” orders events that steps emit, and ${p.event} is about ${p.resource}. Write “per ${p.resource}, others per event”, “per ${p.resource}” or “none”.`,
    why: 'Events about rows keep the order of their row.',
    write: (p) => bullet('Order', `per ${p.resource}`),
  },
  visibleOf: {
    severity: 'question',
    what: (p) => `${p.event} is about no row. Which readers of the stream see it?`,
    why: 'After “Visible of” comes “everyone”, every reader who may open the stream, or a condition on `caller` and on `about`, the members of the event.',
    write: (p) => bullet(`Visible of ${p.event}`, 'everyone'),
  },
  visibleOfRow: {
    severity: 'error',
    what: (p) =>
      `${p.event} is about a ${p.resource}, and a reader of the stream sees it if the row is visible. Remove this bullet, or state Visible of ${p.resource}.`,
    why: 'The bullet is for events that steps emit.',
  },
  visibleOfUnused: {
    severity: 'error',
    what: (p) => `No stream tells of ${p.event}. Remove this bullet, or name stream under “Notified by”.`,
    why: 'A statement without effect hides a mistake.',
  },
  neverChanges: {
    severity: 'error',
    what: (p) =>
      `${p.field} never changes, so this event could never happen. Name a field that requests or steps change, or remove the event.`,
    why: 'An identity keeps its value, and so does a field whose only source is “on create”.',
  },
  neverAt: {
    severity: 'error',
    what: () =>
      'This expression is always null, so the event could never happen. Write a timestamp, such as a field of the row.',
    why: 'An event at an instant needs the instant.',
  },
  alwaysWhile: {
    severity: 'error',
    what: () => 'This condition always holds. Remove “while …”, or write another condition.',
    why: 'A statement without effect hides a mistake.',
  },
  payloadOwn: {
    severity: 'error',
    what: (p) =>
      `“as ${p.resource}” repeats what ${p.resource} alone means: the form under “Shown”. Remove “as ${p.resource}”.`,
    why: 'A statement without effect hides a mistake.',
    write: (p) => `${p.resource}`,
  },
  payloadCaller: {
    severity: 'error',
    what: (p) =>
      `The payload of ${p.event} shows ${p.field}, which depends on the caller. Show the row in a view without ${p.field}.`,
    why: 'An event has no caller: every receiver and reader gets the same payload.',
  },
  webhookMissing: {
    severity: 'question',
    what: (p) =>
      `${p.event} is sent by webhook. Which receivers get it, how is it signed, and how often is it repeated?`,
    why: 'The bullets under the heading `### Webhook` answer these questions.',
    write: () => '### Webhook',
    puts: 'heading',
  },
  webhookUnused: {
    severity: 'error',
    what: () => 'No event is notified by webhook. Remove `### Webhook`, or name webhook under “Notified by”.',
    why: 'A statement without effect hides a mistake.',
  },
  ...questionsOf(WEBHOOK),
  ...questionsOf(STREAM),
  hears: {
    severity: 'question',
    what: (p) => `Callers register receivers. Of which ${p.resource} rows does a receiver get events?`,
    why: 'After “Hears of” comes “everything”, or a condition on the fields of the receiver and on `about`, the row of the event.',
    write: (p) => bullet(`Hears of ${p.resource}`, 'everything'),
  },
  hearsHidden: {
    severity: 'question',
    what: (p) =>
      `The payload of ${p.event} shows ${p.field}, which depends on ${p.resource} rows that some callers may not see. Which ${p.resource} rows does a receiver see?`,
    why: 'After “Hears of” comes “everything”, or a condition on the fields of the receiver and on `about`, the row that the payload shows something of. Or show the row of the event in a view without that field.',
    write: (p) => bullet(`Hears of ${p.resource}`, 'everything'),
  },
  hearsUnused: {
    severity: 'error',
    what: () =>
      '“Hears of” has no effect: the operator registers the receivers. Remove this bullet, or let callers register receivers with “Receivers: the rows of …”.',
    why: 'A receiver that the operator registers gets the events of every row.',
  },
  hearsNothing: {
    severity: 'error',
    what: (p) =>
      `No event about ${p.resource} is sent by webhook. Remove this bullet, or name webhook under “Notified by”.`,
    why: 'A statement without effect hides a mistake.',
  },
  goneRow: {
    severity: 'error',
    what: () =>
      'Receivers are rows, which only endpoints and the operator remove. Remove this bullet: an answer 410 is then a failure like any other.',
    why: 'The removal of a row may be refused by a rule, or remove other rows.',
  },
  retryAfterOnce: {
    severity: 'error',
    what: () =>
      'A delivery has one attempt, so Retry-After delays nothing. State more attempts, or remove this bullet.',
    why: 'A statement without effect hides a mistake.',
  },
  retryAfterShort: {
    severity: 'error',
    what: () =>
      'Every delay under “Attempts” is as long as this time or longer, so Retry-After delays nothing. State a longer time, or remove this bullet.',
    why: 'The next attempt comes after the longer of the stated delay and Retry-After.',
  },
  signatureHeader: {
    severity: 'error',
    what: (p) =>
      `“${p.header}” is no header. Write the name of a header field, a colon, a space and its value, such as “X-Delivery: {id}”.`,
    why: 'A delivery has the stated headers.',
  },
  signatureForm: {
    severity: 'error',
    what: (p) => `${p.fault}. Correct the signature.`,
    why: 'A receiver verifies the signature of a delivery by its headers and its body, and one signature fits one delivery alone.',
  },
  signatureRotation: {
    severity: 'question',
    what: () => 'The operator gives a receiver another secret. Which secret signs while two are valid?',
    why: 'The bullet ends with “; of two secrets the new one signs”, “; of two secrets the old one signs”, or “; two secrets sign, between them” and a text.',
    write: () => '; of two secrets the new one signs',
  },
  rotationUnused: {
    severity: 'error',
    what: () => 'Receivers are rows, which have one secret. Remove the words about two secrets.',
    why: 'A statement without effect hides a mistake.',
  },
  secretUntold: {
    severity: 'error',
    what: (p) =>
      `Webhooks are signed with ${p.field}, and no answer shows ${p.field}, so no receiver can verify a signature. Show it in the answer of the endpoint that creates the receiver, or let the request give it.`,
    why: 'A signature is verified with the secret that made it.',
  },
  receiverField: {
    severity: 'error',
    what: (p) => `${p.field} has to be ${p.what}, and always present.`,
    why: 'Every row of the resource is a receiver with an address and a secret.',
  },
  neverChosen: {
    severity: 'error',
    what: (p) =>
      `${p.event} is sent by webhook, and ${p.field} does not allow it. Add ${p.event} to the allowed values, or remove webhook under “Notified by”.`,
    why: 'No receiver could choose the event.',
  },
  receiverVersion: {
    severity: 'question',
    what: () => 'In which version of the API are the payloads for these receivers?',
    why: 'The names of fields differ from version to version.',
    write: () => ', in the current version',
  },
  versionUnused: {
    severity: 'error',
    what: () => '“in the current version” has no effect: the document has no versions. Remove it.',
    why: 'A statement without effect hides a mistake.',
  },
  orderResource: {
    severity: 'error',
    what: (p) => {
      const instead = p.resources
        ? `The events are about ${p.resources}. Name one of these, or write “none”.`
        : 'Steps emit all events. Write “per event” or “none”.';
      return `No event is about ${p.resource}. ${instead}`;
    },
    why: 'The service keeps the order of the events of each row.',
    write: () => bullet('Order', 'none'),
  },
  orderMissing: {
    severity: 'error',
    what: (p) =>
      `The order is stated per ${p.stated}, and ${p.event} is about ${p.resource}. Write “none”, or send only events about ${p.stated} by webhook.`,
    why: 'The document does not say in which order receivers get the events of the other resource.',
  },
  streamMissing: {
    severity: 'question',
    what: (p) => `${p.what}. In which format is the stream, how does a reader resume it, and what ends it?`,
    why: 'The bullets under the heading `### Stream` answer these questions.',
    write: () => '### Stream',
    puts: 'heading',
  },
  streamUnused: {
    severity: 'error',
    what: () => 'No event is sent by stream. Remove `### Stream`, or name stream under “Notified by”.',
    why: 'A statement without effect hides a mistake.',
  },
  streamUnanswered: {
    severity: 'question',
    what: () => 'Some events are sent by stream. At which endpoint does a client read the stream?',
    why: 'The Answer of that endpoint is the stream.',
    write: () => step('Answer', '200 with the stream.'),
  },
  notInStream: {
    severity: 'error',
    what: (p) =>
      `${p.event} is sent by stream, and no endpoint answers with a stream that holds it. Add it to an Answer, or remove stream under “Notified by”.`,
    why: 'No reader could receive the event.',
  },
  notStreamed: {
    severity: 'error',
    what: (p) =>
      `${p.event} is not sent by stream. Name stream under its “Notified by”, or remove it from this Answer. ${p.names ? `The events that are sent by stream: ${p.names}.` : 'No event is sent by stream.'}`,
    why: 'The column “Notified by” says which events a stream can hold.',
  },
  atOnceUncalled: {
    severity: 'error',
    what: () =>
      '“for each caller” needs callers, and the document has none. Write “for each address without a caller”, or “any number”.',
    why: 'The bound would never refuse a stream.',
    write: () => bullet('At once', '5 for each address without a caller, else too_many_streams'),
  },
  atOnceNobody: {
    severity: 'question',
    what: (p) => `Anyone may call ${p.endpoint}, also without credentials. How many streams may one address have open?`,
    why: 'A bound “for each caller” counts only streams of requests with credentials.',
    write: () => '5 for each caller, 5 for each address without a caller, else too_many_streams',
  },
  atOnceNobodyUnused: {
    severity: 'error',
    what: () =>
      '“for each address without a caller” has no effect: every endpoint with a stream needs credentials. Remove it.',
    why: 'A statement without effect hides a mistake.',
    write: () => bullet('At once', '5 for each caller, else too_many_streams'),
  },
  codeMissing: {
    severity: 'question',
    what: (p) => `${p.what} Which code does the client receive?`,
    why: 'A refusal has a code of the table of errors. The bullet ends with “, else” and the code.',
    write: (p) => `, else ${p.code}`,
  },
});
