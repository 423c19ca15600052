import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { AdminPages, AdminRequest, AdminResponse } from '../runtime/admin/admin.ts';
import { describeError, type Log } from '../runtime/log.ts';
import { operatorsAddress } from '../runtime/operator-console.ts';
import { pathSegment, segmentText } from '../text/path-segment.ts';
import type { Access, Session } from './access.ts';
import type { Acts } from './acts.ts';
import { type RequestBody, readBody } from './body.ts';
import type { PageFile } from './bundle.ts';
import type { LiveStream } from './live.ts';
import { ConsoleError, consoleError } from './problem.ts';
import { KEPT, send, sendDownload, sendJson, sendNote, sendProblem } from './responses.ts';
import { type Route, Routes, type Views } from './route.ts';

const API = '/console/api';
const NO_SESSION =
  'Open the console with the link that `ninefold serve` has printed. The link works once; `ninefold console FILE` prints another.';
const ENDED =
  'You have no session, or your session has ended. `ninefold console FILE` prints a link that begins another.';
/** How long the rest of a refused body is read and discarded before the connection is closed, in milliseconds. */
const LINGER_MS = 1000;
/** The most characters of a text that names what is changed, in a body or a path. */
const MOST_NAMED = 200;

/** Options of the console. */
export interface ConsoleOptions {
  /** The host of the operator's port, as given on the command line. */
  readonly host: string;
  readonly log: Log;
  /** The time, in milliseconds since the epoch. */
  readonly now?: () => number;
  readonly files?: () => Promise<ReadonlyMap<string, PageFile>>;
}

/** Serves the operator's page and its data on the operator's port. All of it needs a session. */
export class Console {
  private readonly options: ConsoleOptions;
  private readonly access: Access;
  private readonly acts: Acts;
  private readonly routes: Routes;
  private readonly live: LiveStream;
  private files: Promise<ReadonlyMap<string, PageFile>> | null = null;

  constructor(access: Access, acts: Acts, { routes, live }: Views, options: ConsoleOptions) {
    this.options = options;
    this.access = access;
    this.acts = acts;
    this.routes = new Routes(routes);
    this.live = live;
  }

  /** The link that opens the console; the port is known once the server listens. */
  link(port: number): string {
    return `${operatorsAddress(this.options.host, port)}/console?key=${this.access.issued}`;
  }

  /** Answers the paths of the console. */
  readonly pages: AdminPages = (request, response) => {
    const [path = '', query = ''] = (request.url ?? '').split('?', 2);
    if (path !== '/console' && !path.startsWith('/console/')) return false;
    void this.answer(request, response, path, new URLSearchParams(query));
    return true;
  };

  /** Never rejects. */
  private async answer(
    request: AdminRequest,
    response: AdminResponse,
    path: string,
    query: URLSearchParams,
  ): Promise<void> {
    const api = path.startsWith(`${API}/`);
    // Without this listener, an aborted request would end the process.
    request.on('error', () => {});
    try {
      await (api
        ? this.answerData(request, response, path.slice(API.length), query)
        : this.answerPage(request, response, path, query));
    } catch (error) {
      // Nobody reads the answer, and the work for it has been stopped.
      if (error instanceof DOMException && error.name === 'AbortError' && response.destroyed) return;
      const known = consoleError(error);
      if (known.kind === 'defect') this.options.log('error', 'console.failed', { path, ...describeError(error) });
      if (response.headersSent) response.destroy();
      else if (api) sendProblem(response, known);
      else sendNote(response, known.status, known.message);
    }
    if (!request.complete) discardBody(request);
  }

  private async answerPage(
    request: AdminRequest,
    response: AdminResponse,
    path: string,
    query: URLSearchParams,
  ): Promise<void> {
    mustBeOwn(request, this.options.host, false);
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw new ConsoleError('wrong use', 'Pages accept only GET.', { status: 405 });
    const key = query.get('key');
    if (path === '/console' && key !== null && request.method === 'GET') return this.enter(request, response, key);
    if (!(await this.session(request))) return sendNote(response, 401, NO_SESSION);
    if (path === '/console') return toConsole(request, response, {});
    await this.sendFile(response, path.slice('/console/'.length));
  }

  /** Uses up the key, and redirects to an address without it. */
  private async enter(request: AdminRequest, response: AdminResponse, key: string): Promise<void> {
    const token = await this.access.enter(key);
    // A browser with a session may open the link again.
    if (token === null && !(await this.session(request))) sendNote(response, 401, NO_SESSION);
    else toConsole(request, response, token === null ? {} : { 'Set-Cookie': cookieOf(request, token) });
  }

