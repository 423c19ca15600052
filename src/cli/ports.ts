import { listItems, sameIgnoringCase } from '../http/headers.ts';
import { PROXY_HEADERS, type ProxyHeader, readTrusted, type TrustedProxies } from '../runtime/http/client-address.ts';
import type { ListeningSocket } from '../runtime/http/listening.ts';
import type { Level } from '../runtime/log.ts';
import type { AdminAddress } from '../runtime/service-options.ts';
import { baseUrl } from '../text/address.ts';
import { oneLine } from '../text/visible.ts';
import { EXIT, type Io } from './io.ts';
import { notAnAddress } from './open.ts';

/** The options of a service that are checked before it starts. */
interface PortOptions {
  readonly port: string;
  readonly listen?: string;
  readonly trustProxy?: string;
  readonly proxyHeaders?: string;
  readonly url?: string;
  readonly admin?: string;
  readonly adminNames?: string;
  readonly console?: string;
  readonly log: string;
}

export const LEVELS: readonly Level[] = ['debug', 'info', 'warn', 'error'];

/** The addresses that a service listens at, and the proxies that it trusts. */
export interface Ports {
  readonly port: number;
  /** The socket that replaces host and port; null if none. */
  readonly socket: ListeningSocket | null;
  readonly admin: AdminAddress | null;
  readonly proxies: TrustedProxies | null;
}

/** Reads the addresses; null after printing the problem with an option. `environment` describes an inherited socket. */
export function readPorts(options: PortOptions, io: Io, environment: NodeJS.ProcessEnv = process.env): Ports | null {
  try {
    const port = portOf(options.port);
    if (port === null) throw new WrongOption(`“${options.port}” is not a port. A port is 0 to 65535.`);
    if (!LEVELS.includes(options.log as Level))
      throw new WrongOption(`“${options.log}” is not a log level. The levels are ${LEVELS.join(', ')}.`);
    if (options.url !== undefined && baseUrl(options.url) === null) throw new WrongOption(notAnAddress(options.url));
    if (options.console !== undefined && options.console !== 'on' && options.console !== 'off')
      throw new WrongOption(`“${options.console}” is not a value of --console. The values are on and off.`);
    const socket = options.listen === undefined ? null : socketOf(options.listen, environment);
    return { port, socket, admin: adminOf(options), proxies: proxiesOf(options) };
  } catch (error) {
    if (!(error instanceof WrongOption)) throw error;
    io.err(`error: ${oneLine(error.message)}\n`);
    io.exit(EXIT.wrongUse);
    return null;
  }
}

/** A problem with an option, as a message for the user. */
class WrongOption extends Error {}

const portOf = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,5}$/.test(text) && Number(text) < 65_536 ? Number(text) : null;

/** The host, without the brackets of an IPv6 address, and the port of `HOST:PORT`; null for another text. */
export function hostAndPort(text: string): { readonly host: string; readonly port: number } | null {
  const match = /^(.+):(\d{1,5})$/.exec(text);
  const port = portOf(match?.[2]);
  return match && port !== null ? { host: match[1]!.replace(/^\[|\]$/g, ''), port } : null;
}

export const notHostAndPort = (text: string): string =>
  `“${text}” is not of the form HOST:PORT, such as 127.0.0.1:9090.`;

function adminOf({ admin: text, adminNames }: PortOptions): AdminAddress | null {
  if (text === undefined) {
    if (adminNames !== undefined)
      throw new WrongOption('--admin-names needs the operator’s port. Give it with --admin.');
    return null;
  }
  const at = hostAndPort(text);
  if (!at) throw new WrongOption(notHostAndPort(text));
  const { host, port } = at;
  return { host, port, names: new Set([host, ...namesOf(adminNames)].map((name) => name.toLowerCase())) };
}

function namesOf(text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  return text.split(',').map((item) => {
    const name = item.trim();
    if (!/^[a-z\d_]([a-z\d_-]*[a-z\d_])?(\.[a-z\d_]([a-z\d_-]*[a-z\d_])?)*$/i.test(name))
      throw new WrongOption(
        `“${name}” is not a value of --admin-names. The values are names without a port, such as orders.internal, separated by commas.`,
      );
    return name;
  });
}

