import { randomUUIDv7 } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { hashedPassword, hashOf, isPassword, newKey } from './credentials.ts';
import type { Db } from './database.ts';
import { JSON_BODY } from './gate.ts';
import { found, must, problem } from './problems.ts';
import { isTaken, type Service } from './service.ts';
import { object, PERSON, pageOf } from './shapes.ts';
import { EMAIL, fields, PAGE, PASSWORD, text } from './validation.ts';

interface Person {
  readonly id: string;
  readonly role: string;
  readonly name: string;
  readonly email: string;
  readonly joined: string;
  readonly left: string | null;
}

const PEOPLE = 'SELECT id, role, name, email, joined, left_at AS "left" FROM person';

/** Makes sessions; a key is shown once. */
function sessionsOf(db: Db): (person: string) => string {
  const issuing = db.prepare('INSERT INTO session VALUES (?, ?)');
  return (person) => {
    const token = newKey();
    issuing.run(hashOf(token), person);
    return token;
  };
}

/** Sessions, and the people of an organisation. */
export function servePeople(app: FastifyInstance, service: Service): void {
  serveSessions(app, service);
  serveMembers(app, service);
  serveJoining(app, service);
}

function serveSessions(app: FastifyInstance, { db }: Service): void {
  const byEmail = db.prepare<[string], { id: string; password: string; left_at: string | null }>(
    'SELECT id, password, left_at FROM person WHERE email = ?',
  );
  const byId = db.prepare<[string], Person>(`${PEOPLE} WHERE id = ?`);
  const organisationOf = db.prepare<
    [string],
    { id: string; name: string; plan: string; rate: number; agents: number }
  >(`
    SELECT organisation.id, organisation.name, organisation.plan, rate, agents
    FROM organisation JOIN plan ON plan.name = organisation.plan WHERE organisation.id = ?`);
  const revoking = db.prepare('DELETE FROM session WHERE hash = ?');
  const issueSession = sessionsOf(db);

  app.post<{ Body: { email: string; password: string } }>(
    '/sessions',
    {
      config: { access: 'anyone', takes: JSON_BODY },
      schema: { body: fields({ email: EMAIL, password: PASSWORD }, 'email', 'password') },
    },
    async ({ body }, reply) => {
      const person = byEmail.get(body.email);
      const isKnown = await isPassword(body.password, person?.password);
      const { id } = found(isKnown && person?.left_at === null ? person : null, 'not_known');
      const token = issueSession(id);
      return reply.code(201).send({ token, person: byId.get(id) });
    },
  );

  app.delete('/sessions/current', (request, reply) => {
    revoking.run(hashOf(request.headers.authorization!.slice('Bearer'.length).trim()));
    reply.code(204).send();
  });

  app.get('/me', ({ member }, reply) => {
    const { id, name, plan, rate, agents } = organisationOf.get(member.organisation)!;
    reply.send({ person: byId.get(member.id), organisation: { id, name, plan: { name: plan, rate, agents } } });
  });
}

function serveMembers(app: FastifyInstance, { db, tickets, pages }: Service): void {
  const inOrganisation = db.prepare<[string, string], Person>(`${PEOPLE} WHERE id = ? AND organisation = ?`);
  const listed = db.prepare<unknown[], Person>(
    `${PEOPLE} WHERE organisation = ? AND (name, email COLLATE BINARY, id) > (?, ?, ?)
     ORDER BY name, email COLLATE BINARY, id LIMIT ?`,
  );

  app.get('/people', { schema: { querystring: fields(PAGE), response: { 200: pageOf(PERSON) } } }, (request, reply) => {
    const { member } = request;
    must(member.role !== 'customer', 'not_permitted');
    const page = pages.page(
      request,
      (after, count) => listed.all(member.organisation, ...(after ?? ['', '', '']), count),
      ({ name, email, id }) => [name, email, id],
    );
    reply.send(page);
  });

  app.delete<{ Params: { person: string } }>('/people/:person', ({ member, params }, reply) => {
    db.transaction(() => {
      must(member.role === 'owner', 'not_permitted');
      const { id } = found(inOrganisation.get(params.person.toLowerCase(), member.organisation), 'no_person');
      must(id !== member.id, 'not_yourself');
      db.prepare('UPDATE person SET left_at = ? WHERE id = ?').run(new Date().toISOString(), id);
      db.prepare('DELETE FROM session WHERE person = ?').run(id);
      tickets.unassign(id, member);
    }).immediate();
    reply.code(204).send();
  });
}

/** Those who are invited choose a name and a password. */
function serveJoining(app: FastifyInstance, { db }: Service): void {
  const byId = db.prepare<[string], Person>(`${PEOPLE} WHERE id = ?`);
  const invitationById = db.prepare<[string], { organisation: string; role: string; email: string }>(
    'SELECT organisation, role, email FROM invitation WHERE id = ?',
  );
  const issueSession = sessionsOf(db);

  app.post<{ Body: { name: string; password: string } }>(
    '/people',
    {
      config: { access: 'invitation', takes: JSON_BODY },
      schema: {
        body: fields({ name: text(1, 80), password: PASSWORD }, 'name', 'password'),
        response: { 201: object({ person: PERSON, token: { type: 'string' } }) },
      },
    },
    async ({ invitation, body }, reply) => {
      const password = await hashedPassword(body.password);
      const joined = db
        .transaction(() => {
          const { organisation, role, email } = found(invitationById.get(invitation), 'link_over');
          const id = randomUUIDv7();
          try {
            db.prepare('INSERT INTO person VALUES (?, ?, ?, ?, ?, ?, ?, NULL)').run(
              ...[id, organisation, role, body.name, email, password, new Date().toISOString()],
            );
          } catch (error) {
            throw isTaken(error) ? problem('email_taken') : error;
          }
          db.prepare('DELETE FROM invitation WHERE id = ?').run(invitation);
          return { person: byId.get(id), token: issueSession(id) };
        })
        .immediate();
      return reply.code(201).send(joined);
    },
  );
}
