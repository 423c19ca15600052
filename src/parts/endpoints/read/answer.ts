import type { Notes, Phrase } from '../../../source/phrase.ts';
import { type Name, refuseNested, refuseRepeats, type Said, takeName, takeNames } from '../../../source/read.ts';
import type { Span } from '../../../source/span.ts';
import { nearest } from '../../../source/suggest.ts';
import { endpointsDiagnostics as d } from '../diagnostics.ts';
import type { Assignment, Body, Member, Streamed } from '../model.ts';
import { readAssignments } from './writes.ts';

/** Answer status with body and header Name e */
export function readAnswer(phrase: Phrase, notes: Notes): Body<'Answer'> | null {
  const at = phrase.peek();
  const status = phrase.integer('a status code');
  if (status === null || !at) return null;
  const code: Said<number> = { value: status, from: at.from, to: at.to };
  if (status < 200 || status > 299) notes.findings.push(d.report.answerStatus(at, { status: `${status}` }));
  let body: Body<'Answer'>['body'] = null;
  let stream: Streamed | null = null;
  let view: Name | null = null;
  let members: readonly Member[] = [];
  const headers: Assignment[] = [];
  if (phrase.take('with')) {
    const [the, named] = [phrase.peek(), phrase.peek(1)];
    if (phrase.take('the stream')) stream = readStreamed(phrase, { from: the!.from, to: named!.to });
    else if (phrase.peek()?.kind === 'code') {
      body = phrase.code('expression', 'what to answer');
      view = readAs(phrase);
    } else if (!phrase.take('header')) members = readMembers(phrase);
    else headers.push(...readHeaders(phrase));
    if (phrase.take('and header')) headers.push(...readHeaders(phrase));
  }
  for (const list of [members, headers])
    refuseRepeats(
      list.map((one) => one.field),
      notes.findings,
    );
  refuseNested(
    members.map((one) => one.field),
    notes.findings,
  );
  return { status: code, body, view, stream, members, headers };
}

/** `the stream`, `the stream of order.opened, order.placed` */
function readStreamed(phrase: Phrase, span: Span): Streamed {
  return { ...span, events: phrase.take('of') ? takeNames(phrase, 'use', 'an event') : [] };
}

/** ``open: `e`, units: `e` `` */
function readMembers(phrase: Phrase): Member[] {
  const out: Member[] = [];
  // What has no colon after it is no member, and `header` may have been meant.
  if (phrase.peek(1)?.text !== ':' && nearest(phrase.peek()?.text ?? '', ['header', 'the']))
    phrase.fail('a member, the stream, or header');
  do {
    const field = takeName(phrase, 'declaration', 'the name of a member');
    const value = field && phrase.expect(':') ? phrase.code('expression', 'an expression in inline code') : null;
    if (!field || !value) break;
    out.push({ field, value, as: readAs(phrase) });
  } while (phrase.mark(','));
  return out;
}

/** `as Profile` */
function readAs(phrase: Phrase): Name | null {
  return phrase.take('as') ? takeName(phrase, 'use', 'a view') : null;
}

/** ``Location `e`, ETag `e` `` */
function readHeaders(phrase: Phrase): Assignment[] {
  return readAssignments(phrase, 'word', 'the name of a header');
}
