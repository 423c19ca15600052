import type { AnyGrammar } from '../../../language/grammar.ts';
import { record } from '../../../language/read.ts';
import { formOf, holdsSteps, STEPS, stepText, VERBS, type Verb } from '../../../language/steps.ts';
import type { Finding } from '../../../syntax/diagnostic.ts';
import type { ListedStep, Section, Text } from '../../../syntax/markdown.ts';
import { language } from '../../../syntax/messages.ts';
import { linesIn } from '../../../syntax/names.ts';
import { type Notes, Phrase } from '../../../syntax/phrase.ts';
import { IN_CODE, IN_PARAGRAPH } from '../../../syntax/prose.ts';
import type { Body, Step } from '../../statements/endpoints.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import { verbOf } from '../verbs/registry.ts';

/** The characters before the verb of a step written as prose: a number in any form, a letter or a bullet character. */
const LEAD = /^(?:\s|[-*+•_~]|\(?(?:Step\s+)?(?:\p{N}{1,3}|[a-z])\s*[.:)．、]+\s*)*/iu;

/** The verbs that mark a step if inline code follows. The other verbs also begin such sentences of prose. */
const BEFORE_CODE = VERBS.filter((verb) => verb !== 'If' && verb !== 'Answer');

/** The beginnings of steps: a verb with inline code, a status, or a resource and a clause such as `from` or `where`. */
const AFTER_VERBS: readonly RegExp[] = [
  new RegExp(`^(?:${BEFORE_CODE.join('|')})\\b\\s*(?:[a-z]+\\s+)?\``),
  /^(?:If\s+`.*|Otherwise):$/,
  /^Answer\s+(?:with\s+)?`?\d{3}\b/,
  /^(?:Create|Ensure|Remove every)\s+(?:an?\s+)?\p{Lu}\w*(?:\s+(?:from|with|where)\b|\.)/u,
];

/** Reports lines of prose that are steps without their numbers. */
export function checkStepsAsProse({ paragraphs, indented }: Section, notes: Notes): void {
  const report = (text: Text, as: string): void => {
    for (const { line, from } of linesIn(text)) {
      const lead = LEAD.exec(line)?.[0].length ?? 0;
      const step = line.slice(lead).trimEnd();
      const span = { from: from + lead, to: from + lead + step.length };
      if (AFTER_VERBS.some((form) => form.test(step)))
        notes.findings.push(language.report.looksLike(span, { what: 'a step', as, write: `1. ${step}` }));
    }
  };
  for (const one of paragraphs) report(one, IN_PARAGRAPH);
  for (const one of indented) report(one, IN_CODE);
}

/** Steps without effects: the second of two equal ones never refuses a request. */
const CHECKS = /^(?:Require|Match)\s/;

/** Reads a numbered list of steps, each with the steps nested in it; an `Otherwise` belongs to the `If` before it. */
export function readSteps(listed: readonly ListedStep[], notes: Notes): Step[] {
  const out: Step[] = [];
  let open: Extract<Step, { verb: 'If' }> | null = null;
  let before = '';
  for (const one of listed) {
    const phrase = new Phrase({ ...one.text, stops: true }, notes);
    const written = one.text.source.slice(one.text.from, one.text.to);
    if (written === before && CHECKS.test(written))
      notes.findings.push(language.report.twice(one.span, { what: 'This step' }));
    before = written;
    if (phrase.take('Otherwise')) {
      phrase.expect(':');
      const otherwise = phrase.end() ? readHeld(one, notes) : null;
      if (otherwise) record(phrase.text, () => 'Otherwise:', notes);
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
    // The steps nested under a step that was not understood are read all the same.
    else if (phrase.failed) out.push(...readSteps(one.children, notes));
    open = step?.verb === 'If' ? step : null;
  }
  return out;
}

/** Reads one numbered step: a verb and its operands, then a full stop, or a colon and nested steps. */
function readStep(phrase: Phrase, step: ListedStep, notes: Notes): Step | null {
  const verb = phrase.choose(VERBS);
  if (!verb) return null;
  const grammar: AnyGrammar = STEPS[verb];
  const holds = holdsSteps(verb);
  const before = notes.findings.length;
  if (!holds) refuseNested(step, notes);
  const said = grammar.read(phrase);
  if (said !== undefined) phrase.expect(holds ? ':' : '.');
  if (!phrase.end() || said === undefined) {
    teach(formOf(verb), notes.findings, before);
    return null;
  }
  record(phrase.text, () => stepText(verb, grammar.print(said as never)), notes);
  const held = holds && { steps: readHeld(step, notes), ...(verb === 'If' && { otherwise: null }) };
  const body = { ...(said as object), ...held } as Body<Verb>;
  return { verb, ...body, does: verbOf(verb).does(body), span: step.span } as Step;
}

/** Adds the form of the step to each finding that the step is not understood. */
function teach(form: string, findings: Finding[], from: number): void {
  for (const one of findings.splice(from)) {
    const hides = one.effects.includes('hides a statement');
    findings.push(hides ? { ...one, why: `${one.why} Such a step is written: ${form}` } : one);
  }
}

/** Reads the steps nested after a colon. */
function readHeld(step: ListedStep, notes: Notes): Step[] {
  if (step.children.length === 0) notes.findings.push(d.report.stepsMissing(step.span));
  return readSteps(step.children, notes);
}

function refuseNested(step: ListedStep, notes: Notes): void {
  for (const child of step.children)
    notes.findings.push(language.report.unexpected(child.span, { what: 'A nested step', where: 'under this verb' }));
}
