import { bullet, type Entry, row } from '../../../syntax/diagnostic.ts';

/** Findings about bodies and answers that are the bytes of a field. */
export const BYTES = {
  bytesAmong: {
    severity: 'error',
    what: (p) =>
      `${p.field} holds bytes, which are no member of JSON or of a form of pairs. Write “bytes of ${p.field}”: the body is then the bytes alone, and other values are parameters of the query or the header. Or state “Payloads: JSON (RFC 8259), requests as multipart form (RFC 7578)”, so that the bytes are a part beside others.`,
    why: 'JSON has no bytes, and bytes as text take a third more room and all of it in memory.',
    write: (p) => bullet('Request', `bytes of ${p.field}`),
  },
  bytesOfNone: {
    severity: 'error',
    what: (p) => `${p.field} does not hold bytes. “bytes of” takes a field of the type bytes.`,
    why: 'The body is stored as it is, with its media type, its length and its digest.',
  },
  bytesBeyond: {
    severity: 'error',
    what: (p) =>
      `${p.endpoint} takes at most ${p.most} in a request, and ${p.field} may have ${p.size}. State a Request size of ${p.size} for ${p.endpoint}, or allow fewer bytes.`,
    why: 'No request could ever send as many bytes as the field allows.',
    write: (p) => row('Request size', p.size ?? '', `\`${p.endpoint}\``),
  },
  bytesQuery: {
    severity: 'error',
    what: (p) => `${p.endpoint} cannot take bytes: the body of a QUERY is the query. Use POST, PUT or PATCH.`,
    why: 'A QUERY changes nothing (RFC 10008).',
  },
  bytesBeside: {
    severity: 'error',
    what: (p) =>
      `The body of ${p.endpoint} is the bytes of ${p.field} alone, so that “${p.name}” cannot be in it. Put the parameter into the query or the header.`,
    why: 'Bytes beside other values are a part of a form: “Payloads: JSON (RFC 8259), requests as multipart form (RFC 7578)”.',
    write: () => 'query',
  },
  bytesValidated: {
    severity: 'error',
    what: (p) =>
      `The bytes of ${p.endpoint} are received before its first step. Remove this step: their type and length are checked before.`,
    why: 'A transaction does not wait for the bytes of a client.',
  },
  bytesEnsured: {
    severity: 'error',
    what: (p) =>
      `Ensure cannot store the bytes of ${p.field}, since it may find a row. Write Find, and Create or Change.`,
    why: 'Bytes that were sent would be dropped unseen.',
  },
  partsBeyond: {
    severity: 'error',
    what: (p) =>
      `${p.endpoint} takes at most ${p.most} in a request, and its form needs ${p.least}: the files may have their greatest size, and 16 KiB are for the other parts and the heads of all. State a Request size of at least ${p.least} for ${p.endpoint}, or allow fewer bytes.`,
    why: 'What is left of the Request size is the limit of all that is no file.',
    write: (p) => row('Request size', p.least ?? '', `\`${p.endpoint}\``),
  },
  partsRenamed: {
    severity: 'error',
    what: (p) =>
      `A version names ${p.field} in another way or lacks it, and the part of ${p.endpoint} has the name of the field of bytes. Take the other name back, or take the bytes of ${p.endpoint} as “bytes of”.`,
    why: 'A part has one name in all versions.',
  },
  partsValidated: {
    severity: 'error',
    what: (p) =>
      `The parts of ${p.endpoint} are received and checked before its first step. Remove this step, or take JSON or a form of pairs.`,
    why: 'A transaction does not wait for the parts of a client.',
  },
  bytesTimeout: {
    severity: 'question',
    what: (p) =>
      `How long may a client take to send ${p.field} to ${p.endpoint}? A slower client is refused after this time.`,
    why: 'Bytes that no row refers to are removed once nobody can send the rest of them.',
    write: (p) => row('Time-out', '10 minutes', `\`${p.endpoint}\``),
  },
  bytesTwice: {
    severity: 'error',
    what: (p) =>
      `More than one step of ${p.endpoint} may store the bytes of ${p.field}. One step of each way through the steps stores them.`,
    why: 'The bytes belong to one row, and are removed with it.',
  },
  bytesUnstored: {
    severity: 'error',
    what: (p) =>
      `No step of ${p.endpoint} stores the bytes of ${p.field}. A Create or a Change “from \`request\`” stores them.`,
    why: 'Bytes that no row refers to are removed.',
  },
  bytesAssigned: {
    severity: 'error',
    what: (p) =>
      `${p.field} says something about the bytes in ${p.of}, and has its value from them. Remove it from “with”.`,
    why: 'The service measures the bytes as they arrive.',
  },
  bytesOfSteps: {
    severity: 'error',
    what: (p) =>
      `${p.field} holds bytes, which a step cannot give. A Change may remove them, with \`null\`; a request sends others.`,
    why: 'No expression computes bytes.',
    write: () => '`null`',
  },
  bytesAlways: {
    severity: 'error',
    what: (p) =>
      `${p.field} is always present, so that its bytes cannot be removed alone. State its presence as “optional”.`,
    why: 'A row without the value would not be allowed.',
    write: () => 'optional',
  },
  fileOf: {
    severity: 'error',
    what: (p) =>
      `“${p.found}” is no field of bytes of a row that a step has named. Write the name of the row and the field, such as \`attachment.content\`.`,
    why: 'An answer as a file sends the bytes of one field.',
  },
  fileNull: {
    severity: 'error',
    what: (p) =>
      `\`${p.found}\` may be absent. Test for it before, as in “Require \`${p.found}.size != null\`, else no_content”.`,
    why: 'An answer as a file has bytes.',
  },
  fileStatus: {
    severity: 'error',
    what: (p) => `${p.status} is not the status of a file. A file has the status 200.`,
    why: 'The answer holds the bytes of the field, or a range of them with 206.',
    write: () => '200',
  },
  fileMethod: {
    severity: 'error',
    what: (p) => `${p.endpoint} cannot answer with a file. Only a GET does.`,
    why: 'The bytes are sent after the steps, and a client that loses its connection asks for the rest again.',
  },
  fileTimeout: {
    severity: 'question',
    what: (p) =>
      `How long may ${p.endpoint} take to send its file? A client that stops reading is disconnected after this time.`,
    why: 'Bytes of a removed row are kept for as long as they may still be sent.',
    write: (p) => row('Time-out', '10 minutes', `\`${p.endpoint}\``),
  },
  fileDisposition: {
    severity: 'question',
    what: () => 'Does a browser save this file (“attachment”), or show it in its window (“inline”)?',
    why: 'RFC 6266 leaves this to the header Content-Disposition.',
    write: () => ', attachment',
  },
  fileName: {
    severity: 'question',
    what: () => 'Under which name does a client save this file? “named” and an expression, or “without a name”.',
    why: 'Without a name, a browser takes the last part of the address.',
    write: () => 'without a name',
  },
  fileRanges: {
    severity: 'question',
    what: () =>
      'A client asks for a part of this file (Range, RFC 9110, section 14). Does it receive the part, or the whole file?',
    why: 'Players and interrupted downloads ask for ranges.',
    write: () => ', ranges served',
  },
  fileInline: {
    severity: 'error',
    what: (p) =>
      `${p.field} may hold ${p.found}, which a browser does not show inline here. Inline are ${p.all}. Write “attachment”, or allow only such types.`,
    why: 'A file that a caller has sent could run as a page of this service.',
    write: () => 'attachment',
  },
  fileHeader: {
    severity: 'error',
    what: (p) => `The answer as a file sets ${p.name} itself. Remove the header.`,
    why: 'A header stands once.',
  },
} satisfies Record<string, Entry>;
