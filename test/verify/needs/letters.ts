import { withChange } from '../../subject.ts';
import { accounts, type Fault, lineOf, notes } from './fault.ts';

/** Notes that are found by their text, which is unique ignoring case, and notes that are ensured. */
const named = [
  [
    '| request            |          |          |',
    '| request; steps     |          | yes, ignoring case, else taken |',
  ],
  ['| No such note |', '| No such note |\n| taken | 409 | a rule says so | Taken |'],
  [
    '### `POST /notes`\n',
    [
      '| Parameter | In | Type | Allowed values | Presence | Otherwise |',
      '| --- | --- | --- | --- | --- | --- |',
      '| text | path | Note.text | any | always | note_not_found |',
      '',
      '### `GET /named/{text}`',
      '',
      '1. Find `note`: Note where `text == path.text`, ignoring case, else note_not_found.',
      '2. Answer 200 with `note`.',
      '',
      '### `PUT /named/{text}`',
      '',
      '1. Ensure `note`: Note with text `path.text`, ignoring case.',
      '2. Answer 200 with `note`.',
      '',
      '### `POST /notes`',
      '',
    ].join('\n'),
  ],
].reduce((text, [from = '', to = '']) => withChange(text, from, to), notes);

/** The same with another way to find and to ensure notes. */
const namedBy = (from: string, to: string): string => withChange(named, from, to);
const EXACT_FIND = namedBy('path.text`, ignoring case, else', 'path.text`, else');
const EXACT_ENSURE = namedBy('`path.text`, ignoring case.', '`path.text`.');

/** Notes of which only those that are open have a text of their own. */
const open = [
  ['| created | timestamp |', '| open | boolean | | any | on create `true`; steps | | |\n| created | timestamp |'],
  ['yes, ignoring case, else taken', ''],
  ['- Visible: everyone', '- Unique: text while `open == true`, else taken\n- Visible: everyone'],
  ['text == path.text`, ignoring case', 'text == path.text && open == true`'],
  ['with text `path.text`, ignoring case', 'with text `path.text` while `open == true`'],
  [
    '### `GET /notes`\n',
    '### `DELETE /named/{text}`\n\n1. Find `note`: Note where `text == path.text && open == true`, else note_not_found.\n2. Change `note` with open `false`.\n3. Answer 200 with `note`.\n\n### `GET /notes`\n',
  ],
].reduce((text, [from = '', to = '']) => withChange(text, from, to), named);

/** Accounts by an address that is unique ignoring case, and log-ins that ignore its case, too. */
const anyCase = [
  [
    '|          |                                      |\n| login ',
    '|          | yes, ignoring case, else email_taken |\n| login ',
  ],
  ['User where `login == request.email.lower()`', 'User where `email == request.email`, ignoring case'],
].reduce((text, [from = '', to = '']) => withChange(text, from, to), accounts);
const exactLogIn = withChange(anyCase, '`email == request.email`, ignoring case', '`email == request.email`');

/** The same, where a log-in sends any text as its address. */
const ofText = (text: string): string =>
  withChange(
    text,
    '| email     | body | User.email    | any            |',
    '| email     | body | string | 3 to 254 characters |',
  );

export const LETTERS: readonly Fault[] = [
  ['finds a note only by its own letters', named, EXACT_FIND, 'Find `note`: Note where `text =='],
  ['finds a note in any letters', EXACT_FIND, named, 'Find `note`: Note where `text =='],
  ['ensures a note only by its own letters', named, EXACT_ENSURE, 'Ensure `note`'],
  ['ensures a note in any letters', EXACT_ENSURE, named, 'Ensure `note`'],
  ['logs in only by the letters of the account', anyCase, exactLogIn, 'Authenticate `user`'],
  ['logs in by any letters', exactLogIn, anyCase, 'Authenticate `user`'],
  ['logs in only by the same letters of a text', ofText(anyCase), ofText(exactLogIn), 'Authenticate `user`'],
  [
    'ensures by notes that the rule does not count',
    open,
    withChange(
      withChange(open, 'Unique: text while `open == true`', 'Unique: text'),
      '`path.text` while `open == true`.',
      '`path.text`.',
    ),
    'Ensure `note`',
  ],
].map(
  ([name = '', stated = '', served = '', step = '']): Fault => ({
    name,
    stated,
    served,
    key: `step ${lineOf(stated, step)}`,
  }),
);
