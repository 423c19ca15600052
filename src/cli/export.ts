import { Argument, type Command, Option } from 'commander';
import type { Compiled } from '../compiler/compile.ts';
import type { Contract, VersionContract } from '../contract/contract.ts';
import { contractOf } from '../contract/contract-of.ts';
import { exchangesOf } from '../exchanges/record.ts';
import { arazzoOf } from '../export/arazzo/document.ts';
import { asyncApiOf } from '../export/asyncapi/document.ts';
import { clientOf } from '../export/client/client.ts';
import { drawingsOf, isDrawingOf } from '../export/diagram/drawings.ts';
import { documentText, type Json } from '../export/json.ts';
import { jsonSchemaOf } from '../export/json-schema.ts';
import { forCaller, forNobody, withoutEndpoints } from '../export/left-out.ts';
import { diagramsOf } from '../export/mermaid.ts';
import { openApiOf } from '../export/openapi/document.ts';
import type { OpenApiFormat } from '../export/openapi/exporting.ts';
import { yamlText } from '../export/yaml.ts';
import type { Plan } from '../plan/step.ts';
import { escaped, oneLine } from '../text/visible.ts';
import { versionOf, wrong } from './contract-version.ts';
import { loadDocument } from './document.ts';
import { credentialsOf } from './export-audience.ts';
import { EXIT, type Io } from './io.ts';
import { findingCounts } from './open.ts';
import { WriteError, writeWhole } from './write-whole.ts';

const AFTER = `
Formats:
  openapi      one version of the service as an OpenAPI document. The examples are real
               requests to the service, run in memory, and its answers
  asyncapi     webhooks and streams of events of one version as an AsyncAPI document (3.1)
  json-schema  the request and answer bodies of one version, as JSON Schema (2020-12)
  arazzo       the life of each resource with states, as workflows over the OpenAPI export
               of the same version (1.0.1), which has to be beside it as openapi.json
  diagram      states with their transitions, and resources with their references: as
               Mermaid diagrams in Markdown or, with --svg, as one drawing. --of selects
               one diagram: the states of a resource, or “resources”
  client       a client of one version in TypeScript, one file without dependencies, for
               Node.js and browsers

The first four contain what callers of the service need. With --internals they also contain its
steps, guards, rules and other facts, in members that begin with x-ninefold-, and the list
x-ninefold-not-expressed of the facts that the format cannot express.

All but diagrams leave out the endpoints whose Audience is none. With --audience they contain
only the endpoints that certain callers may call and that are for them: “anyone” are callers
without credentials, “any Customer” callers of that resource without scopes, and “orders:read
and orders:write” callers with these scopes. What a step refuses by the row of a caller, such as by a role, is there:
only the description that a service serves knows that row. Diagrams, and exports with
--internals, leave out nothing.

An export contains only what the document states (\`ninefold contract\` prints it). The same
document gives the same export, byte for byte. The command writes the file at PATH completely
or not at all.

Exit codes:
  0  written
  1  the document has findings, so nothing is written
  2  wrong use, a version or a diagram that the document does not have, a format without
     content for this document, or a PATH that can’t be written

Examples:
  $ ninefold export openapi orders.md > openapi.json
  $ ninefold export openapi orders.md --yaml --out openapi.yaml
  $ ninefold export openapi orders.md --version 2025-06-01 --openapi 3.2
  $ ninefold export openapi orders.md --internals --out orders-internals.json
  $ ninefold export openapi orders.md --audience orders:read --out readers.json
  $ ninefold export asyncapi orders.md --out asyncapi.json
  $ ninefold export arazzo orders.md --yaml --out orders.arazzo.yaml
  $ ninefold export diagram orders.md --out orders-diagrams.md
  $ ninefold export diagram orders.md --svg --of Order --out order-states.svg
  $ ninefold export client orders.md --out src/orders.ts`;

interface Options {
  readonly version?: string;
  readonly out?: string;
  readonly yaml?: boolean;
  readonly openapi?: OpenApiFormat;
  readonly internals?: boolean;
  readonly audience?: string;
  readonly svg?: boolean;
  readonly of?: string;
}

interface Described {
  readonly contract: Contract;
  readonly version: VersionContract;
}

/** The input of an export: the contract without the endpoints that the export leaves out, and the whole contract. */
interface Made extends Described {
  readonly plan: Plan;
  readonly whole: Described;
}

/** Options that only some formats accept. */
const OWN = ['version', 'yaml', 'openapi', 'internals', 'audience', 'svg', 'of'] as const;

/** The functions that produce the text of each format; `options`: the options that the format accepts. */
const FORMATS: Readonly<
  Record<
    string,
    {
      readonly options: ReadonlyArray<(typeof OWN)[number]>;
      /** Whether the format supports a retired version, which has no endpoints, but sends events to its receivers. */
      readonly retired?: boolean;
      readonly text: (made: Made, options: Options) => string | null | Promise<string>;
      /** The reason why a document has no such text. */
      readonly none?: string;
    }
  >
> = {
  openapi: {
    options: ['version', 'yaml', 'openapi', 'internals', 'audience'],
    text: async ({ plan, whole, contract, version }, options) => {
      const all = await exchangesOf(plan, whole.contract, whole.version);
      const exchanges = all.filter((one) => version.endpoints.some(({ name }) => name === one.endpoint));
      return dataText(openApiOf(contract, version, options.openapi ?? '3.1', exchanges, options.internals), options);
    },
  },
  asyncapi: {
    options: ['version', 'yaml', 'internals', 'audience'],
    retired: true,
    text: ({ contract, version }, options) => dataText(asyncApiOf(contract, version, options.internals), options),
  },
  'json-schema': {
    options: ['version', 'yaml', 'internals', 'audience'],
    text: ({ contract, version }, options) => dataText(jsonSchemaOf(contract, version, options.internals), options),
  },
  arazzo: {
    options: ['version', 'yaml', 'internals', 'audience'],
    text: ({ contract, version }, options) => {
      const made = arazzoOf(contract, version, options.internals);
      return made && dataText(made, options);
    },
    none: 'has no resource whose states callers change, so an Arazzo export would be empty',
  },
  diagram: { options: ['svg', 'of'], text: ({ contract }, options) => diagramText(contract, options) },
  client: {
    options: ['version', 'audience'],
    text: ({ contract, version }) => (version.endpoints.length > 0 ? clientOf(contract, version) : null),
    none: 'has no endpoint for these callers, so a client would have no calls',
  },
};

