import { edited } from './harness.ts';

/** The document of files, with an endpoint that takes the same attachments as forms of several parts. */
export const withForms = (files: string): string =>
  edited(
    files,
    [
      '### `GET /attachments`\n',
      [
        '### `POST /forms`',
        '',
        '- Payloads: JSON (RFC 8259), requests as multipart form (RFC 7578)',
        '- Request: Attachment with name, content',
        '',
        '1. Create `attachment`: Attachment from `request` with owner `caller`.',
        '2. Answer 201 with `attachment`.',
        '',
        '### `GET /attachments`\n',
      ].join('\n'),
    ],
    [/^\| Request size \| 10[^\n]*$/m.exec(files)?.[0] ?? '', sizes(files)],
    [
      '| Time-out     | 10 minutes                                  | ',
      '| Time-out     | 10 minutes | `POST /forms`, ',
    ],
  );

/** The rows of the sizes: a form is a megabyte longer than its file may be. */
function sizes(files: string): string {
  const [row = '', size = ''] = /^\| Request size \| (10\d*) MiB[^\n]*$/m.exec(files) ?? [];
  return `${row}\n| Request size | ${Number(size) + 1} MiB | \`POST /forms\` |`;
}
