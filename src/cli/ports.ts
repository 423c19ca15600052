import type { Level } from '../runtime/log.ts';
import { baseUrl } from '../text/address.ts';
import { oneLine } from '../text/visible.ts';
import { EXIT, type Io } from './io.ts';
import { notAnAddress } from './open.ts';

/** The options of a service that are looked at before anything is begun. */
interface PortOptions {
  readonly port: string;
  readonly url?: string;
  readonly admin?: string;
  readonly console?: string;
  readonly log: string;
}

export const LEVELS: readonly Level[] = ['debug', 'info', 'warn', 'error'];

/** Where to listen, or null after saying what is wrong with the options. */
export function readPorts(
  options: PortOptions,
  io: Io,
): { port: number; admin: { host: string; port: number } | null } | null {
  const wrong = (message: string): null => {
    io.err(`error: ${oneLine(message)}\n`);
    io.exit(EXIT.wrongUse);
    return null;
  };
  const portOf = (text: string | undefined): number | null =>
    text !== undefined && /^\d{1,5}$/.test(text) && Number(text) < 65_536 ? Number(text) : null;
  const port = portOf(options.port);
  if (port === null) return wrong(`“${options.port}” is not a port. A port is 0 to 65535.`);
  if (!LEVELS.includes(options.log as Level))
    return wrong(`“${options.log}” is not a log level. The levels are ${LEVELS.join(', ')}.`);
  if (options.url !== undefined && baseUrl(options.url) === null) return wrong(notAnAddress(options.url));
  if (options.console !== undefined && options.console !== 'on' && options.console !== 'off')
    return wrong(`“${options.console}” is neither on nor off, which is what --console takes.`);
  if (options.admin === undefined) return { port, admin: null };
  const match = /^(.+):(\d{1,5})$/.exec(options.admin);
  const adminPort = portOf(match?.[2]);
  if (!match || adminPort === null) return wrong(`“${options.admin}” is not of the form HOST:PORT.`);
  return { port, admin: { host: match[1]!.replace(/^\[|\]$/g, ''), port: adminPort } };
}
