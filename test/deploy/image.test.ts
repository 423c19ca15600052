import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { ALL_SCOPES, until } from '../harness.ts';
import { IN_WHOLE, WHOLE } from '../share.ts';
import { Container, Image, withoutContainers } from './container.ts';

const EXAMPLE = join(import.meta.dirname, '../../examples/orders.md');
const CUSTOMER = '0195c2a0-0000-7000-8000-000000000001';
/** How large the image may be where it is sent. */
const MOST_BYTES = 90_000_000;

const skip = WHOLE && withoutContainers();

/** What the process of the container may do, by the kernel’s own account, and what happens to whoever writes elsewhere. */
const CONFINED = `
  import { readFileSync, writeFileSync } from 'node:fs';
  const status = readFileSync('/proc/1/status', 'utf8');
  const of = (name) => status.match(new RegExp('^' + name + ':\\\\s*(.*)$', 'm'))[1];
  const refused = ['/x', '/app/x', '/etc/passwd', '/service.md', '/bin/node'].map((path) => {
    try { writeFileSync(path, ''); return null; } catch (error) { return error.code; }
  });
  const names = ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'];
  console.log(JSON.stringify({ uid: of('Uid'), gid: of('Gid'), caps: names.map(of), privileges: of('NoNewPrivs'), refused }));
`;

/** Sends a request; its status and body. */
const asking = (method: string, path: string, key: string, body?: object): string => `
  const answer = await fetch('http://127.0.0.1:3000${path}', {
    method: '${method}',
    headers: { authorization: 'Bearer ${key}', 'idempotency-key': 'one', 'content-type': 'application/json' },
    body: ${body ? `'${JSON.stringify(body)}'` : 'undefined'},
  });
  console.log(JSON.stringify({ status: answer.status, body: await answer.json() }));
`;

/** Sends a request whose last byte follows a byte of standard input. */
const slowly = (key: string, body: string): string => `
  import { connect } from 'node:net';
  const socket = connect(3000, '127.0.0.1');
  const head = ['POST /orders HTTP/1.1', 'Host: a', 'Authorization: Bearer ${key}', 'Idempotency-Key: two',
    'Content-Type: application/json', 'Content-Length: ${body.length}', 'Connection: close'];
  socket.write(head.join('\\r\\n') + '\\r\\n\\r\\n' + '${body.slice(0, -1)}', () => console.log('sent'));
  process.stdin.once('data', () => socket.write('${body.slice(-1)}'));
  socket.pipe(process.stdout);
  socket.once('close', () => process.exit());
`;

test(
  'the image serves under nobody, without a capability, on a root that can only be read, and its volume survives kills',
  !WHOLE ? IN_WHOLE : { skip },
  async (t) => {
    await using image = await Image.build(EXAMPLE);
    const bytes = await image.packed();
    t.diagnostic(`${bytes} bytes packed`);
    assert.ok(bytes < MOST_BYTES, `${bytes} bytes packed`);

    await using container = new Container(image, 'orders');
    await container.start();
    const none = '0000000000000000';
    assert.deepEqual(JSON.parse(await container.node(CONFINED)), {
      uid: '65534\t65534\t65534\t65534',
      gid: '65534\t65534\t65534\t65534',
      caps: [none, none, none, none, none],
      privileges: '1',
      refused: ['EROFS', 'EROFS', 'EROFS', 'EROFS', 'EROFS'],
    });
    assert.equal(await container.health(), 0);
    assert.equal((await container.exec('/bin/sh')).code !== 0, true);

    await container.ninefold(
      'rows',
      '/service.md',
      'add',
      'Customer',
      `id=${CUSTOMER}`,
      'name=Ada',
      'email=a@b.example',
    );
    const key = await container.ninefold('keys', '/service.md', 'issue', 'Customer', CUSTOMER, '--scopes', ALL_SCOPES);
    const order = { sku: 'ABC-1234', quantity: 2 };
    const opened = JSON.parse(await container.node(asking('POST', '/orders', key, order)));
    assert.equal(opened.status, 201);

    await container.signal('KILL');
    assert.equal(await container.exit(), 137);
    await container.start();
    assert.equal(await container.health(), 0);
    assert.deepEqual(JSON.parse(await container.node(asking('POST', '/orders', key, order))), opened);
    const read = JSON.parse(await container.node(asking('GET', `/orders/${opened.body.id}`, key)));
    assert.deepEqual([read.status, read.body.sku], [200, order.sku]);

    // While it stops, a request under way ends well, and the health check says that no others should come.
    const slow = container.spawn(
      '/bin/node',
      '--input-type=module',
      '-e',
      slowly(key, '{"sku":"ABC-1235","quantity":1}'),
    );
    let got = '';
    slow.stdout!.on('data', (chunk) => (got += chunk));
    await until(() => got.includes('sent'), 'a request under way', 60);
    await container.signal('TERM');
    await until(async () => (await container.health()) === 1, 'a red health check', 60);
    slow.stdin!.write('.');
    await once(slow, 'exit');
    assert.match(got, /HTTP\/1\.1 201 /);
    assert.equal(await container.exit(), 0);
  },
);
