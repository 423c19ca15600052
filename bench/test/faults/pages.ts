// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is written here is source text
import { ofKind } from './fault.ts';

const SERVICE = 'orders/service.ts';
const STORE = 'orders/store.ts';
const QUERY = 'orders/query.ts';
const SQL = 'ORDER BY created DESC, id DESC LIMIT ?';
const AFTER = "      where += ' AND (created, id) < (?, ?)';\n      args.push(...after);\n";
const CUT = '    items.length = query.limit;\n    const { created, id } = items[query.limit - 1]!;\n';

export const PAGES = [
  ...ofKind('page skips rows', [
    {
      id: 'cursor-of-next-row',
      peer: 'express',
      what: 'The cursor is the place of the row after the page, so that this row is on no page',
      breaks: ['list', 'pages'],
      file: SERVICE,
      edits: [[CUT, '    const { created, id } = items[query.limit]!;\n    items.length = query.limit;\n']],
    },
    {
      id: 'cursor-without-ties',
      peer: 'fastify',
      what: 'The cursor is an instant alone: rows of the same instant are skipped',
      breaks: ['list', 'pages'],
      file: STORE,
      edits: [[AFTER, "      where += ' AND created < ?';\n      args.push(after[0]);\n"]],
    },
    {
      id: 'cursor-is-offset',
      peer: 'hono',
      what: 'The cursor is an offset: rows that are removed meanwhile shift what follows',
      breaks: ['list', 'pages'],
      file: SERVICE,
      edits: [
        [
          'JSON.stringify([Date.parse(created), id])',
          'JSON.stringify([(after ? Date.parse(after[0]) : 0) + query.limit, created.slice(0, 0) + id])',
        ],
      ],
      more: [
        { file: STORE, from: AFTER, to: '      where += ` AND ${Date.parse(after[0])} >= 0`;\n' },
        { file: STORE, from: SQL, to: `${SQL} OFFSET \${after ? Date.parse(after[0]) : 0}` },
      ],
    },
    {
      id: 'filter-after-page',
      peer: 'nest',
      what: 'Rows are filtered by their state after the page was cut, so that pages are short',
      breaks: ['filterStatus', 'list', 'pages'],
      file: SERVICE,
      edits: [
        [
          'this.store.page(caller.customer, query, after, query.limit + 1);\n    if (items.length <= query.limit) return { items };',
          'this.store.page(caller.customer, { sku: query.sku }, after, query.limit + 1);\n    const wanted = (one: Order) => query.status === undefined || one.status === query.status;\n    if (items.length <= query.limit) return { items: items.filter(wanted) };',
        ],
        ['    return { items, next:', '    return { items: items.filter(wanted), next:'],
      ],
    },
    {
      id: 'no-next-page',
      peer: 'express',
      what: 'There is no cursor when the page is full and one row is left',
      breaks: ['pages', 'list'],
      file: SERVICE,
      edits: [
        [
          'if (items.length <= query.limit) return { items };',
          'if (items.length <= query.limit + 1 && after) return { items: items.slice(0, query.limit) };\n    if (items.length <= query.limit) return { items };',
        ],
      ],
    },
    {
      id: 'first-page-skips',
      peer: 'fastify',
      what: 'The list leaves the latest order out',
      breaks: ['list'],
      file: STORE,
      edits: [
        [
          '    return (statement.all(...args) as Row[]).map(orderOf);\n  }\n\n  insert',
          '    const rows = (statement.all(...args) as Row[]).map(orderOf);\n    return after || rows.length < 3 ? rows : rows.slice(1);\n  }\n\n  insert',
        ],
      ],
    },
  ]),
  ...ofKind('page repeats rows', [
    {
      id: 'cursor-inclusive',
      peer: 'fastify',
      what: 'The last row of a page is the first of the next one',
      breaks: ['list', 'pages'],
      file: STORE,
      edits: [['(created, id) < (?, ?)', '(created, id) <= (?, ?)']],
    },
    {
      id: 'cursor-ignored',
      peer: 'nest',
      what: 'Each page is the first one',
      breaks: ['list', 'pages'],
      file: SERVICE,
      edits: [
        [
          'this.store.page(caller.customer, query, after, query.limit + 1)',
          'this.store.page(caller.customer, query, after && null, query.limit + 1)',
        ],
      ],
    },
    {
      id: 'ties-in-other-order',
      peer: 'express',
      what: 'Rows of one instant are in another order than the cursor takes them to be',
      breaks: ['list', 'pages'],
      file: STORE,
      edits: [[SQL, 'ORDER BY created DESC, id LIMIT ?']],
    },
    {
      id: 'empty-last-page',
      peer: 'hono',
      what: 'A full last page has a cursor, which leads to nothing',
      breaks: ['pages'],
      file: SERVICE,
      edits: [
        ['if (items.length <= query.limit) return { items };', 'if (items.length < query.limit) return { items };'],
      ],
    },
    {
      id: 'one-row-too-many',
      peer: 'nest',
      what: 'A page holds one row more than was asked for',
      breaks: ['pageSize', 'pages'],
      file: SERVICE,
      edits: [['    items.length = query.limit;\n', '']],
    },
  ]),
  ...ofKind('page order or cursor', [
    {
      id: 'earliest-first',
      peer: 'express',
      what: 'The list has the earliest order first',
      breaks: ['list'],
      file: STORE,
      edits: [
        [SQL, 'ORDER BY created, id LIMIT ?'],
        ['(created, id) < (?, ?)', '(created, id) > (?, ?)'],
      ],
    },
    {
      id: 'ordered-by-sku',
      peer: 'fastify',
      what: 'The list is in the order of products',
      breaks: ['list'],
      file: STORE,
      edits: [[SQL, 'ORDER BY sku, id LIMIT ?']],
    },
    {
      id: 'cursor-of-other-filter',
      peer: 'hono',
      what: 'A cursor of other filters is taken',
      breaks: ['pages'],
      file: SERVICE,
      edits: [
        ['caller.older, status ?? null, sku ?? null, place]', 'caller.older, place]'],
        [
          'private mac(caller: Caller, { status, sku }: Filters, place: string)',
          'private mac(caller: Caller, _: Filters, place: string)',
        ],
      ],
    },
    {
      id: 'cursor-of-other-caller',
      peer: 'nest',
      what: 'A cursor of another caller is taken',
      breaks: ['pages'],
      file: SERVICE,
      edits: [['JSON.stringify([caller.customer, caller.older, status', 'JSON.stringify([caller.older, status']],
    },
    {
      id: 'bad-cursor-ignored',
      peer: 'express',
      what: 'A cursor that is none gives the first page',
      breaks: ['pages'],
      file: SERVICE,
      edits: [
        [
          'const after = query.cursor === undefined ? null : this.openCursor(caller, query, query.cursor);',
          'let after: [string, string] | null = null;\n    try {\n      if (query.cursor !== undefined) after = this.openCursor(caller, query, query.cursor);\n    } catch {\n      // The first page.\n    }',
        ],
      ],
    },
    {
      id: 'status-filter-lost',
      peer: 'fastify',
      what: 'The filter by state has no effect where the product is asked for too',
      breaks: ['filterStatus', 'list'],
      file: STORE,
      edits: [
        ['if (filters.status !== undefined) {', 'if (filters.status !== undefined && filters.sku === undefined) {'],
      ],
    },
    {
      id: 'sku-filter-by-prefix',
      peer: 'hono',
      what: 'The filter by product takes every product that begins alike',
      breaks: ['filterSku', 'list'],
      file: STORE,
      edits: [
        [
          "where += ' AND sku = ?';\n      args.push(filters.sku);",
          "where += ' AND sku LIKE ?';\n      args.push(`${filters.sku.slice(0, 3)}%`);",
        ],
      ],
    },
    {
      id: 'status-filter-negated',
      peer: 'nest',
      what: 'The filter by state gives what is in other states',
      breaks: ['filterStatus', 'list'],
      file: STORE,
      edits: [["where += ' AND status = ?'", "where += ' AND status <> ?'"]],
    },
  ]),
  ...ofKind('page size', [
    {
      id: 'default-of-25',
      peer: 'express',
      what: 'A page has 25 rows where no number is asked for',
      breaks: ['pageSize'],
      file: 'orders/terms.ts',
      edits: [['PAGE = { standard: 20,', 'PAGE = { standard: 25,']],
    },
    {
      id: 'most-101',
      peer: 'fastify',
      what: 'A page may have 101 rows',
      breaks: ['pageSize'],
      file: 'orders/terms.ts',
      edits: [['standard: 20, most: 100 }', 'standard: 20, most: 101 }']],
    },
    {
      id: 'most-99',
      peer: 'hono',
      what: 'A page may have 99 rows only',
      breaks: ['pageSize'],
      file: 'orders/terms.ts',
      edits: [['standard: 20, most: 100 }', 'standard: 20, most: 99 }']],
    },
    {
      id: 'more-is-cut',
      peer: 'nest',
      what: 'Whoever asks for more rows than there may be gets 100 of them',
      breaks: ['pageSize'],
      file: QUERY,
      edits: [['? Number(limit) : 0;', '? Math.min(Number(limit), PAGE.most) : 0;']],
    },
    {
      id: 'zero-is-default',
      peer: 'express',
      what: 'A page of no rows is one of 20',
      breaks: ['pageSize', 'pages'],
      file: QUERY,
      edits: [['? Number(limit) : 0;', "? Number(limit) : limit === '0' ? PAGE.standard : 0;"]],
    },
  ]),
];
