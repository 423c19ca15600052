import { Transform, type TransformCallback } from 'node:stream';

/** The longest message, in bytes: longer than the longest document. */
export const MOST_BYTES = 32 << 20;

/** The error of a line that is not a message of JSON-RPC 2.0. */
interface LineError {
  readonly code: -32700 | -32600;
  readonly message: string;
  readonly id: string | number | null;
}

/**
 * Passes on each line that is a message of JSON-RPC 2.0. The library drops any other line without an answer, and ends at
 * a line that is too long; here such a line is answered, and the next one is read.
 */
export class InputLines extends Transform {
  private readonly answer: (message: string) => void;
  private chunks: Buffer[] = [];
  private length = 0;

  constructor(answer: (message: string) => void) {
    super();
    this.answer = answer;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let from = 0;
    for (let to = chunk.indexOf(10); to >= 0; to = chunk.indexOf(10, from)) {
      this.keep(chunk.subarray(from, to));
      this.endLine();
      from = to + 1;
    }
    this.keep(chunk.subarray(from));
    done();
  }

  override _flush(done: TransformCallback): void {
    this.endLine();
    done();
  }

  private keep(piece: Buffer): void {
    this.length += piece.length;
    if (this.length <= MOST_BYTES) this.chunks.push(piece);
    else this.chunks = [];
  }

  private endLine(): void {
    const line = Buffer.concat(this.chunks).toString().trim();
    const tooLong = this.length > MOST_BYTES;
    this.chunks = [];
    this.length = 0;
    const error = tooLong ? TOO_LONG : line === '' ? null : errorOf(line);
    if (error) {
      const { id, code, message } = error;
      this.answer(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`);
    } else if (line !== '') this.push(`${line}\n`);
  }
}

const TOO_LONG: LineError = { code: -32600, message: `A message has at most ${MOST_BYTES} bytes.`, id: null };

function errorOf(line: string): LineError | null {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return { code: -32700, message: 'This line is not JSON. Each line is one message of JSON-RPC 2.0.', id: null };
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    return { code: -32600, message: 'A message is one JSON object; batches are not supported.', id: null };
  const { jsonrpc, id, method, params, result, error } = message as Record<string, unknown>;
  const isId = typeof id === 'string' || Number.isInteger(id);
  const invalid = (text: string): LineError => ({
    code: -32600,
    message: text,
    id: isId ? (id as string | number) : null,
  });
  if (jsonrpc !== '2.0') return invalid('A message has the member "jsonrpc": "2.0".');
  if (id !== undefined && !isId) return invalid('The id of a message is a string or a whole number.');
  if (method === undefined && result === undefined && error === undefined)
    return invalid('A message has a method, a result or an error.');
  if (method !== undefined && typeof method !== 'string') return invalid('The method of a message is a string.');
  if (params !== undefined && (typeof params !== 'object' || params === null || Array.isArray(params)))
    return invalid('The params of a message are an object.');
  return null;
}
