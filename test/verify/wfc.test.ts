import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { wfcReport } from '../../src/verify/report/wfc.ts';
import { madeUpReport } from './made-up.ts';

const texts = { type: 'string' };
const count = { type: 'integer', minimum: 0 };
const list = (items: object, unique = false): object => ({ type: 'array', items, uniqueItems: unique });
const record = (required: Record<string, object>, optional: Record<string, object> = {}): object => ({
  type: 'object',
  properties: { ...required, ...optional },
  required: Object.keys(required),
  // Stricter than WFC, which takes any member beside its own: a member that is written in vain is found so.
  additionalProperties: false,
});
const between = (minimum: number, maximum: number): object => ({ type: 'integer', minimum, maximum });

/** What the report of Web Fuzzing Commons has to hold (report form 0.8.0), as its members, types and bounds. */
const WFC = record(
  {
    schemaVersion: { const: '0.8.0' },
    toolName: texts,
    toolVersion: texts,
    creationTime: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$' },
    faults: record({
      totalNumber: count,
      foundFaults: list(
        record({
          operationId: texts,
          testCaseId: texts,
          faultCategories: {
            ...list(
              record(
                {
                  id: texts,
                  code: { anyOf: [between(100, 122), between(200, 207), between(300, 312), between(900, 999)] },
                },
                { context: { type: ['string', 'null'] } },
              ),
              true,
            ),
            minItems: 1,
          },
        }),
      ),
    }),
    problemDetails: record({
      rest: record({
        outputHttpCalls: count,
        evaluatedHttpCalls: count,
        endpointIds: list(texts, true),
        coveredHttpStatus: list(
          record({ endpointId: texts, testCaseId: texts, httpStatus: list(between(0, 599), true) }),
        ),
      }),
    }),
    totalTests: count,
    testFilePaths: list(texts, true),
    testCases: list(record({ id: texts, name: texts })),
    executionTimeInSeconds: count,
  },
  {
    extra: list(record({ toolName: texts, criteria: list(record({ name: texts, covered: count }, { total: count })) })),
    warnings: list(record({ message: texts, category: texts, displayPriority: count })),
  },
);

const validate = new Ajv2020({ allErrors: true }).compile(WFC);

test('the report of Web Fuzzing Commons has its members, of their types', () => {
  const text = wfcReport(madeUpReport());
  assert.ok(validate(JSON.parse(text)), JSON.stringify(validate.errors, null, 1));
  assert.ok(!validate(JSON.parse(text.replace('"totalTests": 2', '"totalTests": "2"'))), 'what is checked can fail');
});

test('a status that the form of Web Fuzzing Commons does not know is left out of it', () => {
  const report = { ...madeUpReport(), endpoints: [{ endpoint: 'GET /orders', statuses: [200, 999] }] };
  const data = JSON.parse(wfcReport(report)) as {
    problemDetails: { rest: { coveredHttpStatus: Array<{ httpStatus: number[] }> } };
  };
  assert.ok(validate(data), JSON.stringify(validate.errors, null, 1));
  assert.deepEqual(data.problemDetails.rest.coveredHttpStatus[0]?.httpStatus, [200]);
});

test('a fault has the category that says most of it', () => {
  const report = madeUpReport();
  const [one] = report.breaks;
  assert.ok(one);
  const categoryOf = (expected: string, status: number): unknown => {
    const sequence = one.sequence.map((act, i) =>
      i === one.sequence.length - 1 && 'request' in act
        ? { ...act, outcome: { status, headers: [], body: Buffer.alloc(0) } }
        : act,
    );
    const data = JSON.parse(wfcReport({ ...report, breaks: [{ ...one, expected, sequence }] }));
    return data.faults.foundFaults[0].faultCategories[0].code;
  };
  assert.deepEqual(
    [
      categoryOf('200', 500),
      categoryOf('200 with `total` 3', 200),
      categoryOf('422 invalid_request', 201),
      categoryOf('403 scope_missing', 200),
      categoryOf('401 key_missing', 204),
      categoryOf('404 order_not_found', 200),
      categoryOf('409 order_not_open', 404),
    ],
    [100, 200, 206, 306, 307, 900, 900],
  );
});
