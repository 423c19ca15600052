import { RunningPeer } from '../faults/peer.ts';
import { CASES, targetOf } from './cases.ts';
import { Stage } from './stage.ts';

/** What a service without a fault answers a case with. */
export interface Recorded {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Of a connection, or of the moment. */
const LEFT_OUT = new Set(['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']);

/** The names as the OpenAPI export writes them. */
const written = (name: string): string =>
  name
    .replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())
    .replace('Ratelimit', 'RateLimit')
    .replace('Etag', 'ETag');

/** Records what a service without a fault answers each case with, in their order. */
export async function recordAnswers(): Promise<Recorded[]> {
  const running = await RunningPeer.start('express', null);
  try {
    const stage = await Stage.at(running.url);
    const out: Recorded[] = [];
    for (const one of CASES) {
      const { headers, body, ...call } = await one.arrange(stage);
      const init = { method: one.operation.method, headers, ...(body === undefined ? {} : { body }) };
      const answer = await fetch(running.url + targetOf(one, { headers, ...call }), init);
      const text = await answer.text();
      if (answer.status !== one.status) throw new Error(`${one.name} is answered with ${answer.status}: ${text}`);
      const own = [...answer.headers].filter(([name]) => !LEFT_OUT.has(name));
      const named = own.map(([name, value]) => [written(name), value.replace(/; ?charset=utf-8$/, '')]);
      out.push({
        status: answer.status,
        headers: Object.fromEntries(named),
        body: text ? JSON.parse(text) : undefined,
      });
    }
    return out;
  } finally {
    await running.stop();
  }
}
