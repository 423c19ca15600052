import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Answered, ask, Masks } from './heard.ts';
import { Outside } from './outside.ts';
import { addCast, type Cast, copyCast } from './people.ts';
import { CAST, PLANS, type Scene, type Step, script } from './script.ts';

/** A service that runs on given rows, until it is disposed of. */
export interface RunningService extends AsyncDisposable {
  readonly port: number;
  /** Lets seconds pass; null where its clock is that of the machine. */
  readonly pass: ((seconds: number) => void) | null;
}

/** Starts a service on the rows of a directory, with the address of its mail. */
export type Start = (data: string, mailUrl: string) => Promise<RunningService>;

/** A step at which the two differ: the lines that one has and the other hasn't. */
export interface Difference {
  readonly title: string;
  readonly ninefold: readonly string[];
  readonly fastify: readonly string[];
}

export interface Checked {
  readonly steps: number;
  readonly differences: readonly Difference[];
}

/**
 * Asks both services the same, in the same order, and compares every answer, and what they send. `withTime`: days pass
 * meanwhile, too.
 */
export async function checkBoth(
  document: string,
  data: string,
  { ninefold, fastify }: { readonly ninefold: Start; readonly fastify: Start },
  withTime = false,
): Promise<Checked> {
  const directories = { ninefold: join(data, 'check', 'ninefold'), fastify: join(data, 'check', 'fastify') };
  for (const directory of Object.values(directories)) rmSync(directory, { recursive: true, force: true });
  const cast = await addCast(document, directories.ninefold, PLANS, CAST);
  (await copyCast(cast, directories.fastify)).close();
  const steps = script(withTime);
  const expected = await hear(cast, steps, (mail) => ninefold(directories.ninefold, mail));
  const heard = await hear(cast, steps, (mail) => fastify(directories.fastify, mail));
  const differences = steps.flatMap(({ title }, i) => {
    const [one, other] = [expected[i]!, heard[i]!];
    const [less, more] = [one.filter((line) => !other.includes(line)), other.filter((line) => !one.includes(line))];
    return one.join('\n') === other.join('\n') ? [] : [{ title, ninefold: less, fastify: more }];
  });
  return { steps: steps.length, differences };
}

/** Does every step at one service; gives the lines of each. */
async function hear(cast: Cast, steps: readonly Step[], start: (mailUrl: string) => Promise<RunningService>) {
  await using outside = await Outside.open();
  await using service = await start(`http://127.0.0.1:${outside.port}/messages/first-refused`);
  const known = new Set([...cast.organisations, ...cast.people].map(({ id }) => id));
  const masks = new Masks(known, { [`127.0.0.1:${outside.port}`]: '‹outside›' });
  const bodies = new Map<string, unknown>();
  const personOf = (name: string) => cast.people.find((one) => one.name === name)!;
  const scene: Scene = {
    by: (name) => `Bearer ${personOf(name).key}`,
    id: (name) => personOf(name).id,
    answer: <T>(title: string) => bodies.get(title) as T,
    outside,
  };
  const out: string[][] = [];
  for (const { title, request, hear: listen, passes } of steps) {
    if (passes !== undefined) service.pass!(passes);
    if (listen) out.push([...(await listen(scene))]);
    else if (!request) out.push([]);
    if (!request) continue;
    const answered: Answered = await ask(service.port, await request(scene));
    if (answered.headers.some(([, value]) => value.includes('json')))
      bodies.set(title, JSON.parse(answered.body.toString()));
    out.push(masks.linesOf(answered));
  }
  return out;
}

/** The differences as a reader looks for them. */
export const differencesText = (differences: readonly Difference[]): string =>
  differences
    .map(({ title, ninefold, fastify }) =>
      [`${title}:`, ...ninefold.map((line) => `  - ${line}`), ...fastify.map((line) => `  + ${line}`)].join('\n'),
    )
    .join('\n\n');
