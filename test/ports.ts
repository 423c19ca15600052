import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/**
 * A port for what is to come back to it: from below those that systems give to connections and to whoever asks for any
 * (from 32768 on, or later), one of which could have it meanwhile.
 */
const likelyFree = (): number => randomInt(15_000, 32_000);

/** Has a server listen on a free port that it can come back to; gives it. */
export async function listenApart(server: Server): Promise<number> {
  for (;;) {
    const port = likelyFree();
    server.listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
      return port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
}

/** A port that is free now, for a program that is told which to take. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenApart(server);
  server.close();
  await once(server, 'close');
  return port;
}
