// Prism’s validating proxy stands between a client and the service, and compares each answer with the OpenAPI
// description. As its documentation recommends (“Validation proxy”): `--errors`, so that a violation is an answer of its
// own, and requests aren’t validated, so that those that the service has to refuse reach it. The traffic is what a team
// has: the cases that every tool is given, and the requests of the bench’s own check (`bench/check/script.ts`).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { scriptOf } from '../../check/script.ts';
import type { Dataset } from '../../load/requests.ts';
import { CASES, targetOf } from './cases.ts';
import { writeOpenApi } from './exports.ts';
import { type Member, Stage } from './stage.ts';
import { type Complaints, programOf, QUIET, type Tool } from './tool.ts';

const START_LASTS_MS = 30_000;
/** How long Prism may take for one request. */
const ANSWER_LASTS_MS = 5000;
const VIOLATIONS = 'https://stoplight.io/prism/errors#VIOLATIONS';

interface Sent {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

async function test(url: string, folder: string): Promise<Complaints> {
  // With `--errors`, Prism refuses a request without a key itself, whether or not it validates requests.
  writeOpenApi(folder, { withoutSecurity: true });
  const stage = await Stage.at(url);
  const port = await freePort();
  const words = ['proxy', 'openapi.json', url, '--port', String(port), '--errors', '--validate-request', 'false'];
  const child = spawn(process.execPath, [programOf('prism'), ...words], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...QUIET },
  });
  child.stdout.pipe(createWriteStream(join(folder, 'log')));
  try {
    await listening(port, () => child.exitCode === null);
    const complaints = new Map<string, string>();
    await sendCases(stage, port, complaints);
    await sendScript(stage, port, complaints);
    return complaints;
  } finally {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
}

async function sendCases(stage: Stage, port: number, complaints: Map<string, string>): Promise<void> {
  for (const one of CASES) {
    const call = await one.arrange(stage);
    if (!isJson(call.body)) continue;
    const sent = { method: one.operation.method, target: targetOf(one, call), headers: call.headers, body: call.body };
    note(complaints, one.name, await send(port, sent));
  }
}

/** Rows like those that the bench’s check is made for, and its requests. */
async function sendScript(stage: Stage, port: number, complaints: Map<string, string>): Promise<void> {
  const bodies = new Map<string, string>();
  for (const { title, request: requestOf } of scriptOf(await dataset(stage))) {
    const { method, path, key, headers, body } = requestFrom(requestOf, bodies);
    if (!isJson(body)) continue;
    const all = { Accept: 'application/json', ...(key === null ? {} : { Authorization: `Bearer ${key}` }), ...headers };
    const answer = await send(port, { method, target: path, headers: all, body });
    bodies.set(title, answer?.text ?? '');
    note(complaints, title, answer);
  }
}

/** A step may need what the answer to an earlier one holds, and that answer may have been wrong. */
function requestFrom<T>(requestOf: (bodies: ReadonlyMap<string, string>) => T, bodies: ReadonlyMap<string, string>): T {
  try {
    return requestOf(bodies);
  } catch {
    const empty = JSON.stringify({ id: 'none', next: 'none' });
    return requestOf(new Map([...bodies.keys()].map((title) => [title, empty])));
  }
}

const CUSTOMERS = 3;
const ORDERS = 60;

async function dataset(stage: Stage): Promise<Dataset> {
  const members: Member[] = [];
  for (let i = 0; i < CUSTOMERS; i++) members.push(await stage.member());
  const orders: Array<{ id: string; customer: number }> = [];
  const drafts: number[] = [];
  for (let i = 0; i < ORDERS; i++) {
    const customer = i % CUSTOMERS;
    const member = members[customer];
    if (!member) continue;
    const placed = i < CUSTOMERS;
    const order = await stage.order(member, placed ? 'placed' : 'draft', placed ? {} : { note: undefined });
    if (!placed) drafts.push(i);
    orders.push({ id: order.id, customer });
  }
  const reader = members[0] ? await stage.key(members[0], ['orders:read']) : '';
  return { customers: members, reader, orders, drafts };
}

/** A request with a body that is no JSON is one that Prism never answers. */
function isJson(body: string | undefined): boolean {
  try {
    return !body || JSON.parse(body) !== undefined;
  } catch {
    return false;
  }
}

function note(complaints: Map<string, string>, title: string, answer: Answer | null): void {
  if (answer === null) complaints.set(`${title}: no answer`, 'Prism gave no answer');
  else if (answer.text.includes('https://stoplight.io/prism/errors#')) {
    if (!answer.text.includes(VIOLATIONS)) complaints.set(`${title}: error`, answer.text);
    else for (const one of violationsIn(answer.text)) complaints.set(`${title}: ${one}`, answer.text);
  }
}

interface Violation {
  readonly location: readonly string[];
  readonly code: string | number;
}

const violationsIn = (text: string): string[] =>
  (JSON.parse(text) as { validation: readonly Violation[] }).validation.map(
    ({ location, code }) => `${location.join('.')} ${code}`,
  );

function send(port: number, { method, target, headers, body }: Sent): Promise<Answer | null> {
  return new Promise((resolve) => {
    const length = body === undefined && method !== 'POST' ? {} : { 'Content-Length': Buffer.byteLength(body ?? '') };
    const all = { ...headers, ...length };
    const asked = request({ port, host: '127.0.0.1', method, path: target, headers: all, agent: false }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() }));
    });
    asked.setTimeout(ANSWER_LASTS_MS, () => asked.destroy(new Error('no answer')));
    asked.once('error', () => resolve(null));
    asked.end(body);
  });
}

async function listening(port: number, lives: () => boolean): Promise<void> {
  const until = Date.now() + START_LASTS_MS;
  while (lives() && Date.now() < until) {
    if (await send(port, { method: 'GET', target: '/none', headers: {} })) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('Prism does not listen');
}

/** A port that nobody has now. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export const PRISM: Tool = { name: 'Prism proxy', version: '5.16.0', test };
