import { readFileSync } from 'node:fs';
import { readAnswers } from '../../src/cli/answers.ts';
import { bringStore, type Place } from '../../src/cli/stores.ts';
import { compile } from '../../src/compiler/compile.ts';
import { rowRules } from '../../src/runtime/row-rules.ts';

// Migrates rows, and kills itself as the k-th statement is to be run: `killed.ts FILE PLACE NOW OPTIONS K`.

const [file, place, now, options, k] = process.argv.slice(2) as [string, string, string, string, string];
const compiled = compile(file, readFileSync(file, 'utf8'));
const answers = readAnswers(compiled, compiled.plan!, JSON.parse(options));
if ('problem' in answers) throw new Error(answers.problem);
let statements = 0;
const migrated = await bringStore(JSON.parse(place) as Place, compiled.plan!, {
  answers,
  rules: rowRules(compiled.plan!),
  now: Number(now),
  dry: false,
  back: true,
  watcher: {
    planned: () => {},
    step: (_what, sql) => {
      if (sql && ++statements === Number(k)) process.kill(process.pid, 'SIGKILL');
    },
  },
});
if (migrated?.hindrances.length) throw new Error(JSON.stringify(migrated.hindrances));
console.log(statements);
