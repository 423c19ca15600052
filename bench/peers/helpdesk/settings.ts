import { randomBytes, randomUUIDv7 } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { durationOf, secondsOf } from './durations.ts';
import { EVENTS } from './events.ts';
import { JSON_BODY } from './gate.ts';
import { WHOLE_LIST } from './pages.ts';
import { found, must, problem } from './problems.ts';
import { isTaken, type Service } from './service.ts';
import { PRIORITIES } from './ticket-store.ts';
import { fields, oneOf, TAG_NAME } from './validation.ts';

/** What an organisation chooses: how soon tickets are answered, its tags, and who hears of events. */
export function serveSettings(app: FastifyInstance, service: Service): void {
  serveTargets(app, service);
  serveTags(app, service);
  serveHooks(app, service);
}

const ANSWER = { type: 'string', format: 'duration', between: ['PT5M', 'P30D'] } as const;

function serveTargets(app: FastifyInstance, { db }: Service): void {
  const listed = db.prepare<[string], { priority: string; answer: number }>(
    'SELECT priority, answer FROM target WHERE organisation = ? ORDER BY priority',
  );
  const isStored = db
    .prepare<[string, string], number>('SELECT 1 FROM target WHERE organisation = ? AND priority = ?')
    .pluck();
  const storing = db.prepare(
    'INSERT INTO target VALUES (?, ?, ?) ON CONFLICT (organisation, priority) DO UPDATE SET answer = excluded.answer',
  );

  app.get('/targets', ({ member }, reply) => {
    must(member.role !== 'customer', 'not_permitted');
    reply.send(
      listed.all(member.organisation).map(({ priority, answer }) => ({ priority, answer: durationOf(answer) })),
    );
  });

  app.put<{ Params: { priority: string }; Body: { answer: string } }>(
    '/targets/:priority',
    { config: { takes: JSON_BODY }, schema: { body: fields({ answer: ANSWER }, 'answer') } },
    ({ member, params, body }, reply) => {
      const priority = found(
        PRIORITIES.find((one) => one === params.priority),
        'no_priority',
      );
      must(member.role === 'owner', 'not_permitted');
      const answer = secondsOf(body.answer);
      const isNew = db
        .transaction(() => {
          const before = isStored.get(member.organisation, priority);
          storing.run(member.organisation, priority, answer);
          return before === undefined;
        })
        .immediate();
      reply.code(isNew ? 201 : 200).send({ priority, answer: durationOf(answer) });
    },
  );
}

function serveTags(app: FastifyInstance, { db, idempotency, tickets }: Service): void {
  const listed = db.prepare(`SELECT id, name FROM tag WHERE organisation = ? ORDER BY name LIMIT ${WHOLE_LIST}`);
  const insertion = db.prepare('INSERT INTO tag VALUES (?, ?, ?)');
  const byId = db.prepare<[string, string], string>('SELECT id FROM tag WHERE id = ? AND organisation = ?').pluck();

  app.get('/tags', ({ member }, reply) => {
    reply.send(listed.all(member.organisation));
  });

  app.post<{ Body: { name: string } }>(
    '/tags',
    { config: { takes: JSON_BODY }, schema: { body: fields({ name: TAG_NAME }, 'name') } },
    (request, reply) =>
      idempotency.answer(request, reply, () => {
        const { member, body } = request;
        must(member.role !== 'customer', 'not_permitted');
        const id = randomUUIDv7();
        try {
          insertion.run(id, member.organisation, body.name);
        } catch (error) {
          throw isTaken(error) ? problem('tag_taken') : error;
        }
        return { status: 201, body: { id, name: body.name } };
      }),
  );

  app.delete<{ Params: { tag: string } }>('/tags/:tag', ({ member, params }, reply) => {
    db.transaction(() => {
      must(member.role !== 'customer', 'not_permitted');
      const tag = found(byId.get(params.tag.toLowerCase(), member.organisation), 'no_tag');
      tickets.touchTagged(tag);
      db.prepare('DELETE FROM tag WHERE id = ?').run(tag);
    }).immediate();
    reply.code(204).send();
  });
}

const HOOK = fields(
  {
    url: { type: 'string', text: 'trimmed', minLength: 1, maxLength: 500, format: 'uri' },
    events: { type: 'array', minItems: 1, maxItems: 5, uniqueItems: true, items: oneOf(...EVENTS) },
  },
  'url',
  'events',
);

function serveHooks(app: FastifyInstance, { db, idempotency }: Service): void {
  const listed = db.prepare<[string], { id: string; url: string; events: string }>(
    `SELECT id, url, events FROM hook WHERE organisation = ? ORDER BY url, id LIMIT ${WHOLE_LIST}`,
  );
  const insertion = db.prepare('INSERT INTO hook VALUES (?, ?, ?, ?, ?)');
  const removal = db.prepare('DELETE FROM hook WHERE id = ? AND organisation = ?');

  app.get('/hooks', ({ member }, reply) => {
    must(member.role === 'owner', 'not_permitted');
    reply.send(listed.all(member.organisation).map((hook) => ({ ...hook, events: JSON.parse(hook.events) })));
  });

  app.post<{ Body: { url: string; events: readonly string[] } }>(
    '/hooks',
    { config: { takes: JSON_BODY }, schema: { body: HOOK } },
    (request, reply) =>
      idempotency.answer(request, reply, () => {
        const { member, body } = request;
        must(member.role === 'owner', 'not_permitted');
        const id = randomUUIDv7();
        const events = body.events.toSorted();
        const secret = `whsec_${randomBytes(32).toString('base64')}`;
        insertion.run(id, member.organisation, body.url, JSON.stringify(events), secret);
        return { status: 201, body: { hook: { id, url: body.url, events }, secret } };
      }),
  );

  app.delete<{ Params: { hook: string } }>('/hooks/:hook', ({ member, params }, reply) => {
    // Owners alone see receivers.
    const isOwner = member.role === 'owner';
    const { changes } = isOwner ? removal.run(params.hook.toLowerCase(), member.organisation) : { changes: 0 };
    found(changes || null, 'no_hook');
    reply.code(204).send();
  });
}
