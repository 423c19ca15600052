import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Hands on what is sent to a port, until it is told to hand on nothing: what is sent then stays where it is. */
export class Forwarder {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private silent = false;
  /** Where it hands on what is sent to it. */
  to: number;

  private constructor(to: number) {
    this.to = to;
    this.server = createServer((client) => {
      const upstream = connect(this.to, '127.0.0.1');
      for (const socket of [client, upstream]) {
        this.sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => this.sockets.delete(socket));
        if (this.silent) socket.pause();
      }
      client.on('data', (bytes: Buffer) => upstream.write(bytes));
      upstream.on('data', (bytes: Buffer) => client.write(bytes));
      client.on('close', () => upstream.destroy());
      upstream.on('close', () => client.destroy());
      if (this.silent) for (const socket of [client, upstream]) socket.pause();
    });
  }

  static async to(port: number): Promise<Forwarder> {
    const forwarder = new Forwarder(port);
    forwarder.server.listen(0, '127.0.0.1');
    await once(forwarder.server, 'listening');
    return forwarder;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The address of a database, by way of it. */
  url(database: string): string {
    const url = new URL(database);
    url.port = String(this.port);
    return url.href;
  }

  /** Nothing is handed on any more, and nothing ends: as when the machine behind it has vanished. */
  stop(): void {
    this.silent = true;
    for (const socket of this.sockets) socket.pause();
  }

  goOn(): void {
    this.silent = false;
    for (const socket of this.sockets) socket.resume();
  }

  /** Another machine answers at its address: what was sent to the one before is never answered. */
  moveTo(port: number): void {
    for (const socket of this.sockets) socket.removeAllListeners('data');
    this.to = port;
    this.silent = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }
}
