import { randomUUIDv7 } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { hashOf, newKey } from './credentials.ts';
import { JSON_BODY } from './gate.ts';
import { WHOLE_LIST } from './pages.ts';
import { found, must, problem } from './problems.ts';
import { isTaken, type Service } from './service.ts';
import { EMAIL, fields, oneOf } from './validation.ts';

interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly role: string;
  readonly status: string;
  readonly created: string;
}

const INVITATIONS = 'SELECT id, email, role, status, created FROM invitation';

const AGENTS = `
SELECT (SELECT count(*) FROM person WHERE organisation = @organisation AND role != 'customer' AND left_at IS NULL)
  + (SELECT count(*) FROM invitation WHERE organisation = @organisation AND role = 'agent') AS agents,
  plan.agents AS most, organisation.name
FROM organisation JOIN plan ON plan.name = organisation.plan WHERE organisation.id = @organisation`;

/** Invitations, which owners write and the mail service takes to people. */
export function serveInvitations(app: FastifyInstance, { db, mail }: Service): void {
  const agents = db.prepare<[{ organisation: string }], { agents: number; most: number; name: string }>(AGENTS);
  const isMember = db.prepare<[string], number>('SELECT 1 FROM person WHERE email = ?').pluck();
  const byId = db.prepare<[string], Invitation>(`${INVITATIONS} WHERE id = ?`);
  const listed = db.prepare<[string], Invitation>(
    `${INVITATIONS} WHERE organisation = ? ORDER BY created DESC, id DESC LIMIT ${WHOLE_LIST}`,
  );

  const removal = db.prepare('DELETE FROM invitation WHERE id = ? AND organisation = ?');

  app.post<{ Body: { email: string; role: string } }>(
    '/invitations',
    {
      config: { takes: JSON_BODY },
      schema: { body: fields({ email: EMAIL, role: oneOf('agent', 'customer') }, 'email', 'role') },
    },
    ({ member, body }, reply) => {
      const invitation = db
        .transaction(() => {
          must(member.role === 'owner', 'not_permitted');
          must(isMember.get(body.email) === undefined, 'email_taken');
          const { agents: taken, most, name } = agents.get({ organisation: member.organisation })!;
          must(body.role === 'customer' || taken < most, 'too_many_agents');
          const [id, key] = [randomUUIDv7(), newKey()];
          try {
            db.prepare("INSERT INTO invitation VALUES (?, ?, ?, ?, 'waiting', ?)").run(
              ...[id, member.organisation, body.email, body.role, new Date().toISOString()],
            );
          } catch (error) {
            throw isTaken(error) ? problem('invited_already') : error;
          }
          db.prepare('INSERT INTO invitation_key VALUES (?, ?)').run(hashOf(key), id);
          mail.add(id, body.email, name, key);
          return byId.get(id);
        })
        .immediate();
      reply.code(202).send(invitation);
    },
  );

  app.get('/invitations', ({ member }, reply) => {
    must(member.role === 'owner', 'not_permitted');
    reply.send(listed.all(member.organisation));
  });

  app.delete<{ Params: { invitation: string } }>('/invitations/:invitation', ({ member, params }, reply) => {
    // Owners alone see invitations.
    const isOwner = member.role === 'owner';
    const { changes } = isOwner ? removal.run(params.invitation.toLowerCase(), member.organisation) : { changes: 0 };
    found(changes || null, 'no_invitation');
    reply.code(204).send();
  });
}
