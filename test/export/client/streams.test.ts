import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changed, example } from '../../fixtures.ts';
import { clientText, imported } from './made.ts';
import { cut, html, nothing, pausesOf, refused, Scripted } from './scripted.ts';
import { Served } from './served.ts';

// What the client makes of a stream of events, by answers that come in pieces and break off.

const APIARY = example('apiary');
const { createClient, ConnectionError, RefusedError } = await imported(clientText('apiary.md', APIARY));
const over = (network: Scripted, more: object = {}) =>
  createClient({ baseUrl: 'https://bees.example', fetch: network.fetch, pause: 1, ...more });

/** A stream in pieces; one that isn’t whole breaks off after them. */
const stream =
  (pieces: readonly (string | Uint8Array)[], end: 'ends' | 'breaks off' = 'breaks off') =>
  () => {
    const left = [...pieces];
    return new Response(
      new ReadableStream({
        pull(controller) {
          const next = left.shift();
          if (next !== undefined) controller.enqueue(typeof next === 'string' ? new TextEncoder().encode(next) : next);
          else if (end === 'ends') controller.close();
          else controller.error(new TypeError('terminated'));
        },
      }),
      { headers: { 'Content-Type': 'text/event-stream' } },
    );
  };

const event = (id: number, name = 'colony.suspect'): string => `event: ${name}\nid: ${id}\ndata: {"hive":${id}}\n\n`;

/** Reads so many events, and then no more. */
async function read(events: AsyncIterable<{ type: string; id: string; data: { hive: number } }>, count: number) {
  const found = [];
  for await (const one of events) if (found.push(one) >= count) break;
  return found;
}

test('a stream goes on after the last event that came whole, once what it asks to wait is over', async (t) => {
  const pauses = pausesOf(t);
  const network = new Scripted(
    stream(['retry: 1234\n\n', event(1), event(2), 'event: colony.suspect\nid: 3\ndata: {"hi']),
    stream([event(3), ': nothing for now\n\n', 'id: 7\n\n'], 'ends'),
    cut,
    refused(503, 'unavailable'),
    html(502),
    stream([event(8, 'colony.infected')]),
  );
  const events = await read(over(network).alerts.stream(), 4);
  assert.deepEqual(
    events.map((one) => [one.type, one.id, one.data.hive]),
    [
      ['colony.suspect', '1', 1],
      ['colony.suspect', '2', 2],
      ['colony.suspect', '3', 3],
      ['colony.infected', '8', 8],
    ],
  );
  assert.deepEqual(
    network.sent.map(({ headers }) => headers.get('Last-Event-ID')),
    [null, '2', '7', '7', '7', '7'],
  );
  assert.equal(network.sent[0]?.headers.get('Accept'), 'text/event-stream');
  // Those of the heartbeat are longer than any that is asked for here.
  assert.deepEqual(
    pauses.filter((one) => one === 1234),
    [1234, 1234],
  );
  assert.ok(
    network.sent.every(({ init }) => init.signal?.aborted),
    'nothing stays open',
  );
});

test('a stream is split as it should be, wherever its pieces begin and however its lines end', async () => {
  const text = `\uFEFF: hello\n\n${event(1)}data\ndata:two\ndata:  lines\nevent: ü\nother: 1\n\nid: \0\ndata: "x"\n\n`;
  const bytes = new TextEncoder().encode(text.replace('data\ndata:two\ndata:  lines', 'data: [1,\ndata: 2]'));
  const expected = [
    { type: 'colony.suspect', data: { hive: 1 }, id: '1' },
    { type: 'ü', data: [1, 2], id: '1' },
    { type: 'message', data: 'x', id: '1' },
  ];
  for (const end of ['\n', '\r', '\r\n']) {
    const whole = new TextEncoder().encode(
      new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes).replaceAll('\n', end),
    );
    for (let at = 0; at <= whole.length; at++) {
      const pieces = [whole.slice(0, at), whole.slice(at, at + 1), whole.slice(at + 1)];
      const network = new Scripted(stream([...pieces.filter((one) => one.length > 0), '\n']), nothing);
      assert.deepEqual(await read(over(network).alerts.stream(), 3), expected);
    }
  }
});

