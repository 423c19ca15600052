import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { run } from './main.ts';

// Helpers of the tests of this folder. The name without tests keeps the file out of the build.

/** The output and exit code of a command. */
export interface Ran {
  readonly out: string;
  readonly err: string;
  readonly code: number | null;
}

/** Runs a command in this process. `code` is null if the command never set an exit code. */
export async function runHere(...args: string[]): Promise<Ran> {
  let out = '';
  let err = '';
  let code: number | null = null;
  await run(args, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    color: false,
    exit: (given) => {
      code = given;
    },
  });
  return { out, err, code };
}

export const BIN = fileURLToPath(new URL('../../bin/ninefold.js', import.meta.url));

/** Runs `ninefold` as people do, in a process of its own, in the directory `cwd`. */
export function runProcess(
  args: readonly string[],
  options: { input?: string; cwd?: string; timeout?: number } = {},
): Ran {
  const { stdout, stderr, status } = spawnSync(process.execPath, [BIN, ...args], {
    encoding: 'utf8',
    killSignal: 'SIGKILL',
    ...options,
  });
  return { out: stdout, err: stderr, code: status };
}

/** A directory that is removed when the test ends. */
export function temporary(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-cli-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A document with all nine headings, in which one sentence for each part says that nothing is shown. */
export const NOTHING_SHOWN = `# A service

## What the service does

Purpose and domain: not shown.

## Resources and their fields

Resources, fields, types, formats, and allowed values: not shown.

## States and transitions

States: not shown. Transitions: not shown.

## Endpoints

Methods, path shapes, request payloads, and response payloads: not shown.

## Authentication

Scheme, credentials, headers, and scopes: not shown.

## Events

Events, webhooks, and notification kinds: not shown.

## Errors

Error codes, status codes, and error payload shape: not shown.

## Limits

Rate limits, size limits, time-outs, pagination bounds, and defaults: not shown.

## Versioning

Scheme, current version, and deprecation policy: not shown.
`;
