import { randomUUID } from 'node:crypto';
import { largeDocument, largeResources } from '../../samples/large.ts';
import { processIo } from '../../src/cli/io.ts';
import { withOperator } from '../../src/cli/open.ts';
import { Connection } from '../load/connection.ts';
import { skuOf } from '../load/requests.ts';
import { Running, type Where } from '../process.ts';
import { serverOf } from '../servers.ts';
import type { Script } from './asks.ts';

const MEMBERS = 4;
/** How many rows of each resource each member has: more than a page. */
const EACH = 25;
const CONNECTIONS = 16;

/** The generated document for that many endpoints, with rates that refuse nothing. */
export const benchedLarge = (endpoints: number): string =>
  largeDocument(endpoints).replace(/ 6?000? requests per minute/g, ' 100000000 requests per minute');

/** The resources that are asked for: all of them, or those of the first ten endpoints. */
const asked = (endpoints: number, all: boolean) => largeResources(all ? endpoints : 10);

/** Makes the store of a generated document: members, their keys, and rows of what is asked for, by requests. */
export async function fillLarge(endpoints: number, all: boolean, where: Where): Promise<Script> {
  const scopes = [...new Set(largeResources(endpoints).flatMap(({ area }) => [`${area}:read`, `${area}:write`]))];
  const keys: string[] = [];
  await withOperator(where.document, where, processIo(), async (operator) => {
    for (let i = 0; i < MEMBERS; i++) {
      const id = randomUUID();
      await operator.add('Member', new Map(Object.entries({ id, email: `member${i}@example.com` })));
      keys.push((await operator.issueKey('Member', id, scopes)).key);
    }
  });
  const running = await Running.start(serverOf('ninefold')!, where);
  try {
    const resources = asked(endpoints, all).map(({ path }) => ({ path, ids: keys.map((): string[] => []) }));
    const todo = resources.flatMap((one) =>
      keys.flatMap((_, k) => Array.from({ length: EACH }, () => [one, k] as const)),
    );
    const failed = Promise.withResolvers<never>();
    let next = 0;
    const work = async (): Promise<void> => {
      const connection = await Connection.open(running.port, failed.reject);
      while (next < todo.length) {
        const number = next++;
        const [one, k] = todo[number]!;
        one.ids[k]!.push(await create(connection, one.path, keys[k]!, number));
      }
      connection.close();
    };
    await Promise.race([Promise.all(Array.from({ length: CONNECTIONS }, work)), failed.promise]);
    return { service: 'large', keys, resources };
  } finally {
    await running.stop();
  }
}

async function create(connection: Connection, path: string, key: string, number: number): Promise<string> {
  const body = `{"reference":"${skuOf(number)}","title":"Number ${number}","amount":${1 + (number % 90)}}`;
  const { status, body: answer } = await connection.ask(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nIdempotency-Key: ${skuOf(number)}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  if (status !== 201) throw new Error(`${path} answers ${status}: ${answer}`);
  return (JSON.parse(answer.toString()) as { id: string }).id;
}
