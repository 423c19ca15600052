import assert from 'node:assert/strict';
import { test } from 'node:test';
import { candidatesFor } from '../../src/verify/requests/candidates.ts';
import { Random } from '../../src/verify/requests/random.ts';
import { Session } from '../../src/verify/session/session.ts';
import { documentText, subjectOf } from '../subject.ts';

/** A user whose log-in is in small letters, with a password of its own. */
const USER = { email: 'Ada@Example.com', password: 'A password of her own' };

test('a log-in by a text in small letters is tried with the password of the row, and with passwords near it', async (t) => {
  const subject = await subjectOf(t, documentText('docs/documents/accounts.md'));
  const { contract, plan } = subject;
  const random = new Random(1);
  const session = await Session.begin(subject, random);
  const headers = [['Content-Type', 'application/json']] as const;
  const body = Buffer.from(JSON.stringify(USER));
  await session.send({ method: 'POST', target: '/users', headers, body }, 'first');
  const [version] = contract.versions;
  const endpoint = version?.endpoints.find(({ name }) => name === 'POST /sessions');
  assert.ok(version && endpoint);
  const now = await session.now();
  const candidates = [...candidatesFor(contract, version, endpoint, session.known(now), random, plan)];
  const sent = new Set(candidates.map(({ request: { body: text } }) => String(text)));
  for (const near of [
    USER.password,
    `${USER.password.slice(0, -1)}x`,
    `${USER.password}x`,
    USER.password.toUpperCase(),
  ])
    assert.ok(sent.has(JSON.stringify({ email: USER.email.toLowerCase(), password: near })), near);
});
