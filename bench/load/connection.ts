import { connect, type Socket } from 'node:net';
import { ResponseReader } from './response.ts';

/** One connection that is kept alive, with at most one request under way. */
export class Connection {
  private readonly socket: Socket;
  private readonly reader = new ResponseReader();
  private readonly fail: (error: unknown) => void;
  /** Told of each whole answer. */
  onAnswer: (answer: ResponseReader) => void = () => {};

  private constructor(socket: Socket, fail: (error: unknown) => void) {
    this.socket = socket;
    this.fail = fail;
    socket.on('data', (chunk: Buffer) => this.take(chunk));
    socket.on('error', fail);
    socket.on('close', () => fail(new Error('The server has closed a connection')));
  }

  /** Connects; `fail` hears of everything that goes wrong later. */
  static open(port: number, fail: (error: unknown) => void): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new Connection(socket, fail));
      });
    });
  }

  /** Sends a request whose text holds one byte a character. */
  send(request: string): void {
    this.socket.write(request, 'latin1');
  }

  /** Sends a request and waits for its answer. */
  ask(request: string): Promise<ResponseReader> {
    return new Promise((resolve) => {
      this.onAnswer = resolve;
      this.send(request);
    });
  }

  close(): void {
    this.socket.removeAllListeners('close');
    this.socket.destroy();
  }

  private take(chunk: Buffer): void {
    try {
      if (!this.reader.push(chunk)) return;
    } catch (error) {
      this.socket.removeAllListeners('close');
      this.socket.destroy();
      this.fail(error);
      return;
    }
    this.onAnswer(this.reader);
  }
}
