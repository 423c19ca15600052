import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changed, example } from '../../../../test/fixtures.ts';
import type { AnswerStep, InsideStep } from '../../../plan/step.ts';
import { readMarkdown } from '../../../syntax/markdown.ts';
import { requestHeaders } from '../../authentication/plan.ts';
import { Resolved } from '../../document/resolve.ts';
import { readModel } from '../../read/read.ts';
import { checkEndpoints } from '../check.ts';

/** The findings on a document with an endpoint that declares and reads this number of parameters. */
function documentWith(count: number) {
  const rows = Array.from({ length: count }, (_, i) => `| p${i} | header | integer | 1 to 9 | optional | not_found |`);
  const steps = Array.from({ length: count }, (_, i) => `1. Require \`header.p${i} == null\`, else not_found.`);
  const heading = '### `GET /`\n';
  const header = '| Parameter | In | Type | Allowed values | Presence | Otherwise |\n| - | - | - | - | - | - |';
  const list = '1. List `todos`';
  const text = changed(
    example('todos'),
    [heading, [heading, header, ...rows, ''].join('\n')],
    [list, [...steps, list].join('\n')],
  );
  const notes = { findings: [], marks: [] };
  return { notes, model: readModel(readMarkdown(text, []), notes).model };
}

/** How often a parameter is looked at to check an endpoint that has so many. */
function looks(count: number): number {
  const { notes, model } = documentWith(count);
  let looks = 0;
  const list = model.endpoints.list.map((endpoint) => ({
    ...endpoint,
    parameters: new Proxy(endpoint.parameters, {
      get: (target, name) => {
        if (typeof name === 'string' && /^\d+$/.test(name)) looks += 1;
        return Reflect.get(target, name) as unknown;
      },
    }),
  }));
  checkEndpoints(new Resolved({ ...model, endpoints: { ...model.endpoints, list } }, notes));
  assert.deepEqual(notes.findings, []);
  return looks;
}

test('a parameter is looked at as often among many as among few', () => {
  assert.equal(looks(200) / 200, looks(20) / 20);
});

test('which headers steps read is seen without going through what they compute, whose types hold every parameter', () => {
  const { notes, model } = documentWith(1);
  const untouched = new Proxy({}, { ownKeys: () => assert.fail('what a step computes is gone through') });
  const require = { do: 'require', test: untouched } as unknown as InsideStep;
  const match = { do: 'match', header: 'If-Match', to: untouched } as unknown as InsideStep;
  const nested = { do: 'if', then: [match], else: [] } as unknown as InsideStep;
  const r = new Resolved(model, notes);
  const answer = { conditional: null } as unknown as AnswerStep;
  assert.deepEqual(requestHeaders(r, [], [require], [answer]), []);
  assert.deepEqual(requestHeaders(r, [], [require, nested], [answer]), ['If-Match', 'If-None-Match']);
});
