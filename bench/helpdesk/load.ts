// The load on the helpdesk, in a process of its own.
import { readFileSync } from 'node:fs';
import { Connection } from '../load/connection.ts';
import { type Load, type Measured, measure } from '../load/measure.ts';
import { type Dataset, HelpdeskRequests, type Kind, LISTS, requestOf } from './requests.ts';

/** What it is told: a service is new, or one kind of request is to be measured of it. */
export type Told =
  | { readonly fresh: { readonly server: string; readonly dataset: string; readonly port: number } }
  | { readonly job: Load & { readonly server: string; readonly kind: Kind } };

/** What it tells. */
export type Tells = { readonly ready: true } | { readonly measured: Measured } | { readonly failed: string };

const requests = new Map<string, HelpdeskRequests>();

async function answer(told: Told): Promise<Tells> {
  if ('job' in told) {
    const { server, kind } = told.job;
    return { measured: await measure(told.job, requests.get(server)!.asking(kind)) };
  }
  const { server, dataset, port } = told.fresh;
  const data = JSON.parse(readFileSync(dataset, 'utf8')) as Dataset;
  requests.set(server, new HelpdeskRequests(data, await secondPages(data, port)));
  return { ready: true };
}

/** The second page of each list: cursors belong to who asks. */
async function secondPages({ teams }: Dataset, port: number): Promise<Map<string, string[]>> {
  const out = new Map<string, string[]>();
  const failed = Promise.withResolvers<never>();
  const connection = await Connection.open(port, failed.reject);
  for (const key of teams.flatMap(({ agents }) => agents)) {
    const pages: string[] = [];
    for (const list of LISTS) {
      const { status, body } = await Promise.race([connection.ask(requestOf('GET', list, key)), failed.promise]);
      const { next } = JSON.parse(body.toString()) as { next: string | null };
      if (status !== 200 || next === null) throw new Error(`${list} has no second page: ${status} ${body}`);
      pages.push(`${list}&cursor=${next}`);
    }
    out.set(key, pages);
  }
  connection.close();
  return out;
}

process.on('message', (told: Told) => {
  answer(told).then(
    (tells) => process.send!(tells),
    (error) => process.send!({ failed: String(error) } satisfies Tells),
  );
});
process.on('disconnect', () => process.exit(0));
