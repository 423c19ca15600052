import { type AtOnce, STREAM } from '../../language/events.ts';
import { unstated } from '../../language/statement.ts';
import { listed } from '../../text/suggest.ts';
import { hasNoCallers, opensToNobody } from '../document/access.ts';
import type { Resolved } from '../document/resolve.ts';
import { listNames } from '../endpoints/check/settings.ts';
import { everyStep, type Step } from '../statements/endpoints.ts';
import type { Stream } from '../statements/events.ts';
import { eventsDiagnostics as d } from './messages.ts';

/**
 * Checks the stream: stated where an event or an answer needs it, complete, and with an endpoint that answers with it.
 */
export function checkStream(r: Resolved): void {
  const { stream, list } = r.model.events;
  const { findings } = r.notes;
  const streamed = list.filter((event) => event.notifiedBy?.value.includes('stream'));
  const answers = streamAnswers(r);
  if (!stream) {
    for (const event of streamed)
      findings.push(d.report.streamMissing(event.notifiedBy, { what: `${event.name.text} is sent by stream` }));
    for (const { stream: of } of answers)
      findings.push(d.report.streamMissing(of, { what: 'This endpoint answers with the stream' }));
    return;
  }
  checkStated(r, stream);
  if (!streamed.length) findings.push(d.report.streamUnused(stream.span));
  else if (!answers.length) findings.push(d.report.streamUnanswered(stream.span));
  const names = streamed.map((event) => event.name.text);
  const sent = new Set(names);
  for (const { stream: of } of answers)
    for (const event of of?.events ?? []) {
      if (sent.has(event.text)) continue;
      const known = list.some((one) => one.name.text === event.text);
      if (known) findings.push(d.report.notStreamed(event, { event: event.text, names: listed(names) }));
      else r.unknown(event, 'event', names);
    }
  if (!answers.length) return;
  const held = new Set(
    answers.flatMap(({ stream: of }) => (of!.events.length ? of!.events.map((one) => one.text) : names)),
  );
  for (const { name } of streamed)
    if (!held.has(name.text) && !r.isSuggested(name.text))
      findings.push(d.report.notInStream(name, { event: name.text }));
}

/** The answers that are the stream. */
function streamAnswers(r: Resolved): Array<Extract<Step, { verb: 'Answer' }>> {
  const steps = r.model.endpoints.list.flatMap((endpoint) => [...everyStep(endpoint.steps)]);
  return steps.flatMap((step) => (step.verb === 'Answer' && step.stream ? [step] : []));
}

/**
 * Checks the limit of open streams: for each caller where the service has callers, and for each address where anyone
 * may read.
 */
function checkAtOnce(r: Resolved, { atOnce, span }: Stream, { caller, nobody }: AtOnce): void {
  const { findings } = r.notes;
  const uncalled = hasNoCallers(r);
  if (uncalled && caller !== null) findings.push(d.report.atOnceUncalled(atOnce));
  if (!uncalled && caller === null) findings.push(d.report.atOnce(span));
  const reading = r.effective.filter((one) => one.every.some((step) => step.verb === 'Answer' && step.stream));
  const open = reading.filter((one) => uncalled || opensToNobody(one)).map((one) => one.endpoint.name);
  if (!uncalled && nobody === null && open.length)
    findings.push(d.report.atOnceNobody(atOnce, { endpoint: listNames(open) }, open));
  if (nobody !== null && reading.length && !open.length) findings.push(d.report.atOnceNobodyUnused(atOnce));
}

function checkStated(r: Resolved, stream: Stream): void {
  for (const code of unstated(STREAM, stream)) r.notes.findings.push(d.report[code](stream.span));
  const resumption = stream.resumption?.value;
  const atOnce = stream.atOnce?.value;
  if (resumption && resumption !== 'none') {
    if (resumption.code) r.code(resumption.code, 'step');
    else {
      const params = { what: 'A reader reconnects after a longer time.', code: 'events_gone' };
      r.notes.findings.push(d.report.codeMissing(stream.resumption, params));
    }
  }
  if (atOnce && atOnce !== 'any number') {
    checkAtOnce(r, stream, atOnce);
    if (atOnce.code) r.code(atOnce.code, 'step');
    else
      r.notes.findings.push(
        d.report.codeMissing(stream.atOnce, { what: 'A caller opens one stream too many.', code: 'too_many_streams' }),
      );
  }
}
