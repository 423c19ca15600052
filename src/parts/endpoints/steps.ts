import { language } from '../../source/language.ts';
import type { ListedStep } from '../../source/markdown.ts';
import { type Notes, Phrase } from '../../source/phrase.ts';
import { readElse, refuseRepeats, type Said, takeName } from '../../source/read.ts';
import { endpointsDiagnostics as d } from './diagnostics.ts';
import type { Assignment, OrderBy, Step } from './model.ts';

const VERBS = ['Find', 'List', 'Require', 'Match', 'Create', 'Change', 'Move', 'Remove', 'Answer'] as const;
const LATER = ['Authenticate', 'Ensure', 'If', 'Otherwise', 'For each', 'Issue', 'Revoke', 'Run'];

type Verb = (typeof VERBS)[number];
type Body<V extends Verb> = Omit<Extract<Step, { verb: V }>, 'span' | 'verb'>;

const READERS: { readonly [V in Verb]: (phrase: Phrase, notes: Notes) => Body<V> | null } = {
  Find: readFind,
  List: readList,
  Require: readRequire,
  Match: readMatch,
  Create: readCreate,
  Change: readChange,
  Move: readMove,
  Remove: readRemove,
  Answer: readAnswer,
};

/** Reads one numbered step: a verb, then what it takes, then a full stop. */
export function readStep(step: ListedStep, notes: Notes): Step | null {
  const phrase = new Phrase(step.text, notes);
  for (const child of step.children)
    notes.findings.push(language.report.unexpected(child.span, { what: 'A nested step', where: 'under this verb' }));
  for (const later of LATER)
    if (phrase.take(later)) {
      notes.findings.push(language.report.notYet(step.span, { what: `The verb “${later}”` }));
      return null;
    }
  const verb = phrase.choose(VERBS);
  if (!verb) return null;
  const body = READERS[verb](phrase, notes);
  if (body && !phrase.failed) phrase.expect('.');
  if (!phrase.end() || !body) return null;
  return { verb, ...body, span: step.span } as Step;
}

function named(phrase: Phrase): { as: ReturnType<Phrase['code']>; resource: ReturnType<typeof takeName> } {
  const as = phrase.code('declaration', 'a name in inline code');
  const resource = as && phrase.expect(':') ? takeName(phrase, 'use', 'a resource') : null;
  return { as, resource };
}

const condition = (phrase: Phrase) => phrase.code('expression', 'a condition in inline code');

/** Find `x`: R where p, else code */
function readFind(phrase: Phrase, notes: Notes): Body<'Find'> | null {
  const { as, resource } = named(phrase);
  if (!as || !resource) return null;
  const where = phrase.take('where') ? condition(phrase) : null;
  if (phrase.take('or none') || phrase.take(', latest') || phrase.take(', earliest')) {
    notes.findings.push(language.report.notYet(phrase.span, { what: '“or none” and an order in Find' }));
    phrase.rest();
    return null;
  }
  return { as, resource, where, code: readElse(phrase) };
}

/** List `xs`: R where p, as the parameters say, latest `k` first, in pages */
function readList(phrase: Phrase, notes: Notes): Body<'List'> | null {
  const { as, resource } = named(phrase);
  if (!as || !resource) return null;
  const where = phrase.take('where') ? condition(phrase) : null;
  const asParameters = phrase.take(', as the parameters say');
  if (phrase.take(', sorted by')) {
    notes.findings.push(language.report.notYet(phrase.span, { what: '“sorted by”' }));
    phrase.rest();
    return null;
  }
  let order: OrderBy | null = null;
  for (const direction of ['latest', 'earliest'] as const) {
    if (order || !phrase.take(`, ${direction}`)) continue;
    const by = phrase.code('expression', 'a field in inline code');
    if (!by || !phrase.expect('first')) return null;
    order = { direction, by };
  }
  if (phrase.take(', all')) {
    notes.findings.push(language.report.notYet(phrase.span, { what: 'A list of all' }));
    return null;
  }
  return { as, resource, where, asParameters, order, bound: phrase.take(', in pages') ? 'pages' : null };
}

/** Require p, else code */
function readRequire(phrase: Phrase): Body<'Require'> | null {
  const test = condition(phrase);
  return test && { test, code: readElse(phrase) };
}

/** Match If-Match to e */
function readMatch(phrase: Phrase): Body<'Match'> | null {
  if (!phrase.expect('If-Match to')) return null;
  const to = phrase.code('expression', 'an expression in inline code');
  return to && { header: 'If-Match', to };
}

/** Create `x`: R from e with f e */
function readCreate(phrase: Phrase): Body<'Create'> | null {
  const { as, resource } = named(phrase);
  if (!as || !resource) return null;
  const from = phrase.take('from') ? phrase.code('expression', '`request` in inline code') : null;
  return { as, resource, from, with: phrase.take('with') ? readAssignments(phrase) : [] };
}

/** Change `x` from e with f e */
function readChange(phrase: Phrase): Body<'Change'> | null {
  const row = phrase.code('use', 'the name of a row in inline code');
  if (!row) return null;
  const from = phrase.take('from') ? phrase.code('expression', '`request` in inline code') : null;
  return { row, from, with: phrase.take('with') ? readAssignments(phrase) : [] };
}

/** Move `x` by transition */
function readMove(phrase: Phrase, notes: Notes): Body<'Move'> | null {
  const row = phrase.code('use', 'the name of a row in inline code');
  if (!row) return null;
  if (phrase.take('to')) {
    notes.findings.push(language.report.notYet(phrase.span, { what: '“Move … to”' }));
    phrase.rest();
    return null;
  }
  const by = phrase.expect('by') ? takeName(phrase, 'use', 'a transition') : null;
  return by && { row, by };
}

/** Remove `x` */
function readRemove(phrase: Phrase, notes: Notes): Body<'Remove'> | null {
  if (phrase.take('every')) {
    notes.findings.push(language.report.notYet(phrase.span, { what: '“Remove every”' }));
    phrase.rest();
    return null;
  }
  const row = phrase.code('use', 'the name of a row in inline code');
  return row && { row };
}

/** Answer status with body and header Name e */
function readAnswer(phrase: Phrase, notes: Notes): Body<'Answer'> | null {
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

function readAssignments(phrase: Phrase, role: 'use' | 'word' = 'use', what = 'a field'): Assignment[] {
  const out: Assignment[] = [];
  do {
    const token = phrase.word(role, what);
    const value = token && phrase.code('expression', 'an expression in inline code');
    if (!token || !value) break;
    out.push({ field: { text: token.text, from: token.from, to: token.to }, value });
  } while (phrase.mark(','));
  if (role === 'use')
    refuseRepeats(
      out.map((one) => one.field),
      phrase.findings,
    );
  return out;
}
