import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Command, Option } from 'commander';
import { PARTS, type PartName } from '../plan/parts.ts';
import { whyOf } from '../store/paths.ts';
import { oneLine } from '../text/visible.ts';
import { EXAMPLES, exampleLines, exampleText } from './examples.ts';
import { formsOfPart } from './forms.ts';
import { EXIT, type Io } from './io.ts';

const AFTER = `
The form has a heading for each of the nine parts, and lists the bullets and
columns that each part may have. Each item is “not shown”.
Replace these sentences with statements; \`ninefold check\` lists the missing ones.

With --example, the file is a whole document, which is served as it is:
${exampleLines().join('\n')}

Examples:
  $ ninefold init
  $ ninefold init --example notes
  $ ninefold init orders.md
  $ ninefold init - | less`;

/** The command as the reader has typed it: npm states how it runs a program. */
const COMMAND = process.env.npm_command === 'exec' ? 'npx ninefold' : 'ninefold';

/** Adds `init [FILE]`. */
export function register(program: Command, io: Io): void {
  program
    .command('init')
    .description('Writes the empty form of a document, the nine parts without statements, or a whole example.')
    .argument('[FILE]', 'the file to write, or - for standard output', 'service.md')
    .addOption(new Option('--example <NAME>', 'write this document').choices(EXAMPLES.map(({ name }) => name)))
    .option('--force', 'overwrite a file that exists')
    .addHelpText('after', AFTER)
    .action((file: string, options: InitOptions) => init(file, options, io));
}

interface InitOptions {
  readonly example?: string;
  readonly force?: boolean;
}

/** Writes the form, and says what to do next. A file that exists, or that can't be written, is wrong use. */
function init(file: string, { example: name, force }: InitOptions, io: Io): void {
  io.exit(EXIT.settled);
  const example = EXAMPLES.find((one) => one.name === name);
  const text = example ? exampleText(example) : emptyForm();
  if (file === '-') {
    io.out(text);
    return;
  }
  try {
    // “wx” refuses in the same call that creates, so that no file can appear in between and be lost.
    writeFileSync(file, text, { flag: force ? 'w' : 'wx' });
  } catch (error) {
    io.err(`error: ${oneLine(unwritable(file, error as NodeJS.ErrnoException))}\n`);
    io.exit(EXIT.wrongUse);
    return;
  }
  io.out(
    example
      ? `Wrote ${file}: ${example.idea}.\nNext, serve it:\n  ${COMMAND} serve ${quoted(file)}${addressOf(text)}\n`
      : `Wrote ${file}: nine parts, without statements.\nNext, list what to state:\n  ${COMMAND} check ${quoted(file)}\n`,
  );
}

/** The option for the public address, which `serve` needs for a document that uses it. */
const addressOf = (text: string): string => (text.includes('service.url') ? ' --url http://localhost:3000' : '');

function unwritable(file: string, error: NodeJS.ErrnoException): string {
  if (error.code === 'EEXIST')
    return `“${file}” exists already and has not been changed. Name another file, or overwrite this one with --force.`;
  if (error.code === 'EISDIR') return `“${file}” is a directory. Name a file in it, such as ${file}/service.md.`;
  if (error.code === 'ENOENT') return `“${file}” cannot be written: there is no directory “${dirname(file)}”.`;
  return `“${file}” cannot be written: ${whyOf(error) ?? error.message}.`;
}

/** A file's name as a shell takes it. */
function quoted(file: string): string {
  if (/^[\w./-]+$/.test(file) && !file.startsWith('-')) return file;
  return `'${(file.startsWith('-') ? `./${file}` : file).replaceAll("'", "'\\''")}'`;
}

/** The text of a part of the form: prose that explains the part, then the sentences that leave its items open. */
interface Guide {
  readonly prose: readonly string[];
  readonly open: readonly string[];
}

