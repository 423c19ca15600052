import type { Notes, Phrase } from '../../../source/phrase.ts';
import { refuseRepeats, type Said, takeName } from '../../../source/read.ts';
import { endpointsDiagnostics as d } from '../diagnostics.ts';
import type { Assignment, Body } from '../model.ts';
import { readAssignments } from './writes.ts';

/** Answer status with body and header Name e */
export function readAnswer(phrase: Phrase, notes: Notes): Body<'Answer'> | null {
  const at = phrase.peek();
  const status = phrase.integer('a status code');
  if (status === null || !at) return null;
  const code: Said<number> = { value: status, from: at.from, to: at.to };
  if (status < 200 || status > 299) notes.findings.push(d.report.answerStatus(at, { status: `${status}` }));
  let body: Body<'Answer'>['body'] = null;
  let members: readonly Assignment[] = [];
  const headers: Assignment[] = [];
  if (phrase.take('with')) {
    if (phrase.peek()?.kind === 'code') body = phrase.code('expression', 'what to answer');
    else if (!phrase.take('header')) members = readMembers(phrase);
    else headers.push(...readHeaders(phrase));
    if (phrase.take('and header')) headers.push(...readHeaders(phrase));
  }
  for (const list of [members, headers])
    refuseRepeats(
      list.map((one) => one.field),
      notes.findings,
    );
  return { status: code, body, members, headers };
}

/** ``open: `e`, units: `e` `` */
function readMembers(phrase: Phrase): Assignment[] {
  const out: Assignment[] = [];
  do {
    const field = takeName(phrase, 'declaration', 'the name of a member');
    const value = field && phrase.expect(':') ? phrase.code('expression', 'an expression in inline code') : null;
    if (!field || !value) break;
    out.push({ field, value });
  } while (phrase.mark(','));
  return out;
}

/** ``Location `e`, ETag `e` `` */
function readHeaders(phrase: Phrase): Assignment[] {
  return readAssignments(phrase, 'word', 'the name of a header');
}
