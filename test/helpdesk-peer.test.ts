import './whole-alone.ts';
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { checkBoth, differencesText, type RunningService, type Start } from '../bench/helpdesk/check.ts';
import { benchedHelpdesk, HELPDESK_HANDLER, PEER } from '../bench/helpdesk/paths.ts';
import { fastifyArguments, ninefoldArguments } from '../bench/helpdesk/servers.ts';
import { FakedClock, lacksFaketime } from './faults/faked.ts';
import { BIN } from './harness.ts';
import { installOnce } from './install-once.ts';

const withTime = lacksFaketime() === null;

/** Starts a service from its sources, and waits until it says where it listens. */
async function start(args: readonly string[], rows: string, mailUrl: string): Promise<RunningService> {
  const clock = withTime ? new FakedClock(rows) : null;
  const env = { ...process.env, MAIL_URL: mailUrl, ...clock?.env };
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'], env });
  return {
    port: await portOf(child),
    pass: clock && ((seconds) => clock.jump(seconds)),
    [Symbol.asyncDispose]: () => ended(child),
  };
}

function portOf(child: ChildProcess): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let said = '';
  child.stdout!.on('data', (chunk) => {
    said = (said + chunk).slice(-10_000);
    const port = /http:\/\/127\.0\.0\.1:(\d+)\b/.exec(said)?.[1];
    if (port !== undefined) resolve(Number(port));
  });
  child.once('exit', (code) => reject(new Error(`A service ended with ${code} at its start: ${said}`)));
  return promise;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

test('the helpdesk answers as the same service that was written by hand does', async () => {
  installOnce(join(import.meta.dirname, '..', 'bench'), 'the peers of the bench');
  const data = mkdtempSync(join(tmpdir(), 'ninefold-helpdesk-'));
  try {
    const document = join(data, 'helpdesk.md');
    writeFileSync(document, benchedHelpdesk());
    copyFileSync(HELPDESK_HANDLER, join(data, basename(HELPDESK_HANDLER)));
    const ninefold: Start = (rows, mailUrl) => start(ninefoldArguments(BIN, rows, document), rows, mailUrl);
    const fastify: Start = (rows, mailUrl) => start(fastifyArguments(join(PEER, 'main.ts'), rows), rows, mailUrl);
    const { differences } = await checkBoth(document, data, { ninefold, fastify }, withTime);
    assert.equal(differencesText(differences), '');
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
});
