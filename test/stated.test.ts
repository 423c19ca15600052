import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import { documents, type Whole } from './fixtures.ts';
import { SEED, share, times } from './share.ts';
import { ALTERATIONS } from './stated/altered.ts';
import { Document, type Exchange } from './stated/document.ts';
import { judge } from './stated/judge.ts';
import { foreseeable } from './talk/chance.ts';
import { Conversation } from './talk/conversation.ts';
import { Side } from './talk/side.ts';
import { TestKeys } from './tokens.ts';

const CONVERSATIONS = times(1, 4);
const ROUNDS = 3;
/** In how many answers to a conversation a run makes each thing wrong that can be. */
const ALTERED = 15;

const chance = foreseeable();
after(() => chance.end());

for (const document of share(documents(), 2).cases)
  test(`whatever ${document.name} answers is stated in it`, async () => {
    const exchanges: Exchange[] = [];
    for (let i = 0; i < CONVERSATIONS; i++) exchanges.push(...(await talk(document, SEED + i)));
    const stated = new Document(compile(document.name, document.text).model);
    const wrong = exchanges.flatMap((exchange) => {
      const faults = judge(stated, exchange);
      return faults.length ? [`${faults.join('\n')}\n${exchange.said.text}`] : [];
    });
    report(document.name, stated, exchanges);
    assert.equal(wrong.length, 0, `seed ${SEED}: ${wrong.length} wrong:\n\n${wrong.slice(0, 8).join('\n\n')}`);
    const missed = overlooked(stated, share(exchanges, ALTERED).cases);
    assert.deepEqual(missed.slice(0, 8), [], `seed ${SEED}: ${missed.length} answers made wrong are not noticed`);
  });

/** The answers that nobody notices when they are made wrong: whatever is true of the rest is worth what this is. */
function overlooked(document: Document, exchanges: readonly Exchange[]): string[] {
  return exchanges.flatMap((exchange) =>
    ALTERATIONS.flatMap(({ name, alter }) => {
      const said = alter(exchange.said);
      return said && judge(document, { ...exchange, said }).length === 0 ? [`${name}: ${exchange.said.text}`] : [];
    }),
  );
}

async function talk(document: Whole, seed: number): Promise<Exchange[]> {
  const whole = compile(document.name, document.text);
  const keys = new TestKeys(whole.plan!);
  const side = await Side.start(whole.plan!, (scheme) => keys.secret(scheme));
  const conversation = new Conversation(whole, side, keys, seed);
  await conversation.hold(ROUNDS);
  await side.stop();
  return conversation.turns.flatMap(({ turn, said }) =>
    'request' in turn && said.status !== null ? [{ request: turn.request, said }] : [],
  );
}

function report(name: string, document: Document, exchanges: readonly Exchange[]): void {
  const statuses = new Map<number, number>();
  const answered = new Set<string>();
  for (const { request, said } of exchanges) {
    statuses.set(said.status!, (statuses.get(said.status!) ?? 0) + 1);
    const { endpoint } = document.place(request.method, request.path, request.headers);
    if (endpoint && said.status! < 300) answered.add(endpoint.endpoint.name);
  }
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status} ${count}`);
  console.log(
    `${name}: seed ${SEED}; ${exchanges.length} answers, ${answered.size} of ${document.endpoints.length} endpoints answered as asked; ${counts.join(', ')}`,
  );
}
