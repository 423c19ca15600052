import { PURPOSE_BULLETS, purposeValues } from '../../language/purpose.ts';
import { questionsOf } from '../../language/statement.ts';
import { type Finding, graded } from '../../syntax/diagnostic.ts';

/** The question of each item, as somebody who plans a service would ask it, by the names of the item and its part. */
export const ITEM_QUESTIONS: Readonly<Record<string, string>> = {
  'Purpose (What the service does)': 'What is the service for?',
  'Domain (What the service does)': 'Which field of work does the service belong to?',
  'Resources (Resources and their fields)': 'Which kinds of rows does the service store?',
  'Fields (Resources and their fields)': 'Which fields does each resource have?',
  'Types (Resources and their fields)': 'Which type does each field have?',
  'Formats (Resources and their fields)': 'Which strings have a format, such as a UUID or an e-mail address?',
  'Allowed values (Resources and their fields)': 'Which values may each field have?',
  'States (States and transitions)': 'Do rows have states, such as draft and placed?',
  'Transitions (States and transitions)': 'Which transitions lead from one state to another?',
  'Methods (Endpoints)': 'Which methods (GET, POST, …) does the service answer?',
  'Path shapes (Endpoints)': 'Which paths does the service answer?',
  'Request payloads (Endpoints)': 'Which fields may the body of a request have?',
  'Response payloads (Endpoints)': 'What does a client receive after a success?',
  'Scheme (Authentication)': 'How does a caller authenticate: with an API key, a JWT, OAuth 2, or not at all?',
  'Credentials (Authentication)': 'Who issues and revokes credentials?',
  'Headers (Authentication)': 'In which header does a request carry its credentials?',
  'Scopes (Authentication)': 'Which scopes can credentials have?',
  'Events (Events)': 'Which changes of rows does the service notify others of?',
  'Webhooks (Events)': 'How are webhooks sent, signed and repeated?',
  'Notification kinds (Events)': 'Is an event sent by webhook, by stream, or both?',
  'Error codes (Errors)': 'Which codes can a client receive when the service refuses a request?',
  'Status codes (Errors)': 'Which status does each error have?',
  'Error payload shape (Errors)': 'Which form does the body of an error have?',
  'Rate limits (Limits)': 'How many requests may a caller or an address send in a minute?',
  'Size limits (Limits)': 'How large may the body of a request be?',
  'Time-outs (Limits)': 'After which time does the service give up a request?',
  'Pagination bounds (Limits)': 'How many rows may one page of a list hold?',
  'Defaults (Limits)': 'How many rows does a page hold when the request names no size?',
  'Scheme (Versioning)': 'Where does a request name its version: a header, the path, the media type, or nowhere?',
  'Current version (Versioning)': 'Which version does the document describe?',
  'Deprecation policy (Versioning)': 'For how long does a deprecated version answer?',
};

/** Whether a question asks for one of the 31 items. Its place is the sentence that leaves the item open, or the part. */
export const isOfItem = ({ params }: Finding): boolean => params.question !== undefined;

/** Texts of another kind are not read at all. */
const STANDINGS = { unread: ['openapi', 'notMarkdown', 'otherHeadings'] } as const;

export const itemDiagnostics = graded('document', STANDINGS, {
  openapi: {
    severity: 'error',
    what: (p) =>
      `This is a description in ${p.what}. \`ninefold import openapi FILE\` makes a document of it, with questions about what it leaves unsaid.`,
    why: 'A document of Ninefold is Markdown in nine parts.',
  },
  notMarkdown: {
    severity: 'error',
    what: (p) =>
      `This is ${p.what}, and a document is Markdown in nine parts. \`ninefold init\` writes one to begin with.`,
    why: 'Statements are headings, tables, bullets and steps of Markdown.',
  },
  otherHeadings: {
    severity: 'error',
    what: (p) =>
      `None of the headings of this Markdown is one of the nine parts${p.kind ? `: it is ${p.kind}` : ''}. \`ninefold init\` writes a document with all of them, and what is said here can be stated there.`,
    why: 'Each statement has its place in one of the nine parts, under a heading with the exact name.',
  },
  notShown: {
    severity: 'question',
    what: (p) => `${p.item}: not shown. ${p.question}`.trimEnd(),
    why: 'Ninefold has no defaults.',
    write: (p) => p.write ?? null,
  },
  contradicted: {
    severity: 'error',
    what: (p) =>
      `This sentence says that “${p.item}” is ${p.state}. Another statement of the document says the opposite.`,
    why: 'The two statements contradict each other. Remove one of them.',
  },
  noneStated: {
    severity: 'error',
    effects: ['empties a part'],
    what: (p) => `Another statement says that “${p.part}” is none, and this statement is one of that part.`,
    why: 'The two statements contradict each other. Remove one of them.',
  },
  ...purposeValues.entries,
  ...questionsOf(PURPOSE_BULLETS),
  needed: {
    severity: 'error',
    what: (p) => `${p.item} cannot be none: other statements of the document need it.`,
    why: 'Without it, those statements could not be enforced.',
    write: (p) => p.write ?? null,
  },
  title: {
    severity: 'question',
    what: () => 'What is the name of the service? The document has no title.',
    why: 'The title names the service.',
    write: () => '# The name of the service',
    puts: 'heading',
  },
});

/** How a document declares names of each kind, for messages about a document that declares no name of the kind. */
const DECLARED_BY: Readonly<Record<string, string>> = {
  resource: 'A resource is a heading such as `### Order` under “Resources and their fields”.',
  'type or resource': 'A resource is a heading such as `### Order` under “Resources and their fields”.',
  field: 'A field is a row of the table under its resource.',
  view: 'A view is a bullet such as `- Shown as Short: id` under its resource.',
  'field or view': 'A view is a bullet such as `- Shown as Short: id` under its resource.',
  state: 'The states are the allowed values of the field.',
  transition:
    'A transition is a row of the table under a heading such as `### Order.status` in “States and transitions”.',
  endpoint: 'An endpoint is a heading such as ``### `GET /orders` `` under “Endpoints”.',
  handler: 'A handler is a heading such as `### Handler quote` under “Endpoints”.',
  parameter: 'A parameter is a segment such as `{id}` of the path, or a row of the table under its endpoint.',
  'value to sort by': 'The bullet `Sort` of the endpoint names them.',
  scheme: 'A scheme is a heading such as `### API key` under “Authentication”.',
  scope: 'A scope is a row of the table `| Scope | Lets the caller |` under its scheme.',
  event: 'An event is a row of the table under “Events”, and “Notified by” says how it is sent.',
  'webhook event': 'An event is a row of the table under “Events”, with “webhook” under “Notified by”.',
  'error code': 'An error code is a row of the table under “Errors”.',
  payload:
    'Write “RFC 9457” or “none”, or declare the payload: a table under “Errors” with the columns “Payload Failure”, “Type” and “Value”.',
};

/** How a document declares a name of a kind, such as `transition of Order`; empty where no statement declares it. */
export const declaredBy = (kind: string): string => DECLARED_BY[kind.replace(/ of .*/, '')] ?? '';
