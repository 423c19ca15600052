import { randomUUIDv7 } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Db } from './database.ts';
import { dispositionOf, FILE_BYTES, FILE_TYPES, rangeOf } from './files.ts';
import { JSON_BODY, type Member, type Role } from './gate.ts';
import { WHOLE_LIST } from './pages.ts';
import { found, must } from './problems.ts';
import type { Service } from './service.ts';
import { ATTACHMENT, COMMENT, list, object, TICKET } from './shapes.ts';
import type { TicketRow } from './ticket-store.ts';
import { FLAG, fields, text } from './validation.ts';

interface Authored {
  readonly id: string;
  readonly author: string;
  readonly role: Role;
  readonly author_name: string;
  readonly internal: number;
  readonly created: string;
}
interface CommentRow extends Authored {
  readonly text: string;
}
interface AttachmentRow extends Authored {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly sha256: string;
}

const authorOf = ({ author, role, author_name }: Authored) => ({ id: author, role, name: author_name });

const shownComment = (row: CommentRow) => ({
  id: row.id,
  author: authorOf(row),
  text: row.text,
  internal: row.internal === 1,
  created: row.created,
});

const shownAttachment = (row: AttachmentRow) => ({
  id: row.id,
  author: authorOf(row),
  name: row.name,
  internal: row.internal === 1,
  content: { type: row.type, size: row.size, sha256: row.sha256 },
  created: row.created,
});

const COMMENTS = 'SELECT comment.*, role, name AS author_name FROM comment JOIN person ON person.id = author';
const ATTACHMENTS =
  'SELECT attachment.*, role, person.name AS author_name FROM attachment JOIN person ON person.id = author';

/** Whether a member may add something to a ticket. */
function mustBeOpenTo(member: Member, ticket: TicketRow, isInternal: boolean): void {
  must(ticket.status !== 'closed', 'ticket_closed');
  must(member.role !== 'customer' || !isInternal, 'not_permitted');
}

const mostInternal = ({ role }: Member): number => (role === 'customer' ? 0 : 1);

const attachmentOf = (db: Db) =>
  db.prepare<[string, number, number], AttachmentRow>(
    `${ATTACHMENTS} WHERE attachment.id = ? AND ticket = ? AND internal <= ?`,
  );

/** A ticket with what people have added to it: comments and attachments, of which customers see no internal ones. */
export function serveConversation(app: FastifyInstance, service: Service): void {
  serveTicket(app, service);
  serveComments(app, service);
  serveDownloads(app, service);
  app.register(async (uploads) => serveUploads(uploads, service));
}

function serveTicket(app: FastifyInstance, { db, tickets }: Service): void {
  const comments = db.prepare<[number, number], CommentRow>(
    `${COMMENTS} WHERE ticket = ? AND internal <= ? ORDER BY comment.created, comment.id LIMIT ${WHOLE_LIST}`,
  );
  const attachments = db.prepare<[number, number], AttachmentRow>(
    `${ATTACHMENTS} WHERE ticket = ? AND internal <= ? ORDER BY attachment.created, attachment.id LIMIT ${WHOLE_LIST}`,
  );

  app.get<{ Params: { number: string } }>(
    '/tickets/:number',
    {
      schema: { response: { 200: object({ ticket: TICKET, comments: list(COMMENT), attachments: list(ATTACHMENT) }) } },
    },
    ({ member, params }, reply) => {
      const ticket = tickets.find(member, params.number);
      reply.send({
        ticket: tickets.shown(ticket),
        comments: comments.all(ticket.seq, mostInternal(member)).map(shownComment),
        attachments: attachments.all(ticket.seq, mostInternal(member)).map(shownAttachment),
      });
    },
  );
}

