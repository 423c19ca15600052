// `npm run test:faults`: what goes wrong around a service, and what has to hold nevertheless.
import { parseArgs } from 'node:util';
import { type Figure, type Gate, messageOf } from './gate.ts';
import { GATES } from './gates.ts';

const HELP = `npm run test:faults -- [options]

Makes real faults happen to a real service, by the system's own means, and holds what
it then answers and stores against what it must. Prints each gate with its figures, and
ends with 1 where one fails or can't be run.

  --only a,b  these gates alone:
${GATES.map(({ name, about }) => `                ${name.padEnd(11)} ${about}`).join('\n')}
  --long      at every point rather than at samples, and for the whole time
  --help
`;

/** A gate's row in the table. */
function row(gate: string, { held, what, figure }: Figure): string {
  return `${held ? 'pass' : 'FAIL'}  ${gate.padEnd(11)} ${what}: ${figure}`;
}

/** Runs a gate and prints its figures as they come; gives how many of them fail. */
async function runGate(gate: Gate, long: boolean): Promise<number> {
  const print = (figure: Figure): number => {
    process.stdout.write(`${row(gate.name, figure)}\n`);
    return figure.held ? 0 : 1;
  };
  const lacks = gate.lacks();
  if (lacks !== null) return print({ what: 'can’t be run', figure: lacks, held: false });
  let failed = 0;
  try {
    const say = (line: string): void => void process.stderr.write(`      ${gate.name}: ${line}\n`);
    for await (const figure of gate.run({ long, say })) failed += print(figure);
  } catch (error) {
    failed += print({ what: 'broke off', figure: messageOf(error), held: false });
    if (error instanceof Error) process.stderr.write(`${error.stack}\n`);
  }
  return failed;
}

function chosen(only: string | undefined): Gate[] {
  if (only === undefined) return [...GATES];
  return only.split(',').map((name) => {
    const gate = GATES.find((one) => one.name === name);
    if (!gate) throw new TypeError(`“${name}” is not a gate: ${GATES.map((one) => one.name).join(', ')}.`);
    return gate;
  });
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      long: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return void process.stdout.write(HELP);
  const gates = chosen(values.only);
  let failed = 0;
  for (const gate of gates) failed += await runGate(gate, values.long);
  process.stdout.write(failed ? `${failed} failed\n` : 'all passed\n');
  process.exitCode = failed ? 1 : 0;
}

try {
  await main();
} catch (error) {
  if (!(error instanceof TypeError)) throw error;
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = 2;
}
