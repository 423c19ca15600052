import type { Answer } from './exchange.ts';

/** The longest status line with its headers, and with all interim answers before it, in bytes. */
const MOST_HEAD_BYTES = 65_536;
/** The largest number of interim answers (RFC 9110, section 15.2) before the final one. */
const MOST_INTERIM = 32;

/** Why bytes are no answer: `no HTTP` breaks the grammar, `too large` is longer than is read. */
export class ReadingError extends Error {
  readonly failed: 'no HTTP' | 'too large';

  constructor(failed: 'no HTTP' | 'too large', message: string) {
    super(message);
    this.failed = failed;
  }
}

/** Options for reading an answer. */
export interface Reading {
  /** Whether the request was HEAD: its answer has no body, even if headers announce one. */
  readonly head: boolean;
  /** The most bytes of a body. */
  readonly mostBytes: number;
  /**
   * Called with the status and the headers of the final answer, before its body. Returns a function that receives the
   * body in parts, or null where the body is kept for the answer.
   */
  readonly begun?: (status: number, headers: Answer['headers']) => ((bytes: Buffer) => void) | null;
}

/** How the end of a body is known (RFC 9112, section 6.3). */
type Framing = 'chunk size' | 'chunk' | 'chunk end' | 'trailers' | 'length' | 'until closed';

/**
 * Reads one answer in HTTP/1.1 (RFC 9112) from the bytes of a connection. It keeps no more than its bounds allow, and
 * is strict: an answer that two clients may read in two ways is an error.
 */
export class AnswerReader {
  private readonly reading: Reading;
  private held: Buffer = Buffer.alloc(0);
  private headBytes = 0;
  private interim = 0;
  private framing: Framing | null = null;
  /** The number of missing bytes of the body, or of the current chunk. */
  private left = 0;
  private bodyBytes = 0;
  private status = 0;
  private headers: Array<readonly [string, string]> = [];
  /** The body so far, in a buffer that doubles: an answer may come in a million chunks. */
  private body: Buffer = Buffer.alloc(0);
  private finished = false;
  /** Receives the body in parts; null where the body is kept. */
  private part: ((bytes: Buffer) => void) | null = null;

  constructor(reading: Reading) {
    this.reading = reading;
  }

  /** Whether any bytes have arrived. */
  get any(): boolean {
    return this.headBytes > 0 || this.held.length > 0;
  }

  /** Whether nothing but the end of the connection ends the answer. */
  get isUntilClosed(): boolean {
    return this.framing === 'until closed';
  }

  /** The answer, once it is whole; null before. */
  get answer(): Answer | null {
    return this.finished
      ? { status: this.status, headers: this.headers, body: this.body.subarray(0, this.bodyBytes) }
      : null;
  }

  /** Adds received bytes. Throws ReadingError if they are no valid answer. */
  take(bytes: Buffer): void {
    if (this.finished) return;
    this.held = this.held.length ? Buffer.concat([this.held, bytes]) : bytes;
    while (!this.finished && this.step());
    // On a connection that lasts, a client would take them for the start of the next answer; empty lines it skips.
    if (this.finished && this.status !== 101 && /[^\r\n]/.test(latin1(this.held)))
      throw new ReadingError('no HTTP', `Bytes came after the end of the answer: “${shown(latin1(this.held))}”.`);
  }

  /** Called at the end of the connection. Returns whether the answer is complete. */
  end(): boolean {
    if (this.framing === 'until closed') this.finished = true;
    return this.finished;
  }

  /** Reads the next element of the answer. Returns false if more bytes are needed. */
  private step(): boolean {
    switch (this.framing) {
      case null:
        return this.readHead();
      case 'chunk size':
        return this.readChunkSize();
      case 'chunk end':
        return this.readChunkEnd();
      case 'trailers':
        return this.readTrailer();
      default:
        return this.readBody();
    }
  }

  private readHead(): boolean {
    const end = this.held.indexOf('\r\n\r\n');
    const length = end < 0 ? this.held.length : end + 4;
    if (this.headBytes + length > MOST_HEAD_BYTES)
      throw new ReadingError('too large', `The headers of the answer are longer than ${MOST_HEAD_BYTES} bytes.`);
    if (end < 0) return this.mayBeHttp();
    this.headBytes += length;
    const [first = '', ...lines] = this.held.toString('latin1', 0, end).split('\r\n');
    this.held = this.held.subarray(length);
    const status = statusOf(first);
    const headers = lines.map(headerLine);
    // 101 switches protocols, which nothing that is sent here asks for: it ends the answer as a final one does.
    if (status < 200 && status !== 101) {
      if (++this.interim > MOST_INTERIM)
        throw new ReadingError('too large', `More than ${MOST_INTERIM} interim answers (1xx) came before the answer.`);
      return true;
    }
    this.status = status;
    this.headers = headers;
    this.part = this.reading.begun?.(status, headers) ?? null;
    this.frame();
    return true;
  }

  /** Bytes that can't begin an answer any more are refused at once: their sender may wait for more of the request. */
  private mayBeHttp(): boolean {
    const start = this.held.toString('latin1', 0, 5);
    if (!'HTTP/'.startsWith(start)) throw noHttp(this.held);
    return false;
  }

