import { isIPv6 } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hashOf } from './credentials.ts';
import type { Db } from './database.ts';
import { type Problem, problem } from './problems.ts';
import { Rate, type Taken } from './rates.ts';

export type Role = 'owner' | 'agent' | 'customer';

/** The person who asks, with what every request needs of the organisation and its plan. */
export interface Member {
  readonly id: string;
  readonly organisation: string;
  readonly role: Role;
  readonly rate: number;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set where a session is required. */
    member: Member;
    /** Set where the key of an invitation is required. */
    invitation: string;
  }
  interface FastifyContextConfig {
    /** Whose credentials are required; a session unless stated otherwise. */
    access?: 'session' | 'invitation' | 'anyone';
    /** The media types of the body; without any, a body is refused. */
    takes?: readonly string[];
    /** The media types of the answer, JSON unless stated otherwise. */
    gives?: readonly string[];
    /** What a deprecated endpoint says of itself, and when it ends. */
    deprecated?: { readonly headers: Readonly<Record<string, string>>; readonly until: number; readonly gone: Problem };
  }
}

export const JSON_BODY: readonly string[] = ['application/json'];
export const PATCH_BODY: readonly string[] = ['application/json', 'application/merge-patch+json'];

/** The numbers of the rates of addresses. */
export interface AddressRates {
  readonly address: number;
  readonly nobody: number;
}

const MEMBER = `
SELECT person.id, organisation, role, plan.rate FROM session
JOIN person ON person.id = session.person JOIN organisation ON organisation.id = person.organisation
JOIN plan ON plan.name = organisation.plan
WHERE session.hash = ? AND left_at IS NULL`;

const CHALLENGE = { session: 'Bearer', invitation: 'Invitation', anyone: 'Bearer, Invitation' } as const;

/** Rates, credentials, and what the head of a request says of its body and answer: all before any endpoint. */
export function admitRequests(app: FastifyInstance, db: Db, most: AddressRates): void {
  const memberOf = db.prepare<[Buffer], Member>(MEMBER);
  const invitationOf = db.prepare<[Buffer], string>('SELECT invitation FROM invitation_key WHERE hash = ?').pluck();
  const addresses = new Rate('address', 60);
  const nobody = new Rate('nobody', 60);
  const organisations = new Rate('caller.Person.organisation', 3600);

  /** Counts a request, and says so in the answer. */
  function count(reply: FastifyReply, taken: Taken): void {
    const [policy, limit] = [reply.getHeader('RateLimit-Policy'), reply.getHeader('RateLimit')];
    reply.header('RateLimit-Policy', policy ? `${policy}, ${taken.policy}` : taken.policy);
    reply.header('RateLimit', limit ? `${limit}, ${taken.limit}` : taken.limit);
    if (!taken.allowed) throw problem('rate_exceeded', { 'Retry-After': String(taken.seconds) });
  }

  function admit(request: FastifyRequest, reply: FastifyReply): void {
    if (request.is404) return;
    const { access = 'session', deprecated } = request.routeOptions.config;
    if (request.method === 'GET') reply.header('Vary', 'Accept, Authorization');
    if (deprecated) reply.headers(deprecated.headers);
    const address = networkOf(request.ip);
    count(reply, addresses.take(address, most.address));
    const refusal = authenticate(request, access);
    if (refusal !== null || access === 'anyone') count(reply, nobody.take(address, most.nobody));
    if (refusal !== null) throw refusal;
    if (access === 'session') count(reply, organisations.take(request.member.organisation, request.member.rate));
    if (deprecated && Date.now() >= deprecated.until) throw deprecated.gone;
    checkForm(request);
  }

  function authenticate(request: FastifyRequest, access: keyof typeof CHALLENGE): Problem | null {
    const [, scheme = '', key = ''] = /^(\w+)(?: +(.+))?$/.exec(request.headers.authorization ?? '') ?? [];
    if (
      request.headers.authorization === undefined ||
      (key === '' && scheme.toLowerCase() === CHALLENGE[access].toLowerCase())
    )
      return access === 'anyone' ? null : problem('credentials_missing', { 'WWW-Authenticate': CHALLENGE[access] });
    if (access !== 'invitation' && scheme.toLowerCase() === 'bearer') {
      const member = memberOf.get(hashOf(key));
      if (member) {
        request.member = member;
        return null;
      }
    }
    if (access !== 'session' && scheme.toLowerCase() === 'invitation') {
      const invitation = invitationOf.get(hashOf(key));
      if (invitation !== undefined) {
        request.invitation = invitation;
        return null;
      }
    }
    const challenge = CHALLENGE[access].replace('Bearer', 'Bearer error="invalid_token"');
    return problem('credentials_not_accepted', { 'WWW-Authenticate': challenge });
  }

  app.decorateRequest('member', null as never);
  app.decorateRequest('invitation', '');
  app.addHook('onRequest', (request, reply, done) => {
    try {
      admit(request, reply);
      done();
    } catch (refusal) {
      done(refusal as Error);
    }
  });
  app.addHook('preHandler', (request, _reply, done) => {
    const { takes } = request.routeOptions.config;
    done(!request.is404 && !takes && hasBody(request) ? (problem('body_not_expected') as never) : undefined);
  });
}

/** An IPv6 address counts by its first 64 bits. */
const networkOf = (address: string): string =>
  isIPv6(address) && !address.startsWith('::ffff:') ? address.split(':').slice(0, 4).join(':') : address;

const hasBody = ({ headers }: FastifyRequest): boolean =>
  Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;

function checkForm({ headers, method, routeOptions }: FastifyRequest): void {
  const { takes, gives = JSON_BODY } = routeOptions.config;
  if (method !== 'DELETE' && !accepts(headers.accept, gives)) throw problem('not_acceptable');
  const length = headers['content-length'];
  if (takes && length === undefined && headers['transfer-encoding'] === undefined) throw problem('length_missing');
  if (Number(length ?? 0) > routeOptions.bodyLimit!) throw problem('request_too_large');
  if (!takes) return;
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';').map((one) => one.trim().toLowerCase());
  const isForeign = parameters.some((one) => one.startsWith('charset=') && !/^charset="?utf-8"?$/.test(one));
  if (!takes.includes(type) || isForeign) throw problem('unsupported_media_type');
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') throw problem('unsupported_encoding');
}

/** Whether a header allows one of some media types: the most specific range counts (RFC 9110, section 12.5.1). */
function accepts(header: string | undefined, types: readonly string[]): boolean {
  if (header === undefined || header === '*/*' || types.includes(header)) return true;
  const ranges = header.split(',').map((one) => {
    const [type = '', ...parameters] = one.split(';').map((part) => part.trim().toLowerCase());
    return { type, weight: Number(parameters.find((part) => part.startsWith('q='))?.slice(2) ?? 1) };
  });
  return types.some((type) => {
    const candidates = [type, `${type.split('/')[0]}/*`, '*/*'];
    const best = candidates.map((candidate) => ranges.find((range) => range.type === candidate)).find(Boolean);
    return (best?.weight ?? 0) > 0;
  });
}
