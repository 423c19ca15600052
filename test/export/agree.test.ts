import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { compile } from '../../src/compiler/compile.ts';
import type { Contract, VersionContract } from '../../src/contract/contract.ts';
import { contractOf } from '../../src/contract/contract-of.ts';
import type { BodyContract } from '../../src/contract/endpoint.ts';
import type { Json, JsonObject } from '../../src/export/json.ts';
import { openApiOf } from '../../src/export/openapi/document.ts';
import { parseJson } from '../../src/http/json.ts';
import type { Plan } from '../../src/plan/step.ts';
import type { RequestContext } from '../../src/runtime/context/request-context.ts';
import { bodyValidator } from '../../src/runtime/endpoints/payload.ts';
import { Errors } from '../../src/runtime/errors/refusal.ts';
import { Expressions } from '../../src/runtime/expressions/layout.ts';
import { Versions } from '../../src/runtime/versioning/versions.ts';
import { SqliteStore } from '../../src/store/sqlite/store.ts';
import { FORMATS } from '../../src/validation/formats.ts';
import { documents } from '../fixtures.ts';
import { fc } from '../seeded.ts';
import { share, times } from '../share.ts';
import { bodyOf } from './bodies.ts';
import { textOf } from './texts.ts';

/** How many bodies are judged of each document, divided among its endpoints and versions. */
const BODIES = times(200, 8000);

interface Counts {
  allowed: number;
  refused: number;
  /** By what the list says. */
  readonly otherwise: Map<string, number>;
}

for (const { name, text } of share(documents(), 3).cases)
  test(`bodies are allowed by the exported schemas of ${name} as they are by its service`, (t) => {
    const { plan } = compile(name, text);
    assert.ok(plan);
    const contract = contractOf(plan);
    const bodies = contract.versions.flatMap((version) => bodiesIn(plan, contract, version));
    const counts: Counts = { allowed: 0, refused: 0, otherwise: new Map() };
    for (const one of bodies)
      for (const sent of fc.sample(textOf(bodyOf(one.body.type.members)), Math.ceil(BODIES / bodies.length)))
        judge(one, sent, counts);
    const otherwise = [...counts.otherwise].map(([what, count]) => `${what} ${count}`).join(', ');
    t.diagnostic(
      `${bodies.length} requests with bodies: both allow ${counts.allowed}, both refuse ${counts.refused}, otherwise as the list says: ${otherwise || 0}`,
    );
    if (bodies.length) assert.ok(counts.allowed > 0 && counts.refused > 0);
  });

/** What the service finds wrong: by its rule, or the condition, and where in the body. */
interface Found {
  readonly rule: string;
  readonly pointer: string;
}

/** What the list of an export says of bodies that service and schemas judge otherwise. */
interface Difference {
  readonly what: string;
  readonly at?: readonly string[];
  readonly refuses?: readonly string[];
  readonly reads?: string;
}

interface Judged {
  readonly endpoint: string;
  readonly body: BodyContract;
  readonly bySchema: (body: unknown) => boolean;
  readonly byService: (text: string) => readonly Found[];
  readonly list: readonly Difference[];
}

function judge(judged: Judged, text: string, counts: Counts): void {
  const found = judged.byService(text);
  const body = parsed(text);
  if (body === NO_JSON) {
    assert.deepEqual(found, [{ rule: 'malformed request', pointer: '' }], text);
    counts.refused++;
    return;
  }
  if (judged.bySchema(body) === (found.length === 0)) {
    counts[found.length ? 'refused' : 'allowed']++;
    return;
  }
  const reason = reasonFor(judged, text, body, found);
  assert.ok(
    reason,
    `${judged.endpoint}: ${text}: the service finds ${JSON.stringify(found)}, and the list tells of no such difference`,
  );
  counts.otherwise.set(reason, (counts.otherwise.get(reason) ?? 0) + 1);
}

const NO_JSON = Symbol('no JSON');

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return NO_JSON;
  }
}

/** The entry of the list that a difference is told by; undefined where none is. */
function reasonFor(
  { list, bySchema, endpoint }: Judged,
  text: string,
  body: unknown,
  found: readonly Found[],
): string | undefined {
  const of = (reads: string): Difference | undefined => list.find((one) => one.reads === reads);
  // Of a number that is rounded where JSON is read, nobody has looked at what was sent.
  if (of('exact numbers') && hasRounded(text)) return of('exact numbers')?.what;
  const telling = ({ rule, pointer }: Found): Difference | undefined =>
    list.find((one) => one.refuses?.includes(rule) && isAt(one, `${endpoint} body`, pointer));
  const told = found.map(telling);
  if (found.length && told.every((one) => one !== undefined)) return told[0]?.what;
  const trimming = of('trimmed text');
  if (!trimming) return undefined;
  const asTrimmed = bySchema(trimmed(body));
  const rest = found.filter((one) => !telling(one));
  return asTrimmed === (rest.length === 0) ? trimming.what : undefined;
}

