/**
 * What of the document an exchange has tried: a statement, by the key that it has in the plan’s lines (`lineKey`) or
 * `step LINE` for a step, and what became of it.
 *
 * | Statement | What |
 * | --- | --- |
 * | field, parameter | `accepted`, `refused FAULT`, `least`, `most` (the bound itself), `left out`, `otherwise`, `null`, `shown`, `given` |
 * | field (uniqueness, reference) | `met`, `refused` |
 * | view, resource shown | `shown`; members that are absent: `absent NAME` |
 * | resource visible | `seen`, `hidden` |
 * | unique, holds, overlap | `kept`, `refused` |
 * | reference (of rows that are removed) | `kept`, `removed`, `cleared` |
 * | transition | `from STATE`, `refused from STATE`, `guard true`, `guard false`, `due`, `not due` |
 * | states: initial | `done` |
 * | step | `done`, `refused`, `found`, `none`, `then`, `else`, `rounds 0`, `rounds 1`, `rounds more` |
 * | endpoint ENDPOINT: access | `taken`, `refused CONDITION` |
 * | endpoint …: request, unread bodies, unknown parameters, HEAD, conditional, idempotency, pages, Request size, … | `taken`, `refused CONDITION`, `replayed`, `not modified`, `next`, `last` |
 * | condition, code | `answered` |
 * | rate | `counted`, `refused` |
 * | version | `answered`, `refused` |
 * | scheme | `taken`, `refused` |
 * | event | `webhook`, `stream` |
 */
export interface Trace {
  readonly statement: string;
  readonly what: string;
}