const GUIDES: Readonly<Record<PartName, Guide>> = {
  purpose: {
    prose: [
      'This part has three bullets: `- Purpose: …` says what the service is for, `- Domain: …` names its field of work, and `- Address: given by the operator` says who decides at which address clients reach it.',
    ],
    open: ['Purpose and domain: not shown.'],
  },
  resources: {
    prose: [
      'Each kind of row that the service stores is a resource. A resource has a heading such as `### Order`, and a table of its fields with the columns `Field`, `Type`, `Format`, `Allowed values`, `Given by`, `Presence` and `Unique`. Below the table, `- Shown: …` lists the fields that answers show, and `- Visible: …` says which callers may see a row. Rules on rows have bullets too, such as `- Unique: …`, `- Holds: …` and `- Keeps: …`.',
      'Bullets above the first resource apply to all of them: how timestamps are written, what happens with text, null and unknown fields, and what a blank cell means (`- Blank cells: Format none`).',
    ],
    open: ['Resources and fields: not shown.', 'Types, formats and allowed values: not shown.'],
  },
  states: {
    prose: [
      'A field with states has a heading such as `### Order.status`, the bullets `- Initial: …` and `- Final: …`, and a table of its transitions with the columns `Transition`, `From`, `To`, `When` and `Otherwise`. A service without states says `- States: none`.',
    ],
    open: ['States and transitions: not shown.'],
  },
  endpoints: {
    prose: [
      'Each endpoint has a heading with its method and path in inline code, such as ``### `POST /orders` ``, then bullets such as `- Access: …` and `- Request: …`, then its steps as a numbered list. Each step is a verb with what it takes, and ends with a full stop. The verbs are Find, List, Require, Create, Change, Move, Remove and others; the last step is an Answer.',
      'Bullets above the first endpoint apply to all endpoints. Parameters of paths and queries have a table with the columns `Parameter`, `In`, `Type`, `Allowed values`, `Presence` and `Otherwise`, above the first endpoint or under one endpoint.',
    ],
    open: ['Methods and path shapes: not shown.', 'Request payloads and response payloads: not shown.'],
  },
  authentication: {
    prose: [
      'Each way in which callers prove who they are is a scheme. A scheme has a heading with a name, such as `### API key`, the bullets `- Scheme: …`, `- Header: …`, `- Credentials: …` and `- Caller: …`, and a table of its scopes with the columns `Scope` and `Lets the caller`, or `- Scopes: none`. A service that is open to everybody says `- Scheme: none`.',
    ],
    open: ['Scheme, credentials, headers and scopes: not shown.'],
  },
  events: {
    prose: [
      'Events tell other systems about changes. They have a table with the columns `Event`, `When`, `Payload` and `Notified by`. Bullets under `### Webhook` say how webhooks are sent, signed and repeated. A service without events says `- Events: none`.',
    ],
    open: ['Events, webhooks and notification kinds: not shown.'],
  },
  errors: {
    prose: [
      'The bullet `- Payload: …` says which form the body of an error has, and `- Conditions: …` adopts a published list of errors that every service needs. The errors of this service have a table with the columns `Code`, `Status`, `When` and `Title`. Every code that a document names after `else` has a row there: its `When` is `a step says so` where a step, a parameter or a transition names the code, and `a rule says so` where a rule of a resource does.',
    ],
    open: ['Error codes, status codes and error payload shape: not shown.'],
  },
  limits: {
    prose: [
      'Rates, sizes of requests, time-outs and sizes of pages have a table with the columns `Limit`, `Value` and `Applies to`. The bullet `- Pages: …` says how clients ask for the next page of a list.',
    ],
    open: ['Rate limits, size limits and time-outs: not shown.', 'Pagination bounds and defaults: not shown.'],
  },
  versioning: {
    prose: [
      'The bullet `- Scheme: …` says how a request names its version, `- Current version: …` names the version that this document describes, and `- Deprecation policy: …` says for how long an older version answers. A service without versions says `- Scheme: none`.',
    ],
    open: ['Scheme, current version and deprecation policy: not shown.'],
  },
};

const OPENING = [
  '# The name of the service',
  'Describe the service here in a sentence or two. Paragraphs like this one are for readers, and have no effect. Headings, tables, bullets and numbered steps state what the service does. A sentence that ends in “not shown” leaves an item open; replace it with statements.',
  'The comments list the forms of the statements of each part. A `·` stands between alternatives, and the names in them are examples. Comments have no effect: remove them as you like.',
];

/** The empty form: nine parts with headings, whose items are all “not shown”. */
export function emptyForm(): string {
  const parts = PARTS.flatMap(([part, heading]) => [
    `## ${heading}`,
    ...GUIDES[part].prose,
    `<!--\n${formsOfPart(part).join('\n')}\n-->`,
    GUIDES[part].open.join(' '),
  ]);
  return `${[...OPENING, ...parts].join('\n\n')}\n`;
}
