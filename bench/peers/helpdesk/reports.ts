import type { FastifyInstance } from 'fastify';
import { WHOLE_LIST } from './pages.ts';
import { must, problem } from './problems.ts';
import type { Service } from './service.ts';
import { PRIORITIES } from './ticket-store.ts';

const COUNTS = `
SELECT priority, count(*) AS count, count(*) FILTER (WHERE assignee IS NULL) AS unassigned,
  count(*) FILTER (WHERE status IN ('new', 'open') AND due < ?) AS overdue
FROM ticket WHERE organisation = ? AND status != 'closed' GROUP BY priority ORDER BY count DESC, priority`;

const AGENTS = `
SELECT id, name,
  (SELECT count(*) FROM ticket WHERE assignee = person.id AND status IN ('new', 'open', 'waiting')) AS open
FROM person WHERE organisation = ? AND role != 'customer' AND left_at IS NULL
ORDER BY name, email COLLATE BINARY, id LIMIT ${WHOLE_LIST}`;

const DEPRECATED_FROM = Date.UTC(2026, 10, 1);
const DEPRECATED_UNTIL = Date.UTC(2027, 10, 1);

/** Counts of tickets. */
export function serveReports(app: FastifyInstance, { db }: Service): void {
  const counts = db.prepare(COUNTS);
  const agents = db.prepare(AGENTS);
  const byPriority = db.prepare<[string], { priority: string; count: number }>(
    'SELECT priority, count(*) AS count FROM ticket WHERE organisation = ? GROUP BY priority',
  );

  app.get('/counts', ({ member }, reply) => {
    must(member.role !== 'customer', 'not_permitted');
    const { organisation } = member;
    reply.send({ priorities: counts.all(new Date().toISOString(), organisation), agents: agents.all(organisation) });
  });

  app.get(
    '/reports/priorities',
    {
      config: {
        deprecated: {
          headers: {
            Deprecation: `@${DEPRECATED_FROM / 1000}`,
            Sunset: new Date(DEPRECATED_UNTIL).toUTCString(),
          },
          until: DEPRECATED_UNTIL,
          gone: problem('report_gone'),
        },
      },
    },
    ({ member }, reply) => {
      must(member.role !== 'customer', 'not_permitted');
      const found = new Map(byPriority.all(member.organisation).map(({ priority, count }) => [priority, count]));
      reply.send(Object.fromEntries(PRIORITIES.map((priority) => [priority, found.get(priority) ?? 0])));
    },
  );
}
