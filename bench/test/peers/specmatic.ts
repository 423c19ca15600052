// Specmatic makes tests from an OpenAPI description and from examples in files beside it, and compares each answer with
// the description (`specmatic test`). As its documentation recommends (“External examples”, “Schema resiliency tests”):
// an example for each case, with the rows that it needs in the service and an answer that was recorded; and requests
// that Specmatic makes from the description itself, valid ones and those with one thing wrong.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CASES, type Call, type Case } from './cases.ts';
import { writeOpenApi } from './exports.ts';
import type { Recorded } from './recorded.ts';
import { Stage } from './stage.ts';
import { type Complaints, run, type Tool } from './tool.ts';

const LASTS_MS = 240_000;
const JAR = join(import.meta.dirname, 'node_modules', 'specmatic', 'specmatic.jar');

const CONFIGURATION = {
  version: 2,
  contracts: [{ filesystem: { directory: '.' }, provides: ['openapi.json'] }],
  // Without a bound, the parameters of one list make thousands of tests.
  test: { resiliencyTests: { enable: 'all' }, maxTestRequestCombinations: 1 },
};
/** Java is started for each service: code that is compiled well pays only in longer runs. */
const JAVA = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-jar', JAR];

/**
 * Codes whose request an example can’t hold, since Specmatic sends what the description allows except where 400 or 422
 * is expected, and only headers and parameters of the description; and the one that a minute makes untrue.
 */
const LEFT_OUT = new Set([
  'unsupported_encoding',
  'version_retired',
  'unknown_parameter',
  'body_not_expected',
  'not_acceptable',
  'match_required',
  'request_too_large',
  'rate_exceeded',
]);

/** @param recorded what a service without a fault answers each case with. */
export function specmatic(recorded: readonly Recorded[]): Tool {
  return { name: 'Specmatic', version: '2.55.1', test: (url, folder) => test(url, folder, recorded) };
}

async function test(url: string, folder: string, recorded: readonly Recorded[]): Promise<Complaints> {
  // The rows of the export’s own examples are in no service: the examples in files take their place.
  writeOpenApi(folder, { withoutExamples: true });
  writeFileSync(join(folder, 'specmatic.yaml'), JSON.stringify(CONFIGURATION));
  mkdirSync(join(folder, 'openapi_examples'));
  const stage = await Stage.at(url);
  for (const [at, one] of CASES.entries()) {
    const answer = recorded[at];
    if (!answer || (one.code !== null && LEFT_OUT.has(one.code))) continue;
    const example = exampleOf(one, await one.arrange(stage), answer);
    writeFileSync(join(folder, 'openapi_examples', `case-${at}.json`), JSON.stringify(example));
  }
  const words = [...JAVA, 'test', '--testBaseURL', url, '--junitReportDir', 'junit'];
  const code = await run('java', words, folder, LASTS_MS, { TZ: 'UTC' });
  if (code === null) return new Map([['Specmatic', 'does not end']]);
  return failuresIn(join(folder, 'junit'));
}

function exampleOf(one: Case, call: Call, { status, headers, body }: Recorded): object {
  const { method, path } = one.operation;
  const asked = {
    method,
    path: path.replace('{id}', call.id ?? ''),
    ...(Object.keys(call.query).length ? { query: call.query } : {}),
    headers: call.headers,
    ...(call.body === undefined ? {} : { body: bodyOf(one, call.body) }),
  };
  const answered = { status, headers, ...(body === undefined ? {} : { body }) };
  return { name: one.name, 'http-request': asked, 'http-response': answered };
}

/** A value where the body is JSON, and else the text. */
function bodyOf(one: Case, body: string): unknown {
  try {
    return one.code === 'unsupported_media_type' ? body : JSON.parse(body);
  } catch {
    return body;
  }
}

const TEST = /<testcase [^>]*?\bname="([^"]*)"[^>]*?(?:\/>|>([\s\S]*?)<\/testcase>)/g;
const FAILURE = /<failure[^>]*message="([^"]*)"/;
const IDENTITY = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

function failuresIn(folder: string): Complaints {
  const complaints = new Map<string, string>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.xml')))
    for (const [, name = '', inner = ''] of readFileSync(join(folder, file), 'utf8').matchAll(TEST)) {
      const message = FAILURE.exec(inner)?.[1];
      if (message !== undefined) complaints.set(name.replace(IDENTITY, '‹id›'), message);
    }
  return complaints;
}
