// Dredd sends one request for each operation and status of an OpenAPI description, and compares the answer with the
// description. As its documentation recommends (“Hooks”, “Isolation of HTTP transactions”, “Multiple requests and
// responses”): each transaction has a hook that sets up an order of its own for it, adds the key, and changes the
// request so that it has the answer that is expected; those of refusals, which Dredd leaves out of OpenAPI documents
// unless a hook says otherwise, are tested too.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeOpenApi } from './exports.ts';
import { type Complaints, programOf, run, type Tool } from './tool.ts';

const LASTS_MS = 120_000;

interface Judged {
  readonly name: string;
  readonly message: string;
}

async function test(url: string, folder: string): Promise<Complaints> {
  // Dredd refuses a path with a parameter that has no example; the hooks replace it.
  writeOpenApi(folder, { idExample: '0195c2a0-0000-7000-8000-000000000001' });
  const hooks = join(import.meta.dirname, 'dredd-hooks.cjs');
  const words = [
    'openapi.json',
    url,
    '--hookfiles',
    hooks,
    '--language',
    'nodejs',
    '--loglevel',
    'error',
    '--no-color',
  ];
  const env = { PEERS_URL: url, PEERS_OUT: join(folder, 'judged.json') };
  const code = await run(process.execPath, [programOf('dredd'), ...words], folder, LASTS_MS, env);
  if (code === null) return new Map([['Dredd', 'does not end']]);
  const judged: readonly Judged[] = JSON.parse(readFileSync(env.PEERS_OUT, 'utf8'));
  return new Map(judged.map(({ name, message }) => [name, message]));
}

export const DREDD: Tool = { name: 'Dredd', version: '14.1.0', test };
