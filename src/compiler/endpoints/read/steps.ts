import type { Step } from '../../statements/endpoints.ts';
import type { Finding } from '../../syntax/diagnostic.ts';
import { language } from '../../syntax/language.ts';
import type { ListedStep } from '../../syntax/markdown.ts';
import { type Notes, Phrase } from '../../syntax/phrase.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import { VERB_NAMES, verbOf } from '../verbs/registry.ts';

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
  const verb = phrase.choose(VERB_NAMES);
  if (!verb) return null;
  const module = verbOf(verb);
  const { form } = module;
  const before = notes.findings.length;
  if (form !== null) refuseNested(step, notes);
  const body = module.read(phrase, () => readHeld(phrase, step, notes));
  const understood = form === null ? body : endOf(phrase, body);
  if (form !== null && !understood) teach(form, notes.findings, before);
  return understood && ({ verb, ...understood, does: module.does(understood), span: step.span } as Step);
}

/** What was read, if a full stop and nothing else comes after it. */
function endOf<T>(phrase: Phrase, body: T | null): T | null {
  if (body && !phrase.failed) phrase.expect('.');
  return phrase.end() ? body : null;
}

/** Adds to what was not understood of a step how such a step is written. */
function teach(form: string, findings: Finding[], from: number): void {
  for (const one of findings.splice(from)) {
    const hides = one.effects.includes('hides a statement');
    findings.push(hides ? { ...one, why: `${one.why} Such a step is written: ${form}` } : one);
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