/** Adds `export FORMAT FILE`. */
export function register(program: Command, io: Io): void {
  program
    .command('export')
    .description('Writes the contract of a document in a format that other tools read.')
    .addArgument(new Argument('<FORMAT>', 'the format to write').choices(Object.keys(FORMATS)))
    .argument('<FILE>', 'the document, or - for standard input')
    .option('--version <VERSION>', 'a version of the document (default: the current version)')
    .option('--out <PATH>', 'the file to write (default: standard output)')
    .option('--yaml', 'write YAML instead of JSON')
    .addOption(new Option('--openapi <NUMBER>', 'the version of OpenAPI (default: 3.1)').choices(['3.1', '3.2']))
    .option('--internals', 'also write what callers do not need: steps, guards, rules, and what cannot be expressed')
    .option('--audience <ACCESS>', 'only what these callers may call: “anyone”, “any Customer”, or scopes')
    .option('--svg', 'draw the diagrams as SVG instead of Mermaid in Markdown')
    .option('--of <NAME>', 'one diagram: the states of a resource, or “resources”')
    .addHelpText('after', AFTER)
    .action((format: string, file: string, options: Options) => write(format, file, options, io));
}

const dataText = (value: Json, { yaml }: Options): string =>
  yaml ? escaped(yamlText(value)) : `${documentText(value)}\n`;

async function diagramText(contract: Contract, { svg, of }: Options): Promise<string> {
  if (!svg) return diagramsOf(contract, of ?? null);
  // The layout code is loaded only for SVG.
  const { svgOf } = await import('../export/diagram/svg.ts');
  const drawings = [...drawingsOf(contract)].filter(([key]) => isDrawingOf(key, of ?? null));
  return svgOf(
    contract.title,
    drawings.map(([, drawing]) => drawing),
  );
}

/** Whether a requested diagram exists; otherwise prints the problem, and ends the command. */
function hasDiagram(contract: Contract, name: string, io: Io): boolean {
  const names = [...drawingsOf(contract).keys()];
  if (names.some((key) => isDrawingOf(key, name))) return true;
  const known = contract.resources.some((one) => one.name === name);
  wrong(known ? `${name} has no states to draw` : `there is no diagram “${name}”`, known ? '' : name, names, io);
  return false;
}

/** Produces the complete text before writing any of it. */
async function write(name: string, file: string, options: Options, io: Io): Promise<void> {
  const format = FORMATS[name];
  if (!format) return;
  const given = OWN.filter((one) => options[one] !== undefined);
  const extra = given.find((one) => !format.options.includes(one));
  if (extra) {
    io.err(`error: ${name} has no option --${extra}. Remove it.\n`);
    io.exit(EXIT.wrongUse);
    return;
  }
  const compiled = loadDocument(file, io);
  const plan = compiled && wholePlan(compiled, io);
  if (!plan) return;
  const contract = contractOf(plan);
  const version = versionOf(contract, options.version ?? null, io, format);
  if (!version) return;
  if (options.of !== undefined && !hasDiagram(contract, options.of, io)) return;
  const shown = shownTo({ contract, version }, options, io);
  if (!shown) return;
  const text = await format.text({ plan, whole: { contract, version }, ...shown }, options);
  if (text === null) {
    io.err(`error: ${oneLine(contract.document)} ${format.none}. Nothing was written.\n`);
    io.exit(EXIT.wrongUse);
    return;
  }
  if (options.out === undefined) io.out(text);
  else writeTo(options.out, text, io);
}

/** The part of a contract that an export is made of; null where the options name no such part, which ends the command. */
function shownTo(whole: Described, { internals, audience, svg, of }: Options, io: Io): Described | null {
  if (internals && audience !== undefined) {
    io.err('error: --internals leaves out nothing, so it excludes --audience. Remove one of them.\n');
    io.exit(EXIT.wrongUse);
    return null;
  }
  if (internals || svg || of !== undefined) return whole;
  if (audience === undefined) return withoutEndpoints(whole, forNobody(whole.version));
  const credentials = credentialsOf(whole.contract, audience, io);
  return credentials && withoutEndpoints(whole, forCaller(whole.version, credentials));
}

/** The plan of a document without findings; otherwise prints the problem, and ends the command. */
function wholePlan(compiled: Compiled, io: Io): Plan | null {
  const { name, plan, findings } = compiled;
  if (plan && findings.length === 0) return plan;
  const counts = findingCounts(compiled);
  io.err(
    counts === ''
      ? `error: ${oneLine(name)} has no endpoint, so nothing was written.\n`
      : `error: ${oneLine(name)} is not settled (${counts}), and nothing was written. \`ninefold check\` lists the findings.\n`,
  );
  io.exit(EXIT.findings);
  return null;
}

function writeTo(path: string, text: string, io: Io): void {
  try {
    writeWhole(path, text);
  } catch (error) {
    if (!(error instanceof WriteError)) throw error;
    io.err(`error: ${error.message}\n`);
    io.exit(EXIT.wrongUse);
  }
}