  private frame(): void {
    const all = (name: string): string[] =>
      this.headers.flatMap(([one, value]) => (one.toLowerCase() === name ? [value] : []));
    const codings = all('transfer-encoding');
    const lengths = [...new Set(all('content-length').flatMap((one) => one.split(',').map((part) => part.trim())))];
    const { status } = this;
    if (this.reading.head || status === 101 || status === 204 || status === 304) {
      this.finished = true;
    } else if (codings.length) {
      if (lengths.length)
        throw new ReadingError(
          'no HTTP',
          'The answer has both Transfer-Encoding and Content-Length (RFC 9112, section 6.3).',
        );
      if (codings.join(',').trim().toLowerCase() !== 'chunked')
        throw new ReadingError('no HTTP', `The answer has the transfer coding “${codings.join(',')}”, not chunked.`);
      this.framing = 'chunk size';
    } else if (lengths.length) {
      const [length = ''] = lengths;
      if (lengths.length > 1 || !/^\d{1,15}$/.test(length))
        throw new ReadingError(
          'no HTTP',
          `The Content-Length of the answer is “${lengths.join(', ')}”, not one number.`,
        );
      this.left = Number(length);
      this.mustFit(this.left);
      this.framing = 'length';
      this.finished = this.left === 0;
    } else this.framing = 'until closed';
  }

  private readBody(): boolean {
    const { framing } = this;
    const taken = framing === 'until closed' ? this.held : this.held.subarray(0, this.left);
    if (taken.length === 0) return false;
    this.held = this.held.subarray(taken.length);
    this.keep(taken);
    if (framing === 'until closed') return false;
    this.left -= taken.length;
    if (this.left > 0) return false;
    if (framing === 'length') this.finished = true;
    else this.framing = 'chunk end';
    return true;
  }

  private keep(bytes: Buffer): void {
    // The length of a stream is not limited, since its parts are not kept.
    if (this.part) {
      this.part(bytes);
      return;
    }
    const length = this.bodyBytes + bytes.length;
    this.mustFit(length);
    if (length > this.body.length) {
      const larger = Buffer.alloc(Math.max(length, Math.min(this.body.length * 2, this.reading.mostBytes)));
      this.body.copy(larger, 0, 0, this.bodyBytes);
      this.body = larger;
    }
    bytes.copy(this.body, this.bodyBytes);
    this.bodyBytes = length;
  }

  private mustFit(bytes: number): void {
    const { mostBytes } = this.reading;
    if (!this.part && bytes > mostBytes)
      throw new ReadingError('too large', `The body of the answer is longer than ${mostBytes} bytes.`);
  }

  private readChunkSize(): boolean {
    const line = this.line();
    if (line === null) return false;
    const [size = ''] = line.split(';');
    if (!/^[0-9a-f]{1,8}\s*$/i.test(size))
      throw new ReadingError('no HTTP', `“${shown(line)}” is not the size of a chunk.`);
    this.left = Number.parseInt(size, 16);
    this.framing = this.left === 0 ? 'trailers' : 'chunk';
    this.mustFit(this.bodyBytes + this.left);
    return true;
  }

  private readChunkEnd(): boolean {
    const line = this.line();
    if (line === null) return false;
    if (line !== '') throw new ReadingError('no HTTP', 'A chunk of the answer is longer than its size says.');
    this.framing = 'chunk size';
    return true;
  }

  private readTrailer(): boolean {
    const line = this.line();
    if (line === null) return false;
    this.headBytes += line.length + 2;
    if (this.headBytes > MOST_HEAD_BYTES)
      throw new ReadingError('too large', 'The trailers of the answer have no end.');
    if (line === '') this.finished = true;
    return true;
  }

  /** The next line without its line end; null if it is incomplete. */
  private line(): string | null {
    const end = this.held.indexOf('\r\n');
    if (end < 0 && this.held.length > MOST_HEAD_BYTES)
      throw new ReadingError('too large', 'A line of the answer has no end.');
    if (end < 0) return null;
    const line = this.held.toString('latin1', 0, end);
    this.held = this.held.subarray(end + 2);
    return line;
  }
}

function statusOf(line: string): number {
  const found = /^HTTP\/1\.[01] (\d{3})(?: .*)?$/.exec(line);
  const status = Number(found?.[1]);
  if (!found || status < 100) throw noHttp(Buffer.from(line, 'latin1'));
  return status;
}

function headerLine(line: string): readonly [string, string] {
  const found = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*([^\0\r\n]*?)[ \t]*$/.exec(line);
  if (!found) throw new ReadingError('no HTTP', `“${shown(line)}” is not a header.`);
  return [found[1] ?? '', found[2] ?? ''];
}

const noHttp = (bytes: Buffer): ReadingError =>
  new ReadingError('no HTTP', `What came is not HTTP/1.1. ${looksLike(bytes)}`);

/**
 * Describes bytes that are no HTTP/1.1: a record of TLS (RFC 8446, section 5.1), a frame of HTTP/2 (RFC 9113, section
 * 6.5), or their beginning.
 */
function looksLike(bytes: Buffer): string {
  if ((bytes[0] === 0x15 || bytes[0] === 0x16) && bytes[1] === 3) return 'It looks like TLS: try https://.';
  if (bytes.length >= 9 && bytes[0] === 0 && bytes[3] === 4 && bytes.readUInt32BE(5) === 0)
    return 'It looks like HTTP/2, which the test does not speak.';
  return `It begins with “${shown(bytes.toString('latin1', 0, 60))}”.`;
}

const latin1 = (bytes: Buffer): string => bytes.toString('latin1', 0, 61);

/** The start of a received text for a message, without characters that act on a terminal. */
function shown(text: string): string {
  const start = text.slice(0, 60).replaceAll(/[^\x20-\x7e]/g, '.');
  return text.length > 60 ? `${start}…` : start;
}
