import type { Finding } from '../../source/diagnostic.ts';
import { language } from '../../source/language.ts';
import type { ListedStep } from '../../source/markdown.ts';
import { type Notes, Phrase } from '../../source/phrase.ts';
import { endpointsDiagnostics as d } from './diagnostics.ts';
import type { Body, Step } from './model.ts';
import { readAnswer } from './read/answer.ts';
import { readIssue, readRevoke } from './read/credentials.ts';
import {
  condition,
  readAuthenticate,
  readFind,
  readForEach,
  readList,
  readMatch,
  readRequire,
} from './read/selects.ts';
import { readChange, readCreate, readMove, readRemove, readRemoveEvery, readRun } from './read/writes.ts';

type Verb = Step['verb'];
/** The verbs that hold other steps, and end with a colon. */
type Holder = 'If' | 'For each';
type Plain = Exclude<Verb, Holder>;

const READERS: { readonly [V in Plain]: (phrase: Phrase, notes: Notes) => Body<V> | null } = {
  Find: readFind,
  List: readList,
  Authenticate: readAuthenticate,
  Require: readRequire,
  Match: readMatch,
  Create: readCreate,
  Ensure: readCreate,
  Change: readChange,
  Move: readMove,
  Remove: readRemove,
  'Remove every': readRemoveEvery,
  Run: readRun,
  Issue: readIssue,
  Revoke: readRevoke,
  Answer: readAnswer,
};

/** How a step of each verb is written. */
const FORMS: { readonly [V in Plain]: string } = {
  Find: 'Find `row`: Resource where `id == path.id`, else error_code.',
  List: 'List `rows`: Resource where `condition`, latest `field` first, in pages.',
  Authenticate:
    'Authenticate `row`: Resource where `email == request.email`, password `request.password`, else error_code.',
  Require: 'Require `condition`, else error_code.',
  Match: 'Match If-Match to `etag(row)`.',
  Create: 'Create `row`: Resource from `request` with field `value`.',
  Ensure: 'Ensure `row`: Resource with field `value`.',
  Change: 'Change `row` from `request` with field `value`.',
  Move: 'Move `row` by transition.',
  Remove: 'Remove `row`.',
  'Remove every': 'Remove every Resource where `condition`.',
  Run: 'Run handler with name `value`, giving `result`.',
  Issue: 'Issue `token`: Heading of the scheme for `row`.',
  Revoke: 'Revoke every Heading of the scheme for `row`.',
  Answer: 'Answer 200 with `row` and header Name `value`.',
};

const HOLDERS: { readonly [V in Holder]: (phrase: Phrase) => Omit<Body<V>, 'steps'> | null } = {
  If: readIf,
  'For each': readForEach,
};

/** Reads a numbered list of steps, each with the steps nested in it; an `Otherwise` belongs to the `If` before it. */
export function readSteps(listed: readonly ListedStep[], notes: Notes): Step[] {
  const out: Step[] = [];
  let open: Extract<Step, { verb: 'If' }> | null = null;
  for (const one of listed) {
    const phrase = new Phrase(one.text, notes);
    if (phrase.take('Otherwise')) {
      const otherwise = readHeld(phrase, one, notes);
      if (open && otherwise) out[out.length - 1] = { ...open, otherwise };
      else {
        if (otherwise) notes.findings.push(d.report.otherwiseAlone(one.span));
        out.push(...(otherwise ?? readSteps(one.children, notes)));
      }
      open = null;
      continue;
    }
    const step = readStep(phrase, one, notes);
    if (step) out.push(step);
    // What stands nested under a step that was not understood is used all the same.
    else if (phrase.failed) out.push(...readSteps(one.children, notes));
    open = step?.verb === 'If' ? step : null;
  }
  return out;
}

/** Reads one numbered step: a verb, then what it takes, then a full stop, or a colon and the steps it holds. */
function readStep(phrase: Phrase, step: ListedStep, notes: Notes): Step | null {
  const verb = phrase.choose([...(Object.keys(READERS) as Plain[]), ...(Object.keys(HOLDERS) as Holder[])]);
  if (!verb) return null;
  if (verb in HOLDERS) {
    const body = HOLDERS[verb as Holder](phrase);
    const steps = body && readHeld(phrase, step, notes);
    return steps && ({ verb, ...body, steps, span: step.span } as Step);
  }
  refuseNested(step, notes);
  const before = notes.findings.length;
  const body = READERS[verb as Plain](phrase, notes);
  if (body && !phrase.failed) phrase.expect('.');
  if (!phrase.end() || !body) {
    teach(verb as Plain, notes.findings, before);
    return null;
  }
  return { verb, ...body, span: step.span } as Step;
}

/** Adds to what was not understood of a step how such a step is written. */
function teach(verb: Plain, findings: Finding[], from: number): void {
  for (let i = from; i < findings.length; i++) {
    const one = findings[i]!;
    if (one.code === 'language/unknown' || one.code === 'language/missing')
      findings[i] = { ...one, why: `${one.why} Such a step is written: ${FORMS[verb]}` };
  }
}

/** The steps that stand nested after a colon. */
function readHeld(phrase: Phrase, step: ListedStep, notes: Notes): Step[] | null {
  phrase.expect(':');
  if (!phrase.end()) return null;
  if (step.children.length === 0) notes.findings.push(d.report.stepsMissing(step.span));
  return readSteps(step.children, notes);
}

function refuseNested(step: ListedStep, notes: Notes): void {
  for (const child of step.children)
    notes.findings.push(language.report.unexpected(child.span, { what: 'A nested step', where: 'under this verb' }));
}

/** If e: */
function readIf(phrase: Phrase): Omit<Body<'If'>, 'steps'> | null {
  const test = condition(phrase);
  return test && { test, otherwise: null };
}
