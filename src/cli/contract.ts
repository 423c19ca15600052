import type { Command } from 'commander';
import type { VersionContract } from '../contract/contract.ts';
import { contractOf } from '../contract/contract-of.ts';
import type { EndpointContract } from '../contract/endpoint.ts';
import { showContract, showEndpoint } from '../contract/show.ts';
import { jsonText } from '../text/visible.ts';
import { versionOf, wrong } from './contract-version.ts';
import { loadDocument } from './document.ts';
import type { Io } from './io.ts';
import { settledPlan } from './open.ts';

const AFTER = `
The contract is everything that a caller can meet: the requests and all answers of each
endpoint, in the order in which the service checks a request, then states, events,
credentials, errors and versions. Each fact has the lines of the document that state it.
The contract does not say how rows are stored; \`ninefold plan\` shows what will run.

--json prints the contract of all versions as data; with an ENDPOINT, only that endpoint.
docs/contract.schema.json describes the format.

Exit codes:
  0  printed
  1  the document has errors, or no settled endpoint
  2  wrong use, or an endpoint or a version that the document does not have

Examples:
  $ ninefold contract orders.md
  $ ninefold contract orders.md "POST /orders"
  $ ninefold contract orders.md "POST /orders" --version 2025-06-01
  $ ninefold contract orders.md --json > contract.json`;

interface Options {
  readonly json?: boolean;
  readonly version?: string;
}

/** Adds `contract FILE [ENDPOINT]`. */
export function register(program: Command, io: Io): void {
  program
    .command('contract')
    .description('Prints everything that callers can meet: of the whole document, or of one endpoint.')
    .argument('<FILE>', 'the document, or - for standard input')
    .argument('[ENDPOINT]', 'a method and a path, as in the heading')
    .option('--version <VERSION>', 'a version of the document (default: the current version)')
    .option('--json', 'print the contract as JSON')
    .addHelpText('after', AFTER)
    .action((file: string, endpoint: string | undefined, options: Options) =>
      contract(file, endpoint ?? null, options, io),
    );
}

function contract(file: string, name: string | null, options: Options, io: Io): void {
  const compiled = loadDocument(file, io);
  const plan = compiled && settledPlan(compiled, true, io);
  if (!plan) return;
  const whole = contractOf(plan);
  const version = versionOf(whole, options.version ?? null, io);
  if (!version) return;
  const endpoint = name === null ? null : endpointOf(version, name, io);
  if (name !== null && !endpoint) return;
  if (options.json) {
    const one = options.version === undefined ? whole : { ...whole, versions: [version] };
    io.out(`${jsonText(endpoint ?? one, 2)}\n`);
  } else io.out(`${endpoint ? showEndpoint(whole, endpoint) : showContract(whole, version)}\n`);
}

/** The endpoint that the command line names. If there is none, reports the mistake and returns null. */
function endpointOf(version: VersionContract, name: string, io: Io): EndpointContract | null {
  const found = version.endpoints.find((one) => one.name === name);
  if (found) return found;
  const names = version.endpoints.map((one) => one.name);
  wrong(`there is no settled endpoint “${name}”`, name, names, io);
  return null;
}
