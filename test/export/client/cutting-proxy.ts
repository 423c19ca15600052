import { createServer, type Server, type Socket, connect as toService } from 'node:net';

/** Where a connection is cut: amid the request, once the service has answered, amid the answer, or nowhere. */
export type Cut = 'request' | 'answer due' | 'answer' | 'nowhere';

/** A proxy that hands bytes on, and cuts connections as it is told to: each connection is for one request. */
export class CuttingProxy {
  /** How often it cut where. */
  readonly cuts: Record<Cut, number> = { request: 0, 'answer due': 0, answer: 0, nowhere: 0 };
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();

  /** `next`: what becomes of each connection, by its number. */
  constructor(service: string, next: (number: number) => Cut) {
    const port = Number(new URL(service).port);
    let number = 0;
    this.server = createServer((client) => {
      const cut = next(++number);
      this.cuts[cut]++;
      const upstream = toService(port, '127.0.0.1');
      for (const socket of [client, upstream]) {
        this.sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => this.sockets.delete(socket));
      }
      handOn(client, upstream, cut);
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('It has no port');
    return `http://127.0.0.1:${address.port}`;
  }

  /** Cuts what is open now. */
  cutAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cutAll();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

function handOn(client: Socket, upstream: Socket, cut: Cut): void {
  const end = (): void => {
    client.destroy();
    upstream.destroy();
  };
  client.on('data', (bytes: Buffer) => {
    if (cut !== 'request') {
      upstream.write(bytes);
      return;
    }
    upstream.write(bytes.subarray(0, bytes.length >> 1), end);
  });
  upstream.on('data', (bytes: Buffer) => {
    if (cut === 'answer due') end();
    else if (cut === 'answer') client.write(bytes.subarray(0, bytes.length >> 1), end);
    else client.write(bytes);
  });
  client.on('close', () => upstream.destroy());
  upstream.on('close', () => client.end());
}