/** Whether an entry of the list is about a place in a body: about all where it names none, or what holds it. */
function isAt({ at }: Difference, body: string, pointer: string): boolean {
  const names = pointer
    .split('/')
    .slice(1)
    .filter((one) => !/^\d+$/.test(one));
  const place = [body, ...names.map((one) => one.replaceAll('~1', '/').replaceAll('~0', '~'))].join('.');
  return at === undefined || at.some((one) => place === one || place.startsWith(`${one}.`));
}

/** Whether a text has a number that is another one once JSON.parse has read it. */
function hasRounded(text: string): boolean {
  const numbers = text.replace(/"(?:[^"\\]|\\.)*"/g, '""').match(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g) ?? [];
  return numbers.some((one) => !isSame(one, Number(one)));
}

function isSame(text: string, value: number): boolean {
  return Number.isFinite(value) && exact(text) === exact(String(value));
}

/** A decimal number as its digits without zeros at either end, and their place. */
function exact(text: string): string {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const short = digits.replace(/0+$/, '');
  const place = Number(power) - fraction.length + digits.length - short.length;
  return short === '' ? '0' : `${sign}${short}e${place}`;
}

/** A body with white space around each text taken off. */
function trimmed(value: unknown): unknown {
  if (typeof value === 'string') return value.trim();
  if (Array.isArray(value)) return value.map(trimmed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name.trim(), trimmed(one)]));
}

/** Every request with a body in one version, as both judge it. */
function bodiesIn(plan: Plan, contract: Contract, version: VersionContract): Judged[] {
  if (version.status === 'retired') return [];
  const document = openApiOf(contract, version, '3.1');
  const ajv = new Ajv2020({ strict: false, formats: formats() });
  ajv.addSchema({ $id: 'https://exported', ...document });
  const internals = openApiOf(contract, version, '3.1', [], true);
  const list: readonly Difference[] = JSON.parse(JSON.stringify(internals['x-ninefold-not-expressed']));
  return version.endpoints.flatMap(({ name, method, path, body }): Judged[] => {
    // Bytes as they are have no schema.
    if (!body?.mediaTypes.some((one) => one.endsWith('json'))) return [];
    const operation = member(member(document.paths, path), method.toLowerCase());
    const content = member(member(operation, 'requestBody'), 'content');
    const schema = member(member(content, body.mediaTypes[0] ?? ''), 'schema');
    const bySchema = ajv.compile({ ...schema });
    const byService = serviceJudge(plan, name, version.name ?? '');
    return [{ endpoint: name, body, bySchema: (one) => bySchema(one) === true, byService, list }];
  });
}

function member(value: Json | undefined, name: string): JsonObject {
  assert.ok(typeof value === 'object' && value !== null && name in value, name);
  return (value as JsonObject)[name] as JsonObject;
}

/** What the service finds wrong with a body, by the function that its requests go through. */
function serviceJudge(plan: Plan, endpoint: string, version: string): (text: string) => readonly Found[] {
  const step = plan.endpoints.find((one) => one.name === endpoint)?.before.find((one) => one.do === 'validate body');
  assert.ok(step);
  const errors = new Errors(plan.errors, plan.wire);
  const apiVersion = new Versions(plan.versions, errors).find(version);
  assert.ok(apiVersion);
  const validate = bodyValidator(step, false, {
    wire: plan.wire,
    expressions: new Expressions(plan, new SqliteStore(':memory:', plan), null),
    errors,
    resource: (name) => {
      const found = plan.resources.find((one) => one.name === name);
      assert.ok(found);
      return found;
    },
  });
  return (text) => {
    const parsed = parseJson(Buffer.from(text));
    if (!parsed.ok) return [{ rule: 'malformed request', pointer: '' }];
    const frame = {
      now: 0,
      caller: null,
      path: [],
      query: [],
      header: [],
      request: [],
      vars: [],
      row: null,
      scopes: [],
    };
    const x = { apiVersion, body: parsed.value, faults: [], refused: null, frame } as unknown as RequestContext;
    validate(x);
    const faults = x.faults.map((one) => ({ rule: one.code, pointer: one.name }));
    return [...faults, ...(x.refused ? [{ rule: 'refused', pointer: '' }] : [])];
  };
}

/** Formats as the standards that the list names have them. */
function formats() {
  const isDay = (text: string): boolean =>
    new Date(`${text.slice(0, 10)}T00:00:00Z`).getUTCDate() === Number(text.slice(8, 10));
  return {
    email: FORMATS.email.test,
    uri: FORMATS.uri.test,
    hostname: FORMATS.hostname.test,
    ipv4: FORMATS.ipv4.test,
    ipv6: FORMATS.ipv6.test,
    uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
    date: isDay,
    'date-time': isDay,
    'uri-reference': true as const,
    password: true as const,
  };
}
