import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify';
import { serveAudit } from './audit.ts';
import { serveConversation } from './conversation.ts';
import { type Db, openDatabase } from './database.ts';
import { Events } from './events.ts';
import { FileStore } from './files.ts';
import { type AddressRates, admitRequests } from './gate.ts';
import { Idempotency } from './idempotency.ts';
import { serveInvitations } from './invitations.ts';
import { MailQueue } from './mail.ts';
import { Pages } from './pages.ts';
import { servePeople } from './people.ts';
import { PROBLEM_TYPE, Problem, type ProblemCode, problem } from './problems.ts';
import { serveReports } from './reports.ts';
import { Schedule } from './schedule.ts';
import type { Service } from './service.ts';
import { serveSettings } from './settings.ts';
import { serveTable } from './table.ts';
import { TicketStore } from './ticket-store.ts';
import { serveTickets } from './tickets.ts';
import { fields, prepareAjv, problemOf } from './validation.ts';
import { Webhooks } from './webhooks.ts';

export interface Options {
  readonly data: string;
  readonly rates: AddressRates;
  readonly allowsPrivate: boolean;
  readonly mailUrl: string;
}

const BODY_BYTES = 64 * 1024;
const SECOND = 1000;
const DAY = 24 * 60 * 60 * SECOND;
const INVITATION_LASTS = 3 * DAY;

/** Opens the rows of a directory, and everything that serves them. */
export function buildApp({ data, rates, allowsPrivate, mailUrl }: Options): FastifyInstance {
  mkdirSync(data, { recursive: true });
  const path = join(data, 'helpdesk.sqlite');
  const db = openDatabase(path);
  const events = new Events(db);
  const service: Service = {
    db,
    path,
    events,
    tickets: new TicketStore(db, events),
    pages: new Pages(secretOf(db)),
    idempotency: new Idempotency(db),
    mail: new MailQueue(db, mailUrl),
    files: new FileStore(join(data, 'files')),
  };
  service.files.sweep(db);
  const app = Fastify({
    bodyLimit: BODY_BYTES,
    requestTimeout: 2 * 60 * SECOND,
    keepAliveTimeout: 60 * SECOND,
    exposeHeadRoutes: false,
    onProtoPoisoning: 'ignore',
    onConstructorPoisoning: 'ignore',
    frameworkErrors: (_error, _request, reply) => void refuse(reply as FastifyReply, problem('no_such_endpoint')),
    ajv: {
      customOptions: { coerceTypes: false, removeAdditional: false, allErrors: true, verbose: true, strict: false },
      onCreate: prepareAjv as never,
    },
  });
  app.removeContentTypeParser('text/plain');
  const parseJson = app.getDefaultJsonParser('ignore', 'ignore');
  app.addContentTypeParser('application/merge-patch+json', { parseAs: 'string' }, parseJson);
  // What takes no body refuses it, whatever it is.
  app.addContentTypeParser('*', (_request, bytes, done) => {
    bytes.resume();
    done(null);
  });
  app.setErrorHandler((error: FastifyError | Problem, request, reply) => {
    if (error instanceof Problem) return refuse(reply, error);
    if (error.validation) return refuse(reply, problemOf(error, request.routeOptions.schema!));
    const code = OF_FRAMEWORK[error.code] ?? 'failure';
    if (code === 'failure') console.error(request.method, request.routeOptions.url, error);
    return refuse(reply, problem(code));
  });
  refuseElsewhere(app);
  admitRequests(app, db, rates);
  servePeople(app, service);
  serveInvitations(app, service);
  serveSettings(app, service);
  serveTickets(app, service);
  serveConversation(app, service);
  serveAudit(app, service);
  serveReports(app, service);
  serveTable(app, service);
  const stop = startTimers(service, new Webhooks(db, allowsPrivate));
  app.addHook('onClose', () => {
    stop();
    db.close();
  });
  return app;
}

const OF_FRAMEWORK: Readonly<Record<string, ProblemCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'request_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_JSON_BODY: 'malformed_request',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'malformed_request',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_request',
};

const refuse = (reply: FastifyReply, { status, headers, body }: Problem): FastifyReply =>
  reply.code(status).headers(headers).type(PROBLEM_TYPE).send(JSON.stringify(body));

/** Every route takes no parameters unless it says so; an address that has other methods is refused with them. */
function refuseElsewhere(app: FastifyInstance): void {
  const methodsOf = new Map<string, string[]>();
  app.addHook('onRoute', (route) => {
    methodsOf.set(route.url, [...(methodsOf.get(route.url) ?? []), String(route.method)]);
    route.schema = { querystring: fields({}), ...route.schema };
  });
  const matches = (url: string, path: string): boolean =>
    new RegExp(
      `^${url.replaceAll('.', '\\.').replaceAll('::', '\0').replace(/:\w+/g, '[^/]+').replaceAll('\0', ':')}$`,
    ).test(path);
  app.setNotFoundHandler(({ url }, reply) => {
    const path = url.split('?')[0]!;
    const methods = [...methodsOf].find(([one]) => matches(one, path))?.[1];
    return refuse(
      reply,
      methods ? problem('method_not_allowed', { Allow: methods.join(', ') }) : problem('no_such_endpoint'),
    );
  });
}

/** The secret of cursors, which is made once and outlasts restarts. */
function secretOf(db: Db): Buffer {
  db.exec('CREATE TABLE IF NOT EXISTS secret (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID');
  db.prepare("INSERT OR IGNORE INTO secret VALUES ('cursors', ?)").run(randomBytes(32));
  return db.prepare("SELECT value FROM secret WHERE name = 'cursors'").pluck().get() as Buffer;
}

/** What happens by itself: deliveries, mail, what is due, and what is forgotten. */
function startTimers({ db, tickets, mail }: Service, webhooks: Webhooks): () => void {
  const closing = new Schedule(db, 'close_solved', { hour: 2, minute: 30, zone: 'Europe/Berlin' }, (scheduled) =>
    tickets.closeSolved(scheduled),
  );
  const forgettingChanges = new Schedule(
    db,
    'forget_changes',
    { hour: 3, minute: 30, zone: 'Europe/Berlin' },
    (scheduled) => tickets.forgetChanges(scheduled),
  );
  const lapsing = db.prepare('DELETE FROM invitation WHERE created <= ?');
  const forgetting = db.prepare('DELETE FROM answer WHERE expires <= ?');
  const every = (seconds: number, work: () => void): NodeJS.Timeout =>
    setInterval(() => {
      try {
        work();
      } catch (error) {
        console.error(error);
      }
    }, seconds * SECOND);
  const timers = [
    every(0.25, () => webhooks.send()),
    every(0.25, () => mail.send()),
    every(1, () => {
      tickets.tellOverdue();
      lapsing.run(new Date(Date.now() - INVITATION_LASTS).toISOString());
    }),
    every(20, () => {
      closing.run();
      forgettingChanges.run();
    }),
    every(600, () => {
      webhooks.forget();
      forgetting.run(Date.now());
    }),
  ];
  return () => timers.forEach((one) => void clearInterval(one));
}
