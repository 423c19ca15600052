import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerReader } from './answer-reader.ts';

/** The body of an answer that arrives at once, or the message of its failure. */
function read(text: string, head = false): string | null {
  const reader = new AnswerReader({ head, mostBytes: 1000 });
  try {
    reader.take(Buffer.from(text, 'latin1'));
    return reader.answer?.body.toString('latin1') ?? null;
  } catch (error) {
    return (error as Error).message;
  }
}

const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n';

test('bytes that come with an answer and after its end are a failure', () => {
  const after = (text: string): string => `Bytes came after the end of the answer: “${text}”.`;
  assert.equal(read('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok, and more'), after(', and more'));
  assert.equal(read(`${CHUNKED}more`), after('more'));
  assert.equal(read('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', true), after('ok'));
  assert.equal(read('HTTP/1.1 204 No Content\r\n\r\n{}'), after('{}'));
  assert.equal(read('HTTP/1.1 304 Not Modified\r\n\r\n\u001b[31m'), after('.[31m'));
});

test('an answer that ends where it says so is read', () => {
  assert.equal(read('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'), 'ok');
  assert.equal(read(CHUNKED), 'ok');
  assert.equal(read('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n', true), '');
  assert.equal(read('HTTP/1.1 204 No Content\r\n\r\n'), '');
  // Another protocol begins there.
  assert.equal(read('HTTP/1.1 101 Switching Protocols\r\n\r\n\u0000'), '');
});
