import { connect, type Socket } from 'node:net';

/** An answer as it came over the wire. */
export interface Reply {
  readonly status: number;
  /** Name and value, in the order they came. */
  readonly headers: ReadonlyArray<readonly [string, string]>;
  readonly body: string;
  /** The statuses of interim answers (1xx) that came before it. */
  readonly interim: readonly number[];
  /** True where the answer says that the connection ends. */
  readonly last: boolean;
}

/** The value of a header of an answer; undefined where it has none. Repeated headers are joined. */
export function headerOf(reply: Reply, name: string): string | undefined {
  const found = reply.headers.filter(([one]) => one.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
  return found.length ? found.join(', ') : undefined;
}

/** How long an answer may stay out before the test gives up on it, in milliseconds: a guard, not an assertion. */
const PATIENCE = 120_000;

/** A raw connection: what is sent goes out byte for byte, and answers are read strictly. */
export class Line {
  readonly socket: Socket;
  /** True once either side has ended it. */
  ended = false;
  private buffer: Buffer = Buffer.alloc(0);
  private failure: Error | null = null;
  private wake: (() => void) | null = null;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.socket.on('data', (chunk: Buffer) => {
      this.buffer = this.buffer.length ? Buffer.concat([this.buffer, chunk]) : chunk;
      this.wake?.();
    });
    const end = (): void => {
      this.ended = true;
      this.wake?.();
    };
    this.socket.on('end', end).on('close', end);
    this.socket.on('error', (error) => {
      this.failure = error;
      end();
    });
  }

  write(bytes: Buffer | string): void {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  /** Sends bytes and reads the answer to them. Rejects where bytes had come that no request asked for. */
  async exchange(bytes: Buffer | string, method: string): Promise<Reply> {
    if (this.buffer.length) throw new Error(`Bytes that nobody asked for: ${JSON.stringify(this.rest())}`);
    this.write(bytes);
    return this.reply(method);
  }

  /** Reads the next answer. `method` is that of its request: the answer to HEAD has no body. */
  async reply(method = 'GET'): Promise<Reply> {
    const interim: number[] = [];
    for (;;) {
      const head = await this.head();
      const length = bodyLength(head, method);
      const body = length === 'chunked' ? await this.chunks() : await this.take(length);
      if (head.status >= 200) {
        const last = head.headers.some(([name, value]) => name.toLowerCase() === 'connection' && /close/i.test(value));
        return { ...head, body: body.toString(), interim, last };
      }
      interim.push(head.status);
    }
  }

  /** True where nobody listens. */
  get refused(): boolean {
    return (this.failure as NodeJS.ErrnoException | null)?.code === 'ECONNREFUSED';
  }

  /** All that is still unread. */
  rest(): string {
    return this.buffer.toString('latin1');
  }

  /** Waits until the other side has ended the connection; gives what came until then. */
  async untilEnd(): Promise<string> {
    while (!this.ended) await this.more();
    return this.rest();
  }

  close(): void {
    this.ended = true;
    this.socket.destroy();
  }

  private async head(): Promise<{ status: number; headers: Array<[string, string]> }> {
    let end = this.buffer.indexOf('\r\n\r\n');
    while (end < 0) {
      if (this.ended)
        throw new Error(`The connection ended without an answer (${this.failure ?? 'in order'}): ${this.rest()}`);
      await this.more();
      end = this.buffer.indexOf('\r\n\r\n');
    }
    const [first = '', ...lines] = this.buffer.toString('latin1', 0, end).split('\r\n');
    this.buffer = this.buffer.subarray(end + 4);
    const status = /^HTTP\/1\.1 (\d{3}) [\x20-\x7e]*$/.exec(first);
    if (!status) throw new Error(`Not a status line: ${JSON.stringify(first)}`);
    const headers = lines.map((line): [string, string] => {
      const cut = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?([\x20-\x7e]*)$/.exec(line);
      if (!cut) throw new Error(`Not a header: ${JSON.stringify(line)}`);
      return [cut[1]!, cut[2]!];
    });
    return { status: Number(status[1]), headers };
  }

  private async take(length: number): Promise<Buffer> {
    while (this.buffer.length < length) {
      if (this.ended && length === Number.POSITIVE_INFINITY) break;
      if (this.ended) throw new Error(`The connection ended after ${this.buffer.length} of ${length} bytes`);
      await this.more();
    }
    const taken = this.buffer.subarray(0, Math.min(length, this.buffer.length));
    this.buffer = this.buffer.subarray(taken.length);
    return taken;
  }

  private async chunks(): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (;;) {
      while (this.buffer.indexOf('\r\n') < 0) await this.more();
      const cut = this.buffer.indexOf('\r\n');
      const size = Number.parseInt(this.buffer.toString('latin1', 0, cut), 16);
      this.buffer = this.buffer.subarray(cut + 2);
      const part = await this.take(size + 2);
      if (size === 0) return Buffer.concat(parts);
      parts.push(part.subarray(0, size));
    }
  }

  private more(): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`No answer in ${PATIENCE} ms; so far: ${this.rest()}`)),
        PATIENCE,
      );
      this.wake = () => {
        clearTimeout(timer);
        this.wake = null;
        resolve();
      };
    });
  }
}

function bodyLength(
  head: { status: number; headers: ReadonlyArray<readonly [string, string]> },
  method: string,
): number | 'chunked' {
  const value = (name: string): string | undefined => head.headers.find(([one]) => one.toLowerCase() === name)?.[1];
  if (method === 'HEAD' || head.status < 200 || head.status === 204 || head.status === 304) return 0;
  if (value('transfer-encoding') === 'chunked') return 'chunked';
  const length = value('content-length');
  return length === undefined ? Number.POSITIVE_INFINITY : Number(length);
}
