import type { Edit } from './fixtures.ts';

/** Careless form: statements that Markdown reads as something else, or that say twice what can be said once. */
export const CARELESS_FORM: ReadonlyArray<readonly [what: string, finding: string, edits: readonly Edit[]]> = [
  [
    'no scopes, said beside a table of them',
    '176:1 document/contradicted',
    [['- Browser origins: none', '- Browser origins: none\n\nScopes: none.']],
  ],
  [
    'no scopes, stated beside a table of them',
    '168:1 language/twice',
    [['- Browser origins: none', '- Browser origins: none\n- Scopes: none']],
  ],
  [
    'inline code that is never closed',
    '112:21 language/unknown',
    [['Answer 200 with `orders`.', 'Answer 200 with `orders.']],
  ],
  [
    'a statement in a comment',
    '96:6 endpoints/setting',
    [['- Unread bodies: refused', '<!-- - Unread bodies: refused -->']],
  ],
  [
    'a comment in a statement',
    '72:26 language/unknown',
    [['- Unread bodies: refused', '- Unread bodies: refused <!-- yes -->']],
  ],
  [
    'a comment that is never closed',
    '72:1 language/unclosed',
    [['- Unread bodies: refused', '<!-- TODO\n\n- Unread bodies: refused']],
  ],
  [
    'a code block that is never closed',
    '238:1 language/unclosed',
    [['| Version    | State', '```\n\n| Version    | State']],
  ],
  [
    'a statement in a quotation',
    '98:6 endpoints/setting',
    [['- Unread bodies: refused', '\n> - Unread bodies: refused\n']],
  ],
  [
    'a statement in a code block',
    '100:6 endpoints/setting',
    [['- Unread bodies: refused', '\n```\n- Unread bodies: refused\n```\n']],
  ],
  [
    'a statement without its bullet',
    '135:1 language/not-a-bullet',
    [['- Access: orders:fulfil\n\n1. Move `order` by ship.', 'Access: orders:fulfil\n\n1. Move `order` by ship.']],
  ],
  [
    'a bullet with a non-breaking space',
    '72:2 language/lookalike',
    [['- Unread bodies: refused', '-\u00a0Unread bodies: refused']],
  ],
  ['a heading with a non-breaking space', '218:1 language/lookalike', [['## Limits', '##\u00a0Limits']]],
  ['a heading without a space', '218:1 language/looks-like', [['## Limits', '##Limits']]],
  [
    'a table whose second row is short',
    '104:1 language/looks-like',
    [
      [
        '| --------- | ----- | ------------ | -------------- | -------- | ------------------------ |',
        '| --------- | ----- | ------------ | -------------- | -------- |',
      ],
    ],
  ],
  [
    'a step right after a paragraph',
    '152:1 language/looks-like',
    [['2. Remove `order`.', '\nThen remove it:\n2. Remove `order`.']],
  ],
  [
    'no states, beside states',
    '56:5 document/none-stated',
    [['## States and transitions\n', '## States and transitions\n\n- States: none\n']],
  ],
  ['no events, beside events', '182:1 document/none-stated', [['## Events\n', '## Events\n\n- Events: none\n']]],
  [
    'no size limit, where requests have bodies',
    '227:1 document/needed',
    [
      ['| Request size | 64 KiB                                      | every endpoint                      |\n', ''],
      ['- Rate headers:', 'Size limits: none.\n\n- Rate headers:'],
    ],
  ],
  [
    'a sentence that runs on from a bullet',
    '236:1 language/unknown',
    [
      [
        '- Deprecation policy: a deprecated version answers for 12 months, with headers Deprecation (RFC 9745) and Sunset (RFC 8594)',
        'Deprecation policy: none.',
      ],
    ],
  ],
  [
    'a table without rows',
    '47:36 expression/not-one-of',
    [
      [
        '| orders:read   | read their own orders             |\n| orders:write  | open, change and cancel their own |\n| orders:fulfil | ship and deliver any order        |\n',
        '',
      ],
    ],
  ],
  ['a heading a level too deep', '184:6 language/heading-level', [['### Webhook', '#### Webhook']]],
  ['webhooks twice', '186:5 language/twice', [['### Webhook', '### Webhook\n\n### Webhook']]],
  ['a list before the title', '1:1 language/outside-parts', [['# Orders\n', '- Access: x\n\n# Orders\n']]],
  ['a task list', '72:3 language/unknown', [['- Unread bodies: refused', '- [ ] Unread bodies: refused']]],
  ['a key in bold', '72:3 language/unknown', [['- Unread bodies: refused', '- **Unread bodies**: refused']]],
  [
    'a nested bullet',
    '73:3 language/nested-list',
    [['- Unread bodies: refused', '- Unread bodies: refused\n  - HEAD: as GET']],
  ],
];
