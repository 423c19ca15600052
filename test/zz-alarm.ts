import { startOwnService } from '../src/cli/testing/own-service.ts';
import { compile } from '../src/compiler/compile.ts';
import { contractOf } from '../src/contract/contract-of.ts';
import { verify } from '../src/verify/run/verify.ts';
import { statementsOf } from '../src/verify/statements/statements.ts';
import { HttpTarget } from '../src/verify/target/http-target.ts';
import { placeOf } from '../src/verify/target/loopback.ts';
import { corpus } from './frozen/corpus.ts';

const [from, to, most, seed, filter] = process.argv.slice(2);
let i = -1, ran = 0, sent = 0;
for (const { name, text } of corpus()) {
  i++;
  if (i < Number(from) || i >= Number(to)) continue;
  if (filter && !name.includes(filter)) continue;
  let plan;
  try { ({ plan } = compile(name, text)); } catch (e) { console.log(`${i} ${name}: COMPILE ${e}`); continue; }
  if (!plan) continue;
  const begun = performance.now();
  try {
    const contract = contractOf(plan);
    const own = await startOwnService(plan);
    try {
      const target = new HttpTarget(await placeOf(own.url, false));
      const report = await verify({
        subject: { plan, contract, target, setup: own.setup, serviceUrl: own.serviceUrl },
        url: own.url, statements: statementsOf(plan, contract, text), only: null, seed: Number(seed),
        budget: 60_000, mostRequests: Number(most), mostBreaks: 3, version: '0',
      });
      ran++; sent += report.requests;
      if (report.stopped) console.log(`${i} ${name}: STOPPED ${report.stopped}`);
      for (const b of report.breaks) console.log(`${i} ${name}: BREAK line ${b.line} ${b.statement} ${b.why}\n   expected ${b.expected}\n   actual ${b.actual}\n   ${JSON.stringify((b as any).exchanges ?? (b as any).sequence ?? '').slice(-700)}`);
    } finally { await own.stop(); }
  } catch (e) { console.log(`${i} ${name}: THREW ${(e as Error).stack?.split('\n').slice(0, 5).join(' | ')}`); }
  const ms = performance.now() - begun;
  if (ms > 20000) console.log(`${i} ${name}: slow ${Math.round(ms)}`);
  if (ran % 20 === 0) console.log(`... ${i} ran ${ran} sent ${sent}`);
}
console.log(`done ran ${ran} sent ${sent}`);
process.exit(0);
