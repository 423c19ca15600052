/** A request as it goes out: the generators make it, the wire takes it byte for byte, the oracle judges answers by it. */
export interface Sent {
  readonly method: string;
  readonly target: string;
  /** Without those that frame the body. */
  readonly headers: ReadonlyArray<readonly [string, string]>;
  readonly body: Buffer | null;
  readonly framing: Framing;
  /** Written instead of the blank line’s predecessor: lines that no header could be, for requests that aren’t HTTP. */
  readonly broken: Broken | null;
}

export type Framing = 'none' | 'length' | 'chunked' | 'chunked, trailers';

/** What makes a request no HTTP, and the bare status that HTTP answers it with. */
export interface Broken {
  readonly name: string;
  readonly status: number;
  /** Changes the head as it would be written. */
  head(head: string): string;
}

/** The values of a header that is sent. */
export function values(sent: Sent, name: string): string[] {
  return sent.headers.filter(([one]) => one.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
}

/** The bytes of a request. */
export function serialise(sent: Sent): Buffer {
  const { body, framing } = sent;
  const lines = [`${sent.method} ${sent.target} HTTP/1.1`, ...sent.headers.map(([name, value]) => `${name}: ${value}`)];
  if (framing === 'length') lines.push(`Content-Length: ${body?.length ?? 0}`);
  if (framing.startsWith('chunked')) lines.push('Transfer-Encoding: chunked');
  if (framing === 'chunked, trailers') lines.push('Trailer: X-Sum');
  const head = `${lines.join('\r\n')}\r\n\r\n`;
  const start = Buffer.from(sent.broken ? sent.broken.head(head) : head, 'latin1');
  if (!framing.startsWith('chunked')) return body && framing === 'length' ? Buffer.concat([start, body]) : start;
  return Buffer.concat([start, ...chunked(body ?? Buffer.alloc(0)), Buffer.from(trailers(framing))]);
}

const trailers = (framing: Framing): string =>
  framing === 'chunked' ? '0\r\n\r\n' : '0\r\nX-Sum: 1\r\nAuthorization: Bearer x\r\n\r\n';

function* chunked(body: Buffer): Generator<Buffer> {
  // Uneven pieces, so that characters are cut in two.
  for (let at = 0, size = 1; at < body.length; at += size, size = Math.min(size * 3, 7000)) {
    const piece = body.subarray(at, at + size);
    yield Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);
  }
}

/** A request as a person would read it. */
export function describe(sent: Sent): string {
  const text = serialise(sent).toString('latin1');
  return text.length > 1500 ? `${text.slice(0, 1500)}… (${text.length} bytes)` : text;
}
