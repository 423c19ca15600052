import { ANSWER_VALUES } from '../../../language/answer.ts';
import type { Entry } from '../../../syntax/diagnostic.ts';
import { bullet, row, step } from '../../../syntax/diagnostic.ts';

/** Findings about answers: their status, headers, body and validators. */
export const ANSWERS = {
  ...ANSWER_VALUES,
  answersKept: {
    severity: 'error',
    what: (p) =>
      `${p.endpoint} answers ${p.status}, which is not below ${p.below}, so that its success would not be stored, and a repeated request would be done again.`,
    why: 'A key has to stand for the answer of the request that succeeded.',
    write: () => '500',
  },
  streamStatus: {
    severity: 'error',
    what: (p) => `${p.status} is not the status of a stream. A stream has the status 200.`,
    why: 'Clients of server-sent events accept no other status (WHATWG HTML).',
    write: () => '200',
  },
  streamKept: {
    severity: 'error',
    what: () => 'An endpoint with a stream has no idempotency keys. Write “none”.',
    why: 'A stream has no end, so the service cannot store it as an answer.',
    write: () => bullet('Idempotency', 'none'),
  },
  streamWrites: {
    severity: 'error',
    what: () => 'The steps before a stream may not change rows. Change them at another endpoint.',
    why: 'A client reconnects whenever its connection breaks, and would repeat the change.',
  },
  noAnswer: {
    severity: 'question',
    what: (p) => `What does a client of ${p.endpoint} receive after a success?`,
    why: 'The last step of an endpoint is an Answer.',
    write: () => step('Answer', '204.'),
  },
  answerLast: {
    severity: 'error',
    what: (p) =>
      p.after === 'Answer'
        ? 'Steps follow the Answer. Move the Answer to the end.'
        : 'Steps follow an If whose branches have both answered. Move these steps before it, or into a branch.',
    why: 'Steps after the Answer would never run.',
  },
  noAnswerThere: {
    severity: 'question',
    what: (p) =>
      `What does a client of ${p.endpoint} receive ${p.when ? `when \`${p.when}\` is false` : 'after this step'}? Another way through the steps ends in an Answer, and this one does not.`,
    why: 'Each way through the steps of an endpoint ends in an Answer.',
    write: () => step('Answer', '204.'),
  },
  answersMany: {
    severity: 'error',
    what: (p) =>
      `An endpoint has at most ${p.most} Answers. Make several endpoints, or answer with members that differ.`,
    why: 'The contract says of each answer under which conditions a client receives it.',
  },
  answerAlone: {
    severity: 'error',
    what: () =>
      'An endpoint that answers with a stream of events, with streamed rows or with a file has one Answer, its last step.',
    why: 'What a client reads from an address is a stream, or it is not.',
  },
  answerTypes: {
    severity: 'error',
    what: (p) =>
      `This Answer is ${p.found}, and the first one is ${p.first}. All answers of an endpoint with a body have the same type.`,
    why: 'The service compares the type with the header Accept before it runs the steps (RFC 9110, section 12.5.1).',
  },
  answerViews: {
    severity: 'error',
    what: (p) =>
      `Another Answer shows the page of “${p.name}” as ${p.first}, and this one as ${p.found}. Use one view.`,
    why: 'The rows of a page are read in the form in which they are shown.',
  },
  entityTag: {
    severity: 'error',
    what: (p) => `${p.what} takes an entity tag, such as etag(order). This expression is not an entity tag.`,
    why: 'RFC 9110, section 8.8.3.',
    write: () => '`etag(order)`',
  },
  twoValidators: {
    severity: 'error',
    what: (p) =>
      `${p.endpoint} already answers with a strong ETag of the whole answer, so it cannot state ${p.header}. Remove ${p.header}, or write “Conditional requests: none”.`,
    why: 'A precondition has one validator (RFC 9110, section 13.2.2).',
    write: () => bullet('Conditional requests', 'none'),
  },
  matchConditional: {
    severity: 'error',
    what: (p) =>
      `${p.endpoint} already compares If-Match with the ETag of its answer. Remove the step, or write “Conditional requests: none”.`,
    why: 'If-Match has one validator (RFC 9110, section 13.1.1).',
    write: () => bullet('Conditional requests', 'none'),
  },
  tagOfMore: {
    severity: 'error',
    what: (p) =>
      `The answer of ${p.endpoint} shows more than \`${p.row}\`, and \`etag(${p.row})\` stays the same while the rest changes. Answer \`${p.row}\` alone; or remove the header and write “Conditional requests: RFC 9110, strong ETag of the answer”.`,
    why: 'A strong ETag changes whenever the answer changes (RFC 9110, section 8.8.1).',
    write: () => bullet('Conditional requests', 'RFC 9110, strong ETag of the answer'),
  },
  tagOfAnother: {
    severity: 'error',
    what: (p) =>
      `${p.get} answers with an ETag of its whole answer, so \`etag(${p.row})\` is another tag, and no If-Match with it holds there. Remove this header; or give ${p.get} “Conditional requests: none” and the header ETag \`etag(${p.row})\`.`,
    why: 'One address has one ETag (RFC 9110, section 8.8.3).',
  },
  matchUntold: {
    severity: 'error',
    what: (p) =>
      `No answer has the header ETag \`etag(…)\` of ${p.resource}, and no GET of this address has an ETag, so no client can send an If-Match that holds, but for “*”. Add the header to an answer that shows ${p.resource}.`,
    why: 'A client takes the tag for If-Match from an answer (RFC 9110, section 13.1.1).',
    write: (p) => `and header ETag \`etag(${p.row})\``,
  },
  tagNeeds: {
    severity: 'error',
    what: (p) =>
      `${p.get} needs the parameter “${p.parameter}”, which a request to ${p.endpoint} does not have, so no precondition of it could hold. Make the parameter optional; or write “Preconditions on writes: refused” or “ignored”.`,
    why: 'Preconditions are compared with what a GET of the same address answers (RFC 9110, section 13.1).',
    write: () => bullet('Preconditions on writes', 'refused'),
  },
  bodyStatus: {
    severity: 'error',
    what: (p) => `A ${p.status} answer ${p.has}.`,
    why: '204, 205 and redirects have no body here (RFC 9110, section 15), and other successes state their body.',
  },
  redirectUnlocated: {
    severity: 'error',
    what: (p) =>
      `A ${p.status} answer needs the header Location, such as “with header Location \`"/orders/" + order.id\`”.`,
    why: 'A client goes on to the address in Location (RFC 9110, section 15.4).',
  },
  redirectOpen: {
    severity: 'error',
    what: (p) =>
      `The text of the request in \`${p.found}\` can name another site, to which the ${p.status} would lead. Begin Location with a text that fixes the site, such as \`"/orders/" + …\` or \`"https://shop.example/" + …\`; or list the allowed values of the text.`,
    why: 'A link to this service would lead to any site that its author chooses (CWE-601, open redirect).',
  },
  redirectHeader: {
    severity: 'error',
    what: (p) => `A ${p.status} answer has no ${p.name}, because it has no body. Remove the header.`,
    why: 'The header describes what an answer shows (RFC 9110, section 8).',
  },
  listAnswered: {
    severity: 'error',
    what: (p) => `“${p.name}” is a list in pages. An Answer takes a page alone, not as a member.`,
    why: '“Pages” says which members hold the items and the next page.',
    write: (p) => `with \`${p.name}\``,
  },
  furtherOfRow: {
    severity: 'error',
    what: (p) =>
      `“and ${p.name}” adds a member to the object of a row, and this answer is ${p.found}. List all rows, and name all members, as in “with items: …, ${p.name}: …”.`,
    why: 'Only an object has members.',
  },
  furtherTaken: {
    severity: 'error',
    what: (p) =>
      p.name === p.shown
        ? `${p.form} already shows a member “${p.name}”. Give this member another name.`
        : `One object cannot have “${p.name}” and “${p.shown}” of ${p.form}. Give this member another name.`,
    why: 'Each member of an object has a name of its own (RFC 8259, section 4).',
  },
  listUnanswered: {
    severity: 'error',
    what: (p) => `No Answer shows the page “${p.name}”. Answer with it in a branch, or remove the List.`,
    why: 'A page is read for an answer.',
    write: (p) => `with \`${p.name}\``,
  },
  streamedUse: {
    severity: 'error',
    what: (p) =>
      `“${p.name}” is streamed: its rows go to the client one after the other, and no step reads them. Write “all” to use the list in steps.`,
    why: 'Streamed rows are never held in memory together.',
    write: () => ', all',
  },
  streamedAnswer: {
    severity: 'error',
    what: (p) => `“${p.name}” is streamed, and the Answer does not show it. Answer it as NDJSON or as CSV.`,
    why: 'Streamed rows are read only while the client receives them.',
    write: (p) => `with \`${p.name}\` as NDJSON`,
  },
  rowsOfList: {
    severity: 'error',
    what: (p) => `${p.form} takes the name of a List of this endpoint that ends with “, streamed”.`,
    why: 'The rows are sent while they are read, so that any number of them fits into memory.',
    write: () => ', streamed',
  },
  rowsMethod: {
    severity: 'error',
    what: (p) => `${p.endpoint} cannot stream rows. Only a GET answers with a streamed list.`,
    why: 'The rows are read after the steps, and a stream that breaks off could not be repeated without a second effect.',
  },
  rowsStatus: {
    severity: 'error',
    what: (p) => `${p.status} is not the status of streamed rows. They have the status 200.`,
    why: 'The answer holds the whole list.',
    write: () => '200',
  },
  rowsTagged: {
    severity: 'error',
    what: (p) =>
      `The answer of ${p.endpoint} is streamed, so that it has no ETag. Write “Conditional requests: none” at this endpoint.`,
    why: 'An ETag stands before the body, and is computed from all of it.',
    write: () => bullet('Conditional requests', 'none'),
  },
  rowsTimeout: {
    severity: 'question',
    what: (p) =>
      `How long may ${p.endpoint} take to send its rows? A client that stops reading is disconnected after this time.`,
    why: 'The database keeps the state of one moment for as long as the rows are sent.',
    write: (p) => row('Time-out', '10 minutes', `\`${p.endpoint}\``),
  },
  rowsNever: {
    severity: 'error',
    what: (p) => `${p.resource} is never shown, so that its rows have no form.`,
    why: 'A streamed row has its shown form, or a view.',
  },
  csvHeader: {
    severity: 'question',
    what: () => 'Does the first record of this CSV hold the names of the columns?',
    why: 'RFC 4180 leaves the header open, and says it in the media type (`header=present`).',
    write: () => ', header present',
  },
  csvFormulas: {
    severity: 'question',
    what: () =>
      'A cell begins with “=”, “+”, “-” or “@”, and a spreadsheet would compute it. Is it marked as text by an apostrophe, or kept as it is?',
    why: 'A formula in a file runs with the rights of whoever opens it (OWASP, CSV injection).',
    write: () => ', formulas escaped',
  },
  csvTitle: {
    severity: 'error',
    what: () => 'This title is never sent, because the header is absent. Remove the title, or write “header present”.',
    why: 'Only a header shows titles.',
  },
  csvVersion: {
    severity: 'error',
    what: (p) => `The version ${p.version} has none of these columns. Add one that every version has.`,
    why: 'A record of CSV has at least one cell (RFC 4180).',
  },
  csvTwice: {
    severity: 'error',
    what: (p) => `Two columns are called “${p.title}”. Give one of them another title.`,
    why: 'A reader tells columns apart by their names.',
    write: (p) => `titled \`${p.title} 2\``,
  },
  answerValue: {
    severity: 'error',
    what: (p) =>
      `An answer cannot hold ${p.found}. An answer may hold rows, text, numbers, true and false, times, lists of these, and null.`,
    why: 'Clients receive JSON.',
  },
  answerAs: {
    severity: 'error',
    what: (p) => `A view shows rows. This expression is ${p.found}.`,
    why: 'A view is one of the forms in which the rows of a resource are shown.',
  },
  header: {
    severity: 'error',
    what: (p) =>
      `An answer cannot set “${p.name}”${p.nearest ? `: did you mean “${p.nearest}”?` : '.'} An answer may set Location, ETag, Cache-Control, Content-Disposition, Content-Language, Link, Last-Modified and Vary.`,
    why: 'HTTP or the service sets the other headers.',
    write: (p) => p.nearest || null,
  },
  headerValue: {
    severity: 'error',
    what: (p) => `“${p.found}” is not a value of ${p.name}. ${p.name} takes ${p.form}.`,
    why: 'Clients and caches ignore a value that they cannot read (RFC 9110, section 5.5).',
  },
} satisfies Record<string, Entry>;