test('a refusal ends it, and so does its signal, wherever it is', async () => {
  const gone = new Scripted(refused(410, 'alerts_gone'));
  // Its payload has another form in this document.
  const own = new Scripted(() => Response.json({ trouble: 'alerts_gone', words: '', fields: [] }, { status: 410 }));
  await assert.rejects(read(over(gone).alerts.stream(), 1), { name: 'UnexpectedAnswerError' });
  await assert.rejects(
    read(over(own).alerts.stream({ lastEventId: '5' }), 1),
    (error) => error instanceof RefusedError && (error as { refusal: { code: string } }).refusal.code === 'alerts_gone',
  );
  assert.equal(own.sent[0]?.headers.get('Last-Event-ID'), '5');
  const reason = new Error('enough');
  const silent = ({ signal }: RequestInit) =>
    new Response(
      new ReadableStream({
        start: (controller) => signal?.addEventListener('abort', () => controller.error(signal.reason)),
      }),
    );
  for (const network of [new Scripted(nothing), new Scripted(silent), new Scripted(stream([event(1)]))]) {
    const ending = new AbortController();
    const reading = read(over(network).alerts.stream({ signal: ending.signal }), 2);
    setTimeout(() => ending.abort(reason), 20);
    await assert.rejects(reading, reason);
  }
});

test('it is opened as often as is said, and where nothing is said, until it is ended', async (t) => {
  pausesOf(t);
  const first = new Scripted(cut);
  await assert.rejects(read(over(first).alerts.stream(), 1), ConnectionError);
  assert.equal(first.sent.length, 4);
  const once = new Scripted(stream([event(1)]), cut);
  await assert.rejects(read(over(once).alerts.stream({ attempts: 3 }), 2), ConnectionError);
  assert.equal(once.sent.length, 4);
  const empty = new Scripted(stream([event(1)]), stream([], 'ends'));
  await assert.rejects(read(over(empty).alerts.stream({ attempts: 3 }), 2), ConnectionError);
  const outcomes = Array.from({ length: 30 }, () => cut);
  const later = new Scripted(stream([event(1)]), ...outcomes, stream([event(2)]));
  assert.equal((await read(over(later).alerts.stream(), 2)).length, 2);
});

test('where the document has no resumption, a stream that is cut ends with an error, and loses nothing silently', async () => {
  const text = changed(
    APIARY,
    ['- Resumption: Last-Event-ID, for 24 hours, else alerts_gone\n', '- Resumption: none\n'],
    ['| alerts_gone         | 410    | a step says so | Those alerts are no longer kept                  |\n', ''],
  );
  const client = await imported(clientText('apiary.md', text));
  const network = new Scripted(stream(['event: colony.suspect\ndata: {"hive":1}\n\n'], 'ends'));
  const events = client.createClient({ baseUrl: 'https://bees.example', fetch: network.fetch }).alerts.stream();
  const seen: unknown[] = [];
  await assert.rejects(
    async () => {
      for await (const one of events) seen.push(one);
    },
    { name: 'ConnectionError', message: 'The stream /alerts was interrupted' },
  );
  assert.deepEqual(seen, [{ type: 'colony.suspect', data: { hive: 1 }, id: undefined }]);
  assert.equal(network.sent.length, 1);
});

test('a page of another origin may say where its stream was', async () => {
  const text = changed(APIARY, [
    '- Browser origins: none\n',
    '- Browser origins: any, without credentials, preflight not kept, showing no headers\n',
  ]);
  await using served = await Served.start(text);
  const headers = { origin: 'https://page.example', 'access-control-request-method': 'GET' };
  const preflight = await fetch(`${served.url}/alerts`, { method: 'OPTIONS', headers });
  assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /\bLast-Event-ID\b/);
});
