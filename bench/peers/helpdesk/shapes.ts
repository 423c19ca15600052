/** The forms of answers, by which Fastify writes them. */
const TEXT = { type: 'string' } as const;
const OPTIONAL = { type: 'string', nullable: true } as const;
const INTEGER = { type: 'integer' } as const;

const object = <const P extends object>(properties: P) => ({ type: 'object', properties }) as const;
const list = <const I extends object>(items: I) => ({ type: 'array', items }) as const;

export const pageOf = <const I extends object>(items: I) => object({ items: list(items), next: OPTIONAL });
export { list, object };

export const NAME = object({ id: TEXT, role: TEXT, name: TEXT });
const OPTIONAL_NAME = { ...NAME, nullable: true } as const;

export const PERSON = object({ id: TEXT, role: TEXT, name: TEXT, email: TEXT, joined: TEXT, left: OPTIONAL });

export const LINE = object({
  number: INTEGER,
  status: TEXT,
  priority: TEXT,
  subject: TEXT,
  requester: NAME,
  assignee: OPTIONAL_NAME,
  due: OPTIONAL,
  created: TEXT,
  solved: OPTIONAL,
});

export const TICKET = object({
  id: TEXT,
  number: INTEGER,
  requester: NAME,
  assignee: OPTIONAL_NAME,
  subject: TEXT,
  body: TEXT,
  priority: TEXT,
  tags: list(TEXT),
  status: TEXT,
  due: OPTIONAL,
  created: TEXT,
  changed: TEXT,
  solved: OPTIONAL,
});

export const COMMENT = object({ id: TEXT, author: NAME, text: TEXT, internal: { type: 'boolean' }, created: TEXT });

export const ATTACHMENT = object({
  id: TEXT,
  author: NAME,
  name: TEXT,
  internal: { type: 'boolean' },
  content: object({ type: TEXT, size: INTEGER, sha256: TEXT }),
  created: TEXT,
});
