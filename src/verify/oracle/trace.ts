import { idText, type StatementId } from '../../plan/lines.ts';

/**
 * A fact that an exchange has tried: a statement, and its effect in the exchange.
 *
 * | Statement | What |
 * | --- | --- |
 * | field, parameter | `accepted`, `refused FAULT`, `least`, `most` (the bound itself; `item least`, `key most` of what a list or a map holds), `left out`, `otherwise`, `null`; of fields `shown`, `absent`, `given`; of parameters `kept in`, `kept out`, `shows VALUE`, `hides VALUE` |
 * | view, resource shown | `shown` |
 * | scheme while | `taken`, `no caller` (the condition of the row of the credentials does not hold) |
 * | resource visible | `seen`, `hidden`, `no caller by SCHEME` (the row of the credentials is hidden from itself) |
 * | unique | `kept`, `kept with another FIELD`, `kept beside one that does not count`, `refused`, `refused in other letters` |
 * | holds, overlap | `kept`, `refused` |
 * | reference (of rows that are removed) | `kept`, `removed`, `cleared` |
 * | resources: text, emptyText | `met` |
 * | transition | `from STATE`, `refused from STATE`, `guard true`, `guard false`, `due`, `not due` |
 * | states: initial | `done` |
 * | any with a condition | `equal COMPARISON`, `not NUMBER COMPARISON`: the answer rules out another condition (`run/rivals.ts`) |
 * | step | `done`, `refused`, `refused CONDITION`, `found`, `none`, `then`, `else`, `rounds 0`, `rounds 1`, `rounds more`; of List `equal rows`; of Group `several rows`, `alone KEY`, `null key`, `equal groups`, `hidden row`; of look-ups by texts `found in other letters`, `none in other letters`; of Ensure `none beside one that does not count` |
 * | endpoint ENDPOINT | `taken`, `refused CONDITION` |
 * | endpoint ENDPOINT: access, HEAD, conditional, idempotency, pages, Request size, … | `taken`, `refused CONDITION`, `ignored`, `replayed`, `refused the key of a refusal`, `refused the key in another version`, `taken beside another’s`, `not modified`, `next`, `last`, `only`, `most` |
 * | endpoint ENDPOINT: audience | `shown`, `left out` |
 * | endpoint ENDPOINT: Page size, Whole list | `most`, `otherwise`, `cut`, `refused page refused` |
 * | condition, code | `answered` |
 * | rate | `counted`, `refused` |
 * | version | `answered`, `refused` |
 * | versioning: without | `answered` |
 * | scheme | `taken`, `refused` |
 * | event | `webhook`, `stream` |
 * | webhook: delivery, delays, timeout | `again` |
 * | webhook: order | `kept` |
 * | webhook: hears RESOURCE | `not told` (of an event of a row); `shown`, `not shown` (a row within a payload) |
 * | stream: resumption, retry, heartbeat, atOnce | `resumed`, `sent`, `sent`, `refused` |
 * | authentication: origins | `allowed`, `preflight`, `not allowed` |
 *
 * The id `sought ENDPOINT` holds facts that no statement needs, but that a run looks for (`run/trace-coverage.ts`).
 */
export interface Trace {
  readonly statement: StatementId;
  readonly what: string;
}

/** Whether the document repeats the answer to an earlier request with the same idempotency key. */
export const isReplay = (traces: readonly Trace[]): boolean => traces.some(({ what }) => what === 'replayed');

/** A key of a trace: equal for the same statement and fact. */
export const traceKey = ({ statement, what }: Trace): string => `${idText(statement)}\n${what}`;

/** The statement of a kind that was traced last, as a list; none where none was. */
export const latestOf = (traces: readonly Trace[], kind: StatementId['kind']): StatementId[] =>
  traces.flatMap(({ statement }) => (statement.kind === kind ? [statement] : [])).slice(-1);

/** Whether one of some traces is among others. */
export function meets(trace: readonly Trace[], wanted: readonly Trace[]): boolean {
  const keys = new Set(wanted.map(traceKey));
  return trace.some((one) => keys.has(traceKey(one)));
}
