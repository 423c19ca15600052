import type { Request } from '../../../src/verify/target/exchange.ts';
import { readCases } from '../../cases.ts';
import { documentText, withChange } from '../../subject.ts';
import { accounts, type Fault, instead, lineOf, withText } from './fault.ts';

const passwords =
  (change: (password: string) => string) =>
  (request: Request): Request =>
    withText(request, (text) =>
      text.replace(/"(password|current)":"([^"\\]*)"/g, (_, name, password) => `"${name}":"${change(password)}"`),
    );

const invitations = documentText('src/compiler/resources/cases/documents/invitations.md');
const ENTER = 'Authenticate `invitation`';

const secrets =
  (change: (secret: string) => string) =>
  (request: Request): Request =>
    withText(request, (text) => text.replace(/"secret":"([^"\\]*)"/g, (_, secret) => `"secret":"${change(secret)}"`));

export const SECRETS: readonly Fault[] = [
  {
    name: 'takes a secret with a character more',
    stated: invitations,
    key: `step ${lineOf(invitations, ENTER)}`,
    taken: secrets((one) => (one.length > 43 ? one.slice(0, 43) : one)),
  },
];

export const PASSWORDS: readonly Fault[] = [
  {
    name: 'takes a password in other letters',
    stated: accounts,
    key: `step ${lineOf(accounts, 'Authenticate `user`')}`,
    taken: passwords((one) => one.toLowerCase()),
  },
  {
    name: 'compares the first twelve characters of a password',
    stated: accounts,
    key: `step ${lineOf(accounts, 'Authenticate `user`')}`,
    taken: passwords((one) => (one.length > 12 ? one.slice(0, 12) : one)),
  },
  {
    name: 'does not compare the last character of a password',
    stated: accounts,
    key: `step ${lineOf(accounts, 'Authenticate `user`')}`,
    taken: passwords((one) => (one.length < 12 ? one : `${one.slice(0, -1)}z`)),
  },
  {
    name: 'takes credentials after any word',
    stated: accounts,
    key: 'scheme Session: header',
    taken: (request) => ({
      ...request,
      headers: request.headers.map(([name, value]) => [
        name,
        name.toLowerCase() === 'authorization' ? value.replace(/^\S+ +(?=\S)/, 'Bearer ') : value,
      ]),
    }),
  },
];

/** Accounts that are closed and stay, with their machines, and tokens of a type of their own. */
const closing = [
  [
    '| login    | string |          | 3 to 254 characters  | steps              |          | yes, else email_taken                |\n',
    '| login    | string |          | 3 to 254 characters  | steps              |          | yes, else email_taken                |\n| closed | timestamp | | | steps | optional | |\n',
  ],
  ['- Text: as sent', '- Text: as sent\n- Missing values in answers: left out'],
  [
    '### `PUT /me/password`\n',
    '### `DELETE /me`\n\n1. Find `me`: User where `id == caller.id`, else not_known.\n2. Change `me` with closed `now()`.\n3. Answer 204.\n\n### `PUT /me/password`\n',
  ],
  ['- Caller: User whose id is claim `sub`', '- Caller: User whose id is claim `sub` while `closed == null`'],
  ['- Caller: Machine', '- Caller: Machine while `owner.closed == null`'],
  ['- Clock skew: none', '- Clock skew: none\n- Type: `session+jwt`'],
].reduce((text, [from = '', to = '']) => withChange(text, from, to), accounts);

/** The orders, whose summary needs some scopes. */
const summary = (access: string): string =>
  withChange(
    documentText('examples/orders.md'),
    '### `GET /summary`\n\n- Access: orders:read\n',
    `### \`GET /summary\`\n\n- Access: ${access}\n`,
  );

export const CALLERS: readonly Fault[] = [
  instead('lets a closed account call', closing, ' while `closed == null`', '', 'scheme Session: while'),
  instead(
    'lets machines of a closed account call',
    closing,
    ' while `owner.closed == null`',
    '',
    'scheme Machine key: while',
  ),
  instead('issues tokens of another type', closing, '- Type: `session+jwt`', '- Type: `JWT`', 'scheme Session: type'),
  {
    name: 'asks for one of two scopes',
    stated: summary('orders:read and orders:write'),
    served: summary('orders:read or orders:write'),
    key: 'endpoint GET /summary: access',
  },
  {
    name: 'asks for two scopes where one is enough',
    stated: summary('orders:read or orders:write'),
    served: summary('orders:read and orders:write'),
    key: 'endpoint GET /summary: access',
  },
  {
    name: 'asks for one scope where another is enough, too',
    stated: summary('orders:read or orders:fulfil'),
    served: summary('orders:read'),
    key: 'endpoint GET /summary: access',
  },
];

/** Articles of tenants, which the claims of tokens tell apart. */
const tenants = readCases('src/compiler/authentication/cases/read-claims.md')[0]!.document;

const claim = (name: string, from: string, to: string, of: string): Fault =>
  instead(name, tenants, from, to, `scheme Author key: claim ${of}`);

export const CLAIMS: readonly Fault[] = [
  claim('takes a claim of 11 characters', '| 1 to 10 characters  ', '| 1 to 11 characters  ', 'house'),
  claim('takes a value of a claim that is not listed', 'one of free, pro ', '1 to 40 characters ', 'plan'),
  claim(
    'takes an item of a claim of 9 characters',
    'each 1 to 8 characters | always',
    'each 1 to 9 characters | always',
    'rights',
  ),
  claim('takes 101 seats of 100', '| 1 to 100 ', '| 1 to 101 ', 'https://id.example/seats'),
];
