// Redocly’s Respect runs the workflows of an Arazzo description, and compares each answer with the OpenAPI description
// that it is about: status, media type and schema (`redocly respect`). It is given the workflows of `ninefold export
// arazzo`, and the cases that every tool is given, each as a workflow of one step with the status and the code that the
// answer has to have as its success criteria.
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json, JsonObject } from '../../../src/export/json.ts';
import { CASES, type Call, type Case } from './cases.ts';
import { EXPORTS, writeOpenApi } from './exports.ts';
import { Stage } from './stage.ts';
import { type Complaints, programOf, run, type Tool } from './tool.ts';

const LASTS_MS = 120_000;

async function test(url: string, folder: string): Promise<Complaints> {
  writeOpenApi(folder);
  const stage = await Stage.at(url);
  const { arazzo, info, sourceDescriptions } = EXPORTS.arazzo;
  const workflows: Json[] = [];
  const inputs: Record<string, Json> = {};
  for (const [at, workflow] of workflowsOf(EXPORTS.arazzo).entries()) {
    // Each workflow makes a row of its own, under an idempotency key of its own; Respect gives all the same inputs.
    workflows.push(JSON.parse(JSON.stringify(workflow).replaceAll('create_', `create${at}_`)));
    inputs[`create${at}_Idempotency_Key`] = randomUUID();
    inputs[`create${at}_body`] = { sku: stage.sku(), quantity: 3 };
  }
  const { key } = await stage.member();
  Object.assign(inputs, { credentials_orders_write: key, credentials_orders_fulfil: key });
  for (const [at, one] of CASES.entries()) {
    // Respect sends a text that is no JSON as a string of JSON.
    if (one.code === 'malformed_request') continue;
    workflows.push(workflowOf(one, `case-${at}`, await one.arrange(stage)));
  }
  writeFileSync(join(folder, 'arazzo.json'), JSON.stringify({ arazzo, info, sourceDescriptions, workflows }));
  return respect(url, folder, inputs);
}

const workflowsOf = ({ workflows }: JsonObject): readonly Json[] => (Array.isArray(workflows) ? workflows : []);

function workflowOf(one: Case, name: string, call: Call): JsonObject {
  const { 'Content-Type': contentType = 'application/json', ...headers } = call.headers;
  const parameters = [
    ...(call.id === undefined ? [] : [{ name: 'id', in: 'path', value: call.id }]),
    ...Object.entries(call.query).map(([key, value]) => ({ name: key, in: 'query', value })),
    // Without a header of its own, Respect asks for the media types of the description: for DELETE, problems alone.
    ...Object.entries({ Accept: '*/*', ...headers }).map(([key, value]) => ({ name: key, in: 'header', value })),
  ];
  const criteria = [
    { condition: `$statusCode == ${one.status}` },
    ...(one.code === null ? [] : [{ condition: `$response.body#/code == '${one.code}'` }]),
  ];
  const step = {
    stepId: 'send',
    description: one.name,
    operationId: one.operation.id,
    parameters,
    ...(call.body === undefined ? {} : { requestBody: { contentType, payload: JSON.parse(call.body) as JsonObject } }),
    successCriteria: criteria,
  };
  return { workflowId: name, summary: one.name, steps: [step] };
}

interface Check {
  readonly name: string;
  readonly status: string;
  readonly message: string;
}

interface Workflow {
  readonly workflowId: string;
  readonly executedSteps: ReadonlyArray<{ readonly stepId: string; readonly checks?: readonly Check[] }>;
}

interface Result {
  readonly files: Readonly<Record<string, { readonly executedWorkflows: readonly Workflow[] }>>;
}

async function respect(url: string, folder: string, inputs: object): Promise<Complaints> {
  const words = ['respect', 'arazzo.json', '--input', JSON.stringify(inputs), '--server', `service=${url}`];
  const out = join(folder, 'out.json');
  const code = await run(process.execPath, [programOf('redocly'), ...words, '--json-output', out], folder, LASTS_MS);
  if (!existsSync(out)) return new Map([['Respect gives no result', String(code)]]);
  const { files }: Result = JSON.parse(readFileSync(out, 'utf8'));
  const complaints = new Map<string, string>();
  for (const { workflowId, executedSteps } of Object.values(files).flatMap((file) => file.executedWorkflows))
    for (const { stepId, checks = [] } of executedSteps)
      for (const { name, status, message } of checks)
        if (status === 'error') complaints.set(`${nameOf(workflowId)} ${stepId}: ${name}`, message);
  return complaints;
}

const nameOf = (workflow: string): string => CASES[Number(/^case-(\d+)$/.exec(workflow)?.[1] ?? -1)]?.name ?? workflow;

export const RESPECT: Tool = { name: 'Redocly Respect', version: '2.77.0', test };