  private async sendFile(response: AdminResponse, name: string): Promise<void> {
    this.files ??= (this.options.files ?? pageFiles)();
    const files = await this.files.catch((error: unknown) => {
      this.files = null;
      throw error instanceof PageMissing ? new ConsoleError('unavailable', error.message) : error;
    });
    const file = files.get(name) ?? (name.startsWith('assets/') ? undefined : files.get('index.html'));
    if (!file) throw new ConsoleError('not found', 'The console has no such file. Load the page again.');
    const { type, body, immutable } = file;
    send(response, { status: 200, type, ...(immutable && { cache: KEPT }) }, body);
  }

  private async answerData(
    request: AdminRequest,
    response: AdminResponse,
    path: string,
    query: URLSearchParams,
  ): Promise<void> {
    mustBeOwn(request, this.options.host, true);
    const session = await this.session(request);
    if (!session) throw new ConsoleError('no session', ENDED);
    if (path === '/live' && request.method === 'GET')
      return this.live.listen(request, response, async () => (await this.session(request)) !== null);
    const { route, names } = this.routes.find(request.method ?? '', path);
    if ([...names, ...query.values()].some((text) => text.includes('\0')))
      throw new ConsoleError('wrong use', 'No stored text has U+0000.');
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const call = { names, query, session, ifMatch: request.headers['if-match'] ?? null, signal: gone.signal };
    if ('file' in route) return sendDownload(response, await route.file({ ...call, body: null }));
    if (route.method === 'GET') return sendJson(response, await route.answer({ ...call, body: null }));
    const body = await readBody(request, route.most);
    if (route.reads) return sendJson(response, await route.answer({ ...call, body }));
    const change = async (): Promise<object> => route.answer({ ...call, body });
    const what = (answer: object | null): string => {
      const about = aboutOf(route, body, answer);
      return about === '' ? shortPath(path) : `${shortPath(path)} ${about}`;
    };
    sendJson(response, await this.acted(session.name, what, change));
  }

  /** Makes a change, and notes who has made it, whether or not it was refused. */
  private async acted(
    by: string,
    whatOf: (answer: object | null) => string,
    change: () => Promise<object>,
  ): Promise<object> {
    let answer: object | null = null;
    try {
      answer = await change();
      return answer;
    } finally {
      const act = { by, what: whatOf(answer), refused: answer === null };
      this.acts.note({ at: Date.now(), ...act });
      this.options.log('info', 'console.act', act);
    }
  }

  private async session(request: AdminRequest): Promise<Session | null> {
    const name = `${cookieName(request)}=`;
    const all = (request.headers.cookie ?? '').split(/;\s*/);
    const token = all.find((one) => one.startsWith(name))?.slice(name.length);
    return token === undefined ? null : this.access.find(token);
  }
}

/** A path whose long names are cut, each at a whole character, and end with `…`. */
const shortPath = (path: string): string =>
  path
    .split('/')
    .map((segment) => {
      const text = segmentText(segment);
      return text.length > MOST_NAMED ? `${pathSegment(text.slice(0, MOST_NAMED).toWellFormed())}…` : segment;
    })
    .join('/');

/** The subject of a change, where the path does not name it. */
function aboutOf({ about }: Extract<Route, { method: 'POST' }>, body: RequestBody, answer: object | null): string {
  try {
    const subject = about?.(body, answer) ?? '';
    return subject.length > MOST_NAMED ? `${subject.slice(0, MOST_NAMED).toWellFormed()}…` : subject;
  } catch (error) {
    // A body without the text is refused.
    if (error instanceof ConsoleError) return '';
    throw error;
  }
}

/** Cookies do not distinguish ports, so the name of the cookie contains the port of the console. */
const cookieName = ({ socket }: AdminRequest): string => `ninefold_console_${socket.localPort ?? 0}`;

const cookieOf = (request: AdminRequest, token: string): string =>
  `${cookieName(request)}=${token}; HttpOnly; SameSite=Strict; Path=/console`;

/**
 * Redirects to the page, without the key. After a cross-site navigation, browsers do not send a strict cookie along a
 * redirect, so a page with a refresh replaces the redirect.
 */
