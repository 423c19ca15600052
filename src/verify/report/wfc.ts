import type { Json, JsonObject } from '../../export/json.ts';
import { jsonText } from '../../text/visible.ts';
import { type Break, isExchange, type Report, statementText } from './report.ts';
import { StableTexts } from './stable.ts';

/** The version of the report’s form that is written. */
const SCHEMA_VERSION = '0.8.0';

/** A category of faults of Web Fuzzing Commons. Codes from 900 on are each program’s own. */
interface Category {
  readonly id: string;
  readonly code: number;
}

const SERVER_ERROR: Category = { id: 'HTTP_STATUS_500', code: 100 };
const WRONG_ANSWER: Category = { id: 'SCHEMA_INVALID_RESPONSE', code: 200 };
const ACCEPTED: Category = { id: 'SCHEMA_VALIDATION_BYPASS', code: 206 };
const NO_SCOPE_NEEDED: Category = { id: 'SECURITY_WRONG_AUTHORIZATION', code: 306 };
const NO_CALLER_NEEDED: Category = { id: 'SECURITY_IGNORE_ANONYMOUS', code: 307 };
const STATEMENT_BROKEN: Category = { id: 'NINEFOLD_STATEMENT_BROKEN', code: 900 };
const NO_ANSWER: Category = { id: 'NINEFOLD_NO_ANSWER', code: 901 };

/**
 * The report in the format of Web Fuzzing Commons (WFC), which other programs read and show. Each break is a fault and
 * a test case. The format has no place for kept and untestable statements: their counts, by item, are under `extra`.
 */
export function wfcReport(report: Report): string {
  const { breaks, run, requests, coverage } = report;
  const cases = breaks.map((one, i) => ({ id: `break-${i + 1}`, break: one }));
  const contexts = new Set(breaks.map((one) => `${category(one).code} ${contextOf(one)}`));
  const data: JsonObject = {
    schemaVersion: SCHEMA_VERSION,
    toolName: 'Ninefold',
    toolVersion: run.version,
    creationTime: new Date(run.startedAt + run.milliseconds).toISOString(),
    executionTimeInSeconds: Math.round(run.milliseconds / 1000),
    faults: {
      totalNumber: contexts.size,
      foundFaults: cases.map((one) => ({
        operationId: one.break.endpoint === null ? statementText(one.break) : operationId(one.break.endpoint),
        testCaseId: one.id,
        faultCategories: [{ ...category(one.break), context: contextOf(one.break) }],
      })),
    },
    problemDetails: {
      rest: {
        outputHttpCalls: breaks.reduce((sum, one) => sum + one.sequence.filter(isExchange).length, 0),
        evaluatedHttpCalls: requests,
        endpointIds: report.endpoints.map((one) => operationId(one.endpoint)),
        coveredHttpStatus: report.endpoints
          .filter((one) => one.statuses.length > 0)
          .map((one) => ({
            endpointId: operationId(one.endpoint),
            testCaseId: 'run',
            // The form knows no others.
            httpStatus: [...new Set(one.statuses)].filter((status) => status < 600),
          })),
      },
    },
    totalTests: cases.length,
    testFilePaths: [],
    testCases: cases.map((one): Json => ({ id: one.id, name: contextOf(one.break) })),
    extra: [
      {
        toolName: 'Ninefold',
        criteria: coverage
          .filter((one) => one.stated)
          .map(({ part, item, kept, broken, untestable }) => ({
            name: `${part}: ${item}`,
            covered: kept + broken,
            total: kept + broken + untestable,
          })),
      },
    ],
    warnings: report.results
      .filter((one) => one.because !== null)
      .map(({ statement, because }) => ({
        message: `${report.document}:${statement.line} ${statement.key}: ${because}`,
        category: 'untestable',
        displayPriority: 5,
      })),
  };
  return `${jsonText(data, 2)}\n`;
}

/** `GET /orders` as WFC writes it: `GET:/orders`. */
const operationId = (endpoint: string): string => endpoint.replace(' ', ':');

/** The context by which a fault differs from others of its category. */
const contextOf = (one: Break): string =>
  `${one.endpoint ?? statementText(one)} -> line ${one.line ?? '?'}, ${statementText(one)}: ${new StableTexts(one.sequence).text(one.why)}`;

/** The most specific fault category for a break, by the expected and the actual status. */
function category(one: Break): Category {
  const last = one.sequence.findLast(isExchange)?.outcome;
  if (!last) return STATEMENT_BROKEN;
  if ('failed' in last) return NO_ANSWER;
  const expected = Number(/^(?:status: )?(\d{3})\b/.exec(one.expected)?.[1] ?? 0);
  const { status } = last;
  if (status === 500) return SERVER_ERROR;
  if (status >= 200 && status < 300) {
    if (expected === 401) return NO_CALLER_NEEDED;
    if (expected === 403) return NO_SCOPE_NEEDED;
    if (expected === 400 || expected === 422) return ACCEPTED;
    // A break of an answer with the right status shows only the differences.
    if (expected === status || expected === 0) return WRONG_ANSWER;
  }
  return STATEMENT_BROKEN;
}
