import { listItems, sameIgnoringCase } from '../http/headers.ts';
import { PROXY_HEADERS, type ProxyHeader, readTrusted, type TrustedProxies } from '../runtime/http/client-address.ts';
import type { ListeningSocket } from '../runtime/http/listening.ts';
import type { Level } from '../runtime/log.ts';
import { baseUrl } from '../text/address.ts';
import { oneLine } from '../text/visible.ts';
import { EXIT, type Io } from './io.ts';
import { notAnAddress } from './open.ts';

/** The options of a service that are looked at before anything is begun. */
interface PortOptions {
  readonly port: string;
  readonly listen?: string;
  readonly trustProxy?: string;
  readonly proxyHeaders?: string;
  readonly url?: string;
  readonly admin?: string;
  readonly console?: string;
  readonly log: string;
}

export const LEVELS: readonly Level[] = ['debug', 'info', 'warn', 'error'];

/** Where a service listens, and whom it believes there. */
export interface Ports {
  readonly port: number;
  /** What it listens at in the place of a host and a port. */
  readonly socket: ListeningSocket | null;
  readonly admin: { readonly host: string; readonly port: number } | null;
  readonly proxies: TrustedProxies | null;
}

/** Where to listen, or null after saying what is wrong with the options. `environment` tells of a socket that is handed over. */
export function readPorts(options: PortOptions, io: Io, environment: NodeJS.ProcessEnv = process.env): Ports | null {
  try {
    const port = portOf(options.port);
    if (port === null) throw new WrongOption(`“${options.port}” is not a port. A port is 0 to 65535.`);
    if (!LEVELS.includes(options.log as Level))
      throw new WrongOption(`“${options.log}” is not a log level. The levels are ${LEVELS.join(', ')}.`);
    if (options.url !== undefined && baseUrl(options.url) === null) throw new WrongOption(notAnAddress(options.url));
    if (options.console !== undefined && options.console !== 'on' && options.console !== 'off')
      throw new WrongOption(`“${options.console}” is neither on nor off, which is what --console takes.`);
    const socket = options.listen === undefined ? null : socketOf(options.listen, environment);
    return { port, socket, admin: adminOf(options.admin), proxies: proxiesOf(options) };
  } catch (error) {
    if (!(error instanceof WrongOption)) throw error;
    io.err(`error: ${oneLine(error.message)}\n`);
    io.exit(EXIT.wrongUse);
    return null;
  }
}

/** What is wrong with an option, in the words of its user. */
class WrongOption extends Error {}

const portOf = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,5}$/.test(text) && Number(text) < 65_536 ? Number(text) : null;

function adminOf(text: string | undefined): Ports['admin'] {
  if (text === undefined) return null;
  const match = /^(.+):(\d{1,5})$/.exec(text);
  const port = portOf(match?.[2]);
  if (!match || port === null) throw new WrongOption(`“${text}” is not of the form HOST:PORT, such as 127.0.0.1:9090.`);
  return { host: match[1]!.replace(/^\[|\]$/g, ''), port };
}

/** The most bytes that the path of a Unix socket may have on every system that Ninefold runs on. */
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
    throw new WrongOption(`“${text}” is neither unix:PATH nor systemd, which is what --listen takes.`);
  const { LISTEN_FDS: count, LISTEN_PID: owner } = environment;
  if (count === undefined)
    throw new WrongOption('No socket was handed over: --listen systemd is for a service with a socket unit.');
  if (owner !== String(process.pid))
    throw new WrongOption(
      `The socket was handed over to process ${owner ?? 'none'}, and this is ${process.pid}: start it without a shell in between.`,
    );
  if (count !== '1')
    throw new WrongOption(`${count} sockets were handed over. A service listens at one: name one in its socket unit.`);
  return { fd: FIRST_SOCKET };
}

function proxiesOf({ trustProxy, proxyHeaders }: PortOptions): TrustedProxies | null {
  if (trustProxy === undefined) {
    if (proxyHeaders !== undefined)
      throw new WrongOption(
        '--proxy-headers says what proxies write, and none is trusted: name them with --trust-proxy.',
      );
    return null;
  }
  const trusted = readTrusted(trustProxy);
  if ('wrong' in trusted) throw new WrongOption(`${trusted.wrong} That is what --trust-proxy takes.`);
  return { ...trusted, headers: proxyHeaders === undefined ? null : headersOf(proxyHeaders) };
}

function headersOf(text: string): ProxyHeader[] {
  const headers = listItems(text).map((item) => {
    const known = PROXY_HEADERS.find((name) => sameIgnoringCase(item, name));
    if (known) return known;
    const why = sameIgnoringCase(item, 'x-forwarded-proto') ? ': nothing in a service depends on the scheme' : '';
    throw new WrongOption(`“${item}” is not read${why}. --proxy-headers takes ${PROXY_HEADERS.join(', ')}.`);
  });
  if (headers.includes('forwarded') && headers.length > 1)
    throw new WrongOption('forwarded tells of the client and of the host: --proxy-headers takes no other beside it.');
  return headers;
}
