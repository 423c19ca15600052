import {
  ALL,
  type Asked,
  about,
  type Chunk,
  chunks,
  documentOf,
  FIND,
  IDS,
  PATH,
  type Parts,
  type Place,
  post,
  THINGS,
  thing,
} from './document.ts';
import { ROWS } from './probes.ts';

const MARK = '\n| mark | boolean | | any | steps | optional | |';
const REQUEST = `- Request: Thing with ${ALL}`;
const MARKED = '`Thing.filter(t, t.mark != null && t.mark).map(t, t.id)`';

type Own = Partial<Parts> & { readonly more?: string; readonly shown?: string; readonly lead?: string };
/** What is asked of the endpoint of one chunk: its own request, and what comes of it. */
type Asking = (path: string, ids: readonly string[], i: number) => readonly Asked[];

/** An endpoint for some functions at a time: in its steps, conditions about what is called so. */
function stepped(
  name: string,
  row: string,
  endpoint: (chunk: Chunk, path: string) => string,
  asking: Asking,
  own: Own,
): Place {
  const parts = chunks((probe) => about(row, probe), 3200);
  const path = (i: number): string => `/p${i}`;
  const { more = MARK, shown = 'id, mark', lead, ...rest } = own;
  return {
    name,
    document: documentOf({
      resources: thing('Thing', '- Visible: everyone', more, shown),
      ...rest,
      endpoints: [post(), ...(lead ? [lead] : []), ...parts.map((chunk, i) => endpoint(chunk, path(i)))].join('\n\n'),
    }),
    asked: parts.flatMap(({ ids }, i) => asking(path(i), ids, i)),
    created: THINGS,
  };
}

/** A request with each row for a body, and what is answered: of rows at the ends of what is allowed, anything that is no failure. */
const sending =
  (first: Partial<Asked>, second: Partial<Asked>, others: Partial<Asked> = second): Asking =>
  (path, functions, chunk) =>
    ROWS.map((row, i) => ({
      functions,
      method: 'POST',
      path,
      // Another row for each chunk: they are created one beside the other.
      body: { ...row, id: 5 + chunk * ROWS.length + i },
      status: 200,
      gives: null,
      ...(i === 0 ? first : i === 1 ? second : others),
    }));

/** A request about each row. */
const asking =
  (method: string, first: Partial<Asked>, second: Partial<Asked>, others: Partial<Asked> = second): Asking =>
  (path, functions) =>
    ROWS.map((row, i) => ({
      functions,
      method,
      path: `${path}/${row.id}`,
      status: 200,
      gives: null,
      ...(i === 0 ? first : i === 1 ? second : others),
    }));

const once =
  (method: string, gives: string | null, status = 200): Asking =>
  (path, functions) => [{ functions, method, path, status, gives }];

const isMarked = (mark: boolean): Partial<Asked> => ({ gives: `{"is":${mark}}` });
const MADE = '1. Create `made`: Thing from `request`';
const TOLD = 'Answer 200 with is: `made.mark`.';

/** Values that steps give. */
const given: readonly Place[] = [
  stepped(
    'a value of a Create',
    'request.',
    ({ text }, path) => `### \`POST ${path}\`\n\n${REQUEST}\n\n${MADE} with mark \`${text}\`.\n2. ${TOLD}`,
    sending(isMarked(true), isMarked(false)),
    {},
  ),
  stepped(
    'a value of an Ensure',
    'request.',
    ({ text }, path) =>
      `### \`POST ${path}\`\n\n${REQUEST}\n\n${MADE}.\n2. Ensure \`note\`: Note with number \`request.id\`, mark \`${text}\`.\n3. Answer 200 with is: \`note.mark\`.`,
    sending(isMarked(true), isMarked(false)),
    {
      more: '',
      shown: 'id',
      resources: `${thing()}\n\n### Note\n\n| Field | Type | Format | Allowed values | Given by | Presence | Unique |\n| --- | --- | --- | --- | --- | --- | --- |\n| number | integer | | 1 to 99 | steps | | identity |\n| mark | boolean | | any | steps | | |\n\n- Visible: everyone\n- Shown: never`,
    },
  ),
  stepped(
    'a value of a Change',
    'thing.',
    ({ text }, path) =>
      `### \`POST ${path}/{id}\`\n\n${PATH}\n\n${FIND}\n2. Change \`thing\` with mark \`${text}\`.\n3. Answer 200 with is: \`thing.mark\`.`,
    asking('POST', isMarked(true), isMarked(false)),
    { finds: true },
  ),
  stepped(
    'a value for a handler',
    'request.',
    ({ text }, path) =>
      `### \`POST ${path}\`\n\n${REQUEST}\n\n${MADE}.\n2. Run echo with said \`${text}\`, giving \`given\`.\n3. Answer 200 with is: \`given.heard\`.`,
    sending(isMarked(true), isMarked(false)),
    {
      more: '',
      shown: 'id',
      lead: '### Handler echo\n\n- Kind: pure\n- File: `echo.ts`\n- Fails with: none\n- Within: 2 minutes\n\n| Takes | Type | Allowed values | Presence |\n| --- | --- | --- | --- |\n| said | boolean | any | always |\n\n| Gives | Type | Allowed values | Presence |\n| --- | --- | --- | --- |\n| heard | boolean | any | always |',
    },
  ),
];

