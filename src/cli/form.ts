import { PARTS, type PartName } from '../model/parts.ts';

/** What a part of the form says: prose that tells what belongs there, then the sentences that leave it open. */
interface Guide {
  readonly prose: readonly string[];
  readonly open: readonly string[];
}

const GUIDES: Readonly<Record<PartName, Guide>> = {
  purpose: {
    prose: [
      'Say in a bullet what the service is for, and in another which field of business or life it belongs to. A third says who decides at which address it answers. The bullets are `- Purpose: …`, `- Domain: …` and `- Address: given by the operator`.',
    ],
    open: ['Purpose and domain: not shown.'],
  },
  resources: {
    prose: [
      'Give every kind of thing the service keeps a heading of the third level and a table with a row for each field: its type, its format, the values it may take, who gives it, whether it is always there, and whether it is unique. The heading is like `### Order`, and the columns are `Field`, `Type`, `Format`, `Allowed values`, `Given by`, `Presence` and `Unique`.',
      'Under the table, say what answers show of it and who may see it. How text, timestamps, nulls and fields that nobody knows are treated is said once, in bullets above the first heading. The bullets under a table are `- Shown: …` and `- Visible: …`; rules over rows stand there too, such as `- Unique: …` and `- Keeps: …`. What a blank cell means is said above, in `- Blank cells: …`.',
    ],
    open: ['Resources and fields: not shown.', 'Types, formats and allowed values: not shown.'],
  },
  states: {
    prose: [
      'Where a field follows a life cycle, name it in a heading such as Order.status and say where it starts and where it ends. A table lists each transition: from which states, to which, when, and what a refusal says. A service without any says so in one bullet. The heading is like `### Order.status`, its bullets are `- Initial: …` and `- Final: …`, and the columns are `Transition`, `From`, `To`, `When` and `Otherwise`. The bullet of none is `- States: none`.',
    ],
    open: ['States and transitions: not shown.'],
  },
  endpoints: {
    prose: [
      'Head each endpoint with its method and path in inline code. Say what a caller may send and which access it takes, then list the steps from the first lookup to the answer, as a numbered list. The heading is like ``### `POST /orders` ``, its bullets are `- Access: …`, `- Request: …` and others that `check` asks for. Each step is a verb with what it takes, and a full stop: Find, List, Require, Create, Change, Move, Remove, and last of all Answer.',
      'What holds for all endpoints is said once, in bullets above the first of them. There also stands the table of what paths and queries take, with the columns `Parameter`, `In`, `Type`, `Allowed values`, `Presence` and `Otherwise`.',
    ],
    open: ['Methods and path shapes: not shown.', 'Request payloads and response payloads: not shown.'],
  },
  authentication: {
    prose: [
      'Say how a caller proves who it is: the scheme, the header that carries the proof, who hands out credentials and for whom, and what each scope opens. A service open to everybody says that its scheme is none. Each scheme has a heading of its own, which names it, such as `### API key`, with the bullets `- Scheme: …`, `- Header: …`, `- Credentials: …` and `- Caller: …`, and a table of the columns `Scope` and `Lets the caller`, or `- Scopes: none`. The bullet of none is `- Scheme: none`.',
    ],
    open: ['Scheme, credentials, headers and scopes: not shown.'],
  },
  events: {
    prose: [
      'List what the service tells others about: the name of each event, when it happens, what it carries, and how it is sent. Webhooks also need their receivers, signature, attempts and order. A service that tells nobody anything says so in one bullet. The columns are `Event`, `When`, `Payload` and `Notified by`; how webhooks are sent stands in bullets under `### Webhook`. The bullet of none is `- Events: none`.',
    ],
    open: ['Events, webhooks and notification kinds: not shown.'],
  },
  errors: {
    prose: [
      'Choose the form of every error, then list the codes: the status each is answered with, when it arises, and a title for people to read. Conditions that every service knows can be taken from a published list by its name. The bullets are `- Payload: …` and `- Conditions: …`, and the columns are `Code`, `Status`, `When` and `Title`.',
    ],
    open: ['Error codes, status codes and error payload shape: not shown.'],
  },
  limits: {
    prose: [
      'State how often a caller may ask, how large a request and how long a wait may be, and how many rows a page holds: by default, and at most. Say of each limit where it applies and what happens beyond it. The columns are `Limit`, `Value` and `Applies to`; how pages are asked for is said in `- Pages: …`.',
    ],
    open: ['Rate limits, size limits and time-outs: not shown.', 'Pagination bounds and defaults: not shown.'],
  },
  versioning: {
    prose: [
      'Say how a request names the version it wants, which version is current, what a request without one gets, and how long an old version goes on answering. A service with a single version for ever says that its scheme is none. The bullet of none is `- Scheme: none`; others are `- Current version: …` and `- Deprecation policy: …`.',
    ],
    open: ['Scheme, current version and deprecation policy: not shown.'],
  },
};

const OPENING = [
  '# The name of the service',
  'Describe the service here in a sentence or two, for whoever reads this page first. Paragraphs like this one are for readers only. What the service does is stated by headings, tables, bullets and numbered steps, and by sentences that say of an item that there is none or that it is not known yet.',
];

/** The empty form: the nine parts under their headings, each item of them not shown. */
export function emptyForm(): string {
  const parts = PARTS.flatMap(([part, heading]) => [
    `## ${heading}`,
    ...GUIDES[part].prose,
    GUIDES[part].open.join(' '),
  ]);
  return `${[...OPENING, ...parts].join('\n\n')}\n`;
}