function serveComments(app: FastifyInstance, { db, tickets, idempotency, events }: Service): void {
  const commentById = db.prepare<[string], CommentRow>(`${COMMENTS} WHERE comment.id = ?`);
  const commenting = db.prepare('INSERT INTO comment VALUES (?, ?, ?, ?, ?, ?)');

  app.post<{ Params: { number: string }; Body: { text: string; internal: boolean } }>(
    '/tickets/:number/comments',
    {
      config: { takes: JSON_BODY },
      schema: {
        body: fields({ text: text(1, 20_000), internal: { type: 'boolean', default: false } }, 'text'),
        response: { 201: COMMENT },
      },
    },
    (request, reply) =>
      idempotency.answer(request, reply, () => {
        const { member, params, body } = request;
        const ticket = tickets.find(member, params.number);
        mustBeOpenTo(member, ticket, body.internal);
        const [id, now] = [randomUUIDv7(), new Date().toISOString()];
        commenting.run(id, ticket.seq, member.id, body.text, Number(body.internal), now);
        const comment = shownComment(commentById.get(id)!);
        events.record('comment.created', ticket.organisation, now, comment);
        if (member.role === 'customer') {
          if (ticket.status === 'solved') tickets.move(ticket, 'reopen', member);
          if (ticket.status === 'waiting') tickets.move(ticket, 'resume', member);
        } else if (!body.internal && (ticket.status === 'new' || ticket.status === 'open'))
          tickets.move(ticket, 'wait', member);
        return { status: 201, body: comment };
      }),
  );
}

function serveDownloads(app: FastifyInstance, { db, tickets, files }: Service): void {
  const attachmentById = attachmentOf(db);

  app.get<{ Params: { number: string; attachment: string } }>(
    '/tickets/:number/attachments/:attachment',
    { config: { gives: FILE_TYPES } },
    ({ member, params, headers }, reply) => {
      const ticket = tickets.find(member, params.number);
      const row = attachmentById.get(params.attachment.toLowerCase(), ticket.seq, mostInternal(member));
      const { id, name, type, size } = found(row, 'no_attachment');
      const range = rangeOf(headers, size);
      const { start, end } = range ?? { start: 0, end: size - 1 };
      if (range) reply.code(206).header('Content-Range', `bytes ${start}-${end}/${size}`);
      reply
        .type(type)
        .headers({
          'Accept-Ranges': 'bytes',
          'Cache-Control': 'private, max-age=300',
          'Content-Disposition': dispositionOf(name),
          'Content-Length': end - start + 1,
          // Whatever somebody has sent, no browser runs it as a page of this service.
          'Content-Security-Policy': "default-src 'none'; sandbox",
          'X-Content-Type-Options': 'nosniff',
        })
        .send(files.read(id, start, end));
    },
  );
}

/** Bodies are files here, which stay streams. */
function serveUploads(app: FastifyInstance, { db, tickets, idempotency, files }: Service): void {
  const attachmentById = attachmentOf(db);
  const attaching = db.prepare('INSERT INTO attachment VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');

  app.removeAllContentTypeParsers();
  app.addContentTypeParser([...FILE_TYPES], (_request, bytes, done) => done(null, bytes));
  app.post<{ Params: { number: string }; Querystring: { name: string; internal: string }; Body: Readable }>(
    '/tickets/:number/attachments',
    {
      bodyLimit: FILE_BYTES,
      config: { takes: FILE_TYPES },
      schema: {
        querystring: fields({ name: text(1, 200), internal: { ...FLAG, default: 'false' } }, 'name'),
        response: { 201: ATTACHMENT },
      },
    },
    async (request, reply) => {
      const { member, params, query, headers } = request;
      const isInternal = query.internal === 'true';
      using _claim = idempotency.claim(request);
      const file = await files.receive(headers['content-type']!.split(';')[0]!.trim().toLowerCase(), request.body);
      let isKept = false;
      try {
        const work = () => {
          const ticket = tickets.find(member, params.number);
          mustBeOpenTo(member, ticket, isInternal);
          const { id, type, size, sha256 } = file;
          const now = new Date().toISOString();
          attaching.run(id, ticket.seq, member.id, query.name, Number(isInternal), type, size, sha256, now);
          isKept = true;
          const row = attachmentById.get(id, ticket.seq, 1)!;
          return { status: 201, body: shownAttachment(row) };
        };
        return idempotency.answer(request, reply, work, `${file.type} ${file.sha256}`);
      } finally {
        if (!isKept) files.remove(file.id);
      }
    },
  );
}