/** Conditions and lists of steps that have steps below them. */
const nested: readonly Place[] = [
  stepped(
    'an If',
    'request.',
    ({ text }, path) =>
      `### \`POST ${path}\`\n\n${REQUEST}\n\n${MADE}.\n2. If \`${text}\`:\n   1. Change \`made\` with mark \`true\`.\n2. Otherwise:\n   1. Change \`made\` with mark \`false\`.\n3. ${TOLD}`,
    sending(isMarked(true), isMarked(false)),
    {},
  ),
  stepped(
    'a list of a For each',
    'request.',
    ({ text }, path) =>
      `### \`POST ${path}\`\n\n${REQUEST}\n\n${MADE} with mark \`false\`.\n2. For each \`n\` in \`[true].filter(n, ${text})\`:\n   1. Change \`made\` with mark \`n\`.\n3. ${TOLD}`,
    sending(isMarked(true), isMarked(false)),
    {},
  ),
  stepped(
    'a condition of a For each',
    '',
    ({ text }, path) =>
      `### \`POST ${path}\`\n\n1. For each \`other\`: Thing where \`${text}\`, earliest \`id\` first:\n   1. Change \`other\` with mark \`true\`.\n2. Answer 200 with ids: ${MARKED}.`,
    once('POST', '{"ids":[1]}'),
    {},
  ),
];

/** Rows that steps find. */
const finding: readonly Place[] = [
  stepped(
    'a condition of a Find',
    '',
    ({ text }, path) =>
      `### \`GET ${path}\`\n\n1. Find \`thing\`: Thing where \`${text}\`, latest \`id\` first, else not_found.\n2. Answer 200 with id: \`thing.id\`.`,
    once('GET', '{"id":1}'),
    { more: '', shown: 'id', finds: true },
  ),
  stepped(
    'an order of a Find',
    '',
    ({ text }, path) =>
      `### \`GET ${path}\`\n\n1. Find \`thing\`: Thing where \`id < 3\`, latest \`${text}\` first, else not_found.\n2. Answer 200 with id: \`thing.id\`.`,
    once('GET', '{"id":1}'),
    { more: '', shown: 'id', finds: true },
  ),
  stepped(
    'a direction that a request chooses',
    'request.',
    ({ text }, path) =>
      `### \`POST ${path}\`\n\n${REQUEST}\n\n${MADE}.\n2. List \`things\`: Thing where \`id < 3\`, sorted by \`id\` \`${text} ? "desc" : "asc"\`, all.\n3. ${IDS}`,
    sending({ gives: '{"ids":[2,1]}' }, { gives: '{"ids":[1,2]}' }),
    { more: '', shown: 'id', lists: true },
  ),
  stepped(
    'an order that a request chooses',
    'request.',
    ({ text }, path) =>
      `### \`POST ${path}\`\n\n${REQUEST}\n- Sort: up by \`id\`, down by \`-id\`\n\n${MADE}.\n2. List \`things\`: Thing where \`id < 3\`, sorted by \`${text} ? "down" : "up"\` \`"asc"\`, all.\n3. ${IDS}`,
    sending({ gives: '{"ids":[2,1]}' }, { gives: '{"ids":[1,2]}' }),
    { more: '', shown: 'id', lists: true },
  ),
  stepped(
    'a key of an order that a request chooses',
    '',
    ({ text }, path) =>
      `### \`GET ${path}\`\n\n- Sort: id by \`id\`, is by \`${text}\`\n\n| Parameter | In | Type | Allowed values | Presence |\n| --- | --- | --- | --- | --- |\n| sort | query | string | one of id, is | always |\n\n1. List \`things\`: Thing where \`id < 3\`, sorted by \`query.sort\` \`"desc"\`, all.\n2. ${IDS}`,
    (path, functions) => [
      { functions, method: 'GET', path: `${path}?sort=is`, status: 200, gives: '{"ids":[1,2]}' },
      { functions, method: 'GET', path: `${path}?sort=id`, status: 200, gives: '{"ids":[2,1]}' },
    ],
    { more: '', shown: 'id', lists: true },
  ),
];

/** What steps are told by text: where a row moves to, and what an entity tag has to be. */
const told: readonly Place[] = [
  stepped(
    'a Move to a state',
    'thing.',
    ({ text }, path) =>
      `### \`POST ${path}/{id}\`\n\n${PATH}\n\n${FIND}\n2. Move \`thing\` to \`${text} ? "up" : "down"\`.\n3. Answer 200 with state: \`thing.state\`.`,
    asking('POST', { gives: '{"state":"up"}' }, { gives: '{"state":"down"}' }),
    {
      finds: true,
      more: '\n| state | string | | one of up, down | transitions | | |',
      shown: 'id',
      codes: ['| no | 409 | a step says so | It is not so |'],
      states:
        '### Thing.state\n\n- Initial: up\n- Final: none\n\n| Transition | From | To | When | Otherwise |\n| --- | --- | --- | --- | --- |\n| rise | up, down | up | always | no |\n| fall | up, down | down | always | no |',
    },
  ),
  stepped(
    'a header of an answer',
    'thing.',
    ({ text }, path) =>
      `### \`GET ${path}/{id}\`\n\n${PATH}\n\n${FIND}\n2. Answer 200 with \`thing\` and header Content-Language \`${text} ? "en" : "de"\`.`,
    asking('GET', { header: ['Content-Language', 'en'] }, { header: ['Content-Language', 'de'] }),
    { finds: true, more: '', shown: 'id' },
  ),
  stepped(
    'text of an answer',
    'thing.',
    ({ text }, path) =>
      `### \`GET ${path}/{id}\`\n\n${PATH}\n\n${FIND}\n2. Answer 200 with \`${text} ? "yes" : "no"\` as text/plain.`,
    asking('GET', { gives: 'yes' }, { gives: 'no' }),
    { finds: true, more: '', shown: 'id' },
  ),
];

/** What steps say, beside what they select. */
export const STEPS: readonly Place[] = [...given, ...nested, ...finding, ...told];
