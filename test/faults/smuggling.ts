import { setTimeout as sleep } from 'node:timers/promises';
import { AMBIGUOUS, type Requests } from '../ambiguous.ts';
import { RAISED, type Service, Workspace } from '../harness.ts';
import { Line } from '../line.ts';
import { complaints, type Gate, messageOf } from './gate.ts';

/** In how many bytes at a time a request comes: whole, in pieces, and as slowly as can be. */
const PIECES = [Number.POSITIVE_INFINITY, 17, 1];

/** Requests that a front end could understand otherwise. */
export const smuggling: Gate = {
  name: 'smuggling',
  about: 'requests within requests, whole and in pieces',
  lacks: () => null,
  async *run() {
    await using space = new Workspace(RAISED);
    const key = await space.key(await space.customer());
    const service = await space.serve();
    const id = await service.opened(key, 'SMU-0001');
    const wrong: string[] = [];
    for (const [what, bytes] of AMBIGUOUS)
      for (const size of PIECES)
        await refused(service, bytes(requests(key, id)), size).catch((error) =>
          wrong.push(`${what}, ${size} bytes at a time: ${messageOf(error)}`),
        );
    const orders = space.select<{ status: string }>('SELECT status FROM "order"');
    if (orders.length !== 1) wrong.push(`${orders.length - 1} orders were opened`);
    if (orders[0]?.status !== 'draft') wrong.push('a smuggled request was carried out');
    yield {
      what: `${AMBIGUOUS.length} ambiguous requests in ${PIECES.length} ways`,
      figure: wrong.length ? complaints(wrong) : 'each answered 400 and closed, and nothing done',
      held: wrong.length === 0,
    };
  },
};

function requests(key: string, id: string): Requests {
  const head = (start: string, ...lines: string[]): string =>
    [`${start} HTTP/1.1`, 'Host: orders.example', `Authorization: Bearer ${key}`, ...lines, '', ''].join('\r\n');
  const creates = (...lines: string[]): string =>
    head('POST /orders', 'Content-Type: application/json', 'Idempotency-Key: smuggling', ...lines);
  const body = JSON.stringify({ sku: 'SMU-0002', quantity: 1 });
  return {
    head,
    creates,
    create: () => creates(`Content-Length: ${body.length}`) + body,
    smuggled: head(`POST /orders/${id}/cancel`),
  };
}

/** Sends bytes, so many at a time: there is one answer to them, a refusal, and then the end. */
async function refused(service: Service, bytes: string, size: number): Promise<void> {
  const line = new Line(service.url);
  try {
    for (let at = 0; at < bytes.length && !line.ended; at += size) {
      line.write(bytes.slice(at, at + size));
      if (size < bytes.length) await sleep(0);
    }
    const { status } = await line.reply('POST');
    if (status !== 400) throw new Error(`answered ${status}`);
    const more = await line.untilEnd();
    if (more) throw new Error(`more than one answer: ${more}`);
  } finally {
    line.close();
  }
}
