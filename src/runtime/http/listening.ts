import { existsSync, lstatSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { connect, type Server } from 'node:net';
import { dirname } from 'node:path';

/** A listening socket other than a host and port: a Unix socket by its path, or an open one by its descriptor. */
export type ListeningSocket = { readonly path: string } | { readonly fd: number };

/** The place where a server listens: a port of a host, 0 for a free one, or a socket. */
export type ListeningPlace = { readonly host: string; readonly port: number } | ListeningSocket;

/**
 * Listens; resolves to the port, or to null for a socket. A Unix socket without a listener is replaced, since a killed
 * process leaves its socket behind. Rejects where the place is not available.
 */
export async function listenAt(server: Server, place: ListeningPlace): Promise<number | null> {
  if ('path' in place && (await isLeftBehind(place.path))) await unlink(place.path);
  return await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(place, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(address !== null && typeof address === 'object' ? address.port : null);
    });
  });
}

/** Whether a path is a Unix socket without a listener. */
function isLeftBehind(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(false);
    });
    // A file that is not a socket refuses connections, too, and must not be removed: Linux reports ECONNREFUSED, and
    // macOS ENOTSOCK.
    socket.once('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(code === 'ECONNREFUSED' && lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true),
    );
  });
}

/** The error of a failed listen; the message names the place, the reason and the remedy. */
export class ListenError extends Error {}

const WHY: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there',
  EACCES: 'this user may not listen there; ports below 1024 are the system’s',
  EPERM: 'this user may not listen there',
  EADDRNOTAVAIL: 'this machine does not have this address',
  ENOTFOUND: 'no host has this name',
  EAI_AGAIN: 'the name of the host can’t be looked up now',
  EAFNOSUPPORT: 'this machine has no addresses of this kind',
  EINVAL: 'no service can listen at this address',
  ENOTSOCK: 'the path is not a socket',
  EROFS: 'the file system is read-only',
  EMFILE: 'this process has too many files open',
  ENFILE: 'the system has too many files open',
};

/** Returns the error of a failed listen, for the operator; `option` is the option that sets another place. */
export function listenError(error: unknown, place: ListeningPlace, option: string): unknown {
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string') return error;
  const at = nameOf(place);
  const why = 'path' in place ? whyNoSocket(place.path, code) : null;
  return new ListenError(
    `${at} is not available: ${why ?? WHY[code] ?? `the system says ${code}`}. Choose another with ${option}.`,
  );
}

/**
 * Returns the reason why a Unix socket can't be made, where the system's error code is not clear enough; null
 * otherwise.
 */
function whyNoSocket(path: string, code: string): string | null {
  if (!existsSync(dirname(path))) return `there is no directory “${dirname(path)}”`;
  if (code !== 'EADDRINUSE') return null;
  return lstatSync(path, { throwIfNoEntry: false })?.isSocket() ? null : 'a file with this name exists';
}

const nameOf = (place: ListeningPlace): string => {
  if ('path' in place) return `unix:${place.path}`;
  if ('fd' in place) return 'The socket from systemd';
  return `${place.host.includes(':') ? `[${place.host}]` : place.host}:${place.port}`;
};