function toConsole(request: AdminRequest, response: AdminResponse, headers: Readonly<Record<string, string>>): void {
  const site = request.headers['sec-fetch-site'] ?? 'none';
  if (site === 'none' || site === 'same-origin')
    send(
      response,
      { status: 303, type: 'text/plain; charset=utf-8', more: { Location: '/console/', ...headers } },
      'The console is at /console/\n',
    );
  else
    send(
      response,
      { status: 200, type: 'text/html; charset=utf-8', more: headers },
      '<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/console/"><title>Ninefold console</title><p><a href="/console/">To the console</a></p></html>\n',
    );
}

function mustBeOwn(request: AdminRequest, host: string, api: boolean): void {
  const problem = originProblem(request, host, api);
  if (problem) throw new ConsoleError('forbidden', problem.why, { status: problem.status });
}

/** Reads and discards an unread body for a while, so that the answer arrives before the connection is closed. */
function discardBody(request: AdminRequest): void {
  request.resume();
  setTimeout(() => request.complete || request.socket.destroy(), LINGER_MS).unref();
}

/** The reason to refuse a request because of its origin or host. */
interface OriginProblem {
  readonly status: 403 | 421;
  readonly why: string;
}

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);
/** Host names that always reach a port of the same machine. */
const LOCAL_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/**
 * The values of `Host` under which the console answers. With DNS rebinding, a page of another origin sends its own name
 * in `Host`.
 */
function hostsOf(request: AdminRequest, named: string): ReadonlySet<string> {
  const { localAddress = '', localPort = 0 } = request.socket;
  const everywhere = named === '0.0.0.0' || named === '::';
  const local = LOOPBACK.has(localAddress) || everywhere ? LOCAL_NAMES : [];
  const address = localAddress.replace(/^::ffff:(?=\d)/, '');
  const names = [...local, bracketed(address), ...(everywhere ? [] : [bracketed(named)])];
  return new Set(names.map((name) => `${name.toLowerCase()}:${localPort}`));
}

const bracketed = (address: string): string => (address.includes(':') ? `[${address}]` : address);

/**
 * The reason to refuse a request: a wrong host, or a page of another origin; null if there is none. The operator gives
 * the host `named`.
 */
function originProblem(request: AdminRequest, named: string, api: boolean): OriginProblem | null {
  const host = request.headers.host?.toLowerCase() ?? '';
  // Browsers omit the default port of http.
  const authority = /:\d+$/.test(host) ? host : `${host}:80`;
  if (!hostsOf(request, named).has(authority))
    return { status: 421, why: 'The console answers only at the address that it listens on.' };
  const { origin } = request.headers;
  if (origin !== undefined && origin.toLowerCase() !== `http://${host}`)
    return { status: 403, why: 'Another page has sent this request. The console answers only its own.' };
  const site = request.headers['sec-fetch-site'];
  // Another port of this machine belongs to the same site, so its pages send the cookie, too.
  const own = site === undefined || site === 'same-origin' || (site === 'none' && request.method === 'GET');
  if (api && !own) return { status: 403, why: 'Another page has sent this request. The console answers only its own.' };
  return null;
}

/** The page is not there to be sent: the message says what to do. */
class PageMissing extends Error {}

/** Where the build writes the page: beside this file, as it is published. */
const BUILT = join(import.meta.dirname, 'page');

/**
 * The files of the page, by their path below `/console/`: `index.html`, which is sent for every view, and those that it
 * loads. From the package as it was built, or bundled in memory where nothing has been built. Rejects with PageMissing.
 */
async function pageFiles(): Promise<ReadonlyMap<string, PageFile>> {
  if (existsSync(join(BUILT, 'index.html'))) return builtFiles();
  try {
    const { bundlePage } = await import('./bundle.ts');
    return await bundlePage();
  } catch (error) {
    throw new PageMissing(
      `the console’s page could not be bundled: ${reasonOf(error)} In a clone, run \`npm ci\`; or serve without the console with \`--console off\`.`,
    );
  }
}

const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['html', 'text/html; charset=utf-8'],
]);

function builtFiles(): ReadonlyMap<string, PageFile> {
  const entries = readdirSync(BUILT, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    entries.map((entry): [string, PageFile] => {
      const path = join(entry.parentPath, entry.name);
      const name = relative(BUILT, path).replaceAll('\\', '/');
      const type = [...MEDIA_TYPES].find(([end]) => name.endsWith(end))?.[1] ?? 'application/octet-stream';
      return [name, { body: readFileSync(path), type, immutable: name.startsWith('assets/') }];
    }),
  );
}

/** The first line of an error, as a sentence. */
function reasonOf(error: unknown): string {
  const [line = ''] = String(error instanceof Error ? error.message : error).split('\n');
  return line.endsWith('.') ? line : `${line}.`;
}
