// The load of a growth measurement, in a process of its own.
import { type Asks, asksOf, type Script } from './asks.ts';
import { type Job, measureTurn, type TurnMeasured } from './turn.ts';

/** What it is told: what is to be asked, or that a server is to be measured. */
export type GrowthTold = { readonly script: Script } | { readonly job: Job };

/** What it tells. */
export type GrowthTells = { readonly ready: true } | { readonly measured: TurnMeasured } | { readonly failed: string };

let asks: Asks | null = null;

async function answer(told: GrowthTold): Promise<GrowthTells> {
  if ('job' in told) return { measured: await measureTurn(told.job, asks!) };
  asks = asksOf(told.script);
  return { ready: true };
}

process.on('message', (told: GrowthTold) => {
  answer(told).then(
    (tells) => process.send!(tells),
    (error) => process.send!({ failed: String(error) } satisfies GrowthTells),
  );
});
process.on('disconnect', () => process.exit(0));
