import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * Stands between a server and its database, and counts round trips: each time that the server sends something and
 * nothing that it has sent before is without an answer. Answers are held for a while, so that what is sent without
 * waiting for them is one trip.
 */
export class Wire {
  /** How many trips there have been. */
  trips = 0;
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();

  private constructor(port: number, delayMs: number) {
    this.server = createServer({ noDelay: true }, (near) => {
      const far = connect({ port, host: '127.0.0.1', noDelay: true });
      let isAnswered = true;
      near.on('data', (bytes) => {
        if (isAnswered) this.trips++;
        isAnswered = false;
        far.write(bytes);
      });
      far.on('data', (bytes) =>
        setTimeout(() => {
          isAnswered = true;
          near.write(bytes);
        }, delayMs),
      );
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.sockets.add(one);
        one.on('close', () => {
          this.sockets.delete(one);
          other.destroySoon();
        });
        // A close follows, which ends the other side.
        one.on('error', () => {});
      }
    });
  }

  /** Opens one to what listens at a port of this machine. */
  static async to(port: number, delayMs: number): Promise<Wire> {
    const wire = new Wire(port, delayMs);
    wire.server.listen(0, '127.0.0.1');
    await once(wire.server, 'listening');
    return wire;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }
}
