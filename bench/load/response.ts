/** Reads the answers that come over one connection, one at a time; only what the bench has to know of them. */
export class ResponseReader {
  status = 0;
  head = '';
  body: Buffer = Buffer.alloc(0);
  private rest: Buffer | null = null;
  private bodyAt = -1;
  private end = -1;

  /** Takes what has come; true once a whole answer has been read. Throws where it is none that can be read. */
  push(chunk: Buffer): boolean {
    const bytes = this.rest ? Buffer.concat([this.rest, chunk]) : chunk;
    if (this.end < 0 && !this.readHead(bytes)) {
      this.rest = bytes;
      return false;
    }
    if (bytes.length < this.end) {
      this.rest = bytes;
      return false;
    }
    if (bytes.length > this.end) throw new Error('More came than one answer to one request');
    this.body = bytes.subarray(this.bodyAt);
    this.rest = null;
    this.end = -1;
    return true;
  }

  private readHead(bytes: Buffer): boolean {
    const at = bytes.indexOf('\r\n\r\n');
    if (at < 0) return false;
    this.head = bytes.toString('latin1', 0, at);
    this.status = Number(this.head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(this.head);
    if (!length && this.status !== 204) throw new Error(`An answer without a length:\n${this.head}`);
    this.bodyAt = at + 4;
    this.end = this.bodyAt + (length ? Number(length[1]) : 0);
    return true;
  }
}