/** The most bytes in the path of a Unix socket that all supported systems allow. */
const PATH_BYTES = 103;

/** The first of the sockets that systemd hands over (sd_listen_fds(3)). */
const FIRST_SOCKET = 3;

function socketOf(text: string, environment: NodeJS.ProcessEnv): ListeningSocket {
  if (text.startsWith('unix:') && text.length > 'unix:'.length) {
    const path = text.slice('unix:'.length);
    if (Buffer.byteLength(path) > PATH_BYTES)
      throw new WrongOption(`“${path}” is too long for the path of a socket, which has at most ${PATH_BYTES} bytes.`);
    return { path };
  }
  if (text !== 'systemd')
    throw new WrongOption(`“${text}” is not a value of --listen. The values are unix:PATH and systemd.`);
  const { LISTEN_FDS: count, LISTEN_PID: owner } = environment;
  if (count === undefined) throw new WrongOption('systemd has passed no socket. --listen systemd needs a socket unit.');
  if (owner !== String(process.pid))
    throw new WrongOption(
      `systemd has passed the socket to process ${owner ?? 'none'}, and this process is ${process.pid}. Start ninefold without a shell in between.`,
    );
  if (count !== '1')
    throw new WrongOption(
      `systemd has passed ${count} sockets, and a service listens on one. Name one socket in the socket unit.`,
    );
  return { fd: FIRST_SOCKET };
}

function proxiesOf({ trustProxy, proxyHeaders }: PortOptions): TrustedProxies | null {
  if (trustProxy === undefined) {
    if (proxyHeaders !== undefined)
      throw new WrongOption('--proxy-headers needs trusted proxies. Name the proxies with --trust-proxy.');
    return null;
  }
  const trusted = readTrusted(trustProxy);
  if ('wrong' in trusted) throw new WrongOption(`--trust-proxy: ${trusted.wrong}`);
  return { ...trusted, headers: proxyHeaders === undefined ? null : headersOf(proxyHeaders) };
}

function headersOf(text: string): ProxyHeader[] {
  const headers = listItems(text).map((item) => {
    const known = PROXY_HEADERS.find((name) => sameIgnoringCase(item, name));
    if (known) return known;
    const why = sameIgnoringCase(item, 'x-forwarded-proto') ? ': nothing in a service depends on the scheme' : '';
    throw new WrongOption(
      `“${item}” is not a value of --proxy-headers${why}. The values are ${PROXY_HEADERS.join(', ')}.`,
    );
  });
  if (headers.includes('forwarded') && headers.length > 1)
    throw new WrongOption('“forwarded” contains the client and the host. Remove the other values of --proxy-headers.');
  return headers;
}

/** The addresses that only programs of this machine reach. */
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);

/** The reason why a service with these options cannot let its operators edit the document; null if it can. */
export function editProblem(file: string, options: EditOptions): string | null {
  const { admin, console, store, listen } = options;
  if (admin === undefined || console === 'off')
    return '--edit needs the console, which has the editor: give its address with --admin, without --console off.';
  if (!LOOPBACK.has(hostAndPort(admin)?.host.toLowerCase() ?? ''))
    return `--edit needs an --admin address of this machine, such as 127.0.0.1:9090. The console has no TLS: whoever reads the traffic to “${admin}” could change the service.`;
  if (file === '-') return '--edit needs a document in a file. Standard input cannot be written.';
  if (store !== undefined)
    return '--edit does not go with --store: several services may share a database, and a change in one would leave the others with the old document. Use --data.';
  if (listen !== undefined)
    return '--edit does not go with --listen, which is for services behind a proxy. Edit the document in a copy, and serve the result.';
  return null;
}

interface EditOptions {
  readonly admin?: string;
  readonly console?: string;
  readonly store?: string;
  readonly listen?: string;
}
