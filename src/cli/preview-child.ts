import { type Compiled, compile } from '../compiler/compile.ts';
import { documentReport } from '../compiler/report.ts';
import type { PreviewOutcome } from '../console/protocol.ts';
import { compareCallers } from '../diff/callers.ts';
import type { Plan } from '../plan/step.ts';
import { KeyError } from '../runtime/authentication/signing-keys.ts';
import { HandlerError } from '../runtime/endpoints/handlers/thread.ts';
import { rowRules } from '../runtime/row-rules.ts';
import { acceptedAs, describeChange } from '../store/migration/change-kinds.ts';
import { describeHindrance } from '../store/migration/hindrances.ts';
import type { Answers } from '../store/migration/upgrade.ts';
import { StoreError } from '../store/store.ts';
import { readAnswers } from './answers.ts';
import { renamedBy } from './diff.ts';
import { readDocument } from './document.ts';
import { addressProblem } from './open.ts';
import type { PreviewMessage, PreviewRequest } from './preview.ts';
import { bringStore } from './stores.ts';
import { tryOut } from './trial.ts';

type Step = (what: string) => void;

/** The outcome of serving a document in place of the served one. */
async function outcomeOf(request: PreviewRequest, step: Step): Promise<PreviewOutcome> {
  step('The document is read');
  const read = request.text === null ? readDocument(request.file) : { name: request.file, text: request.text };
  if ('problem' in read) return { kind: 'refused', reason: sentence(read.problem) };
  const compiled = compile(read.name, read.text);
  const { plan, findings } = compiled;
  if (!plan || findings.some((finding) => !request.settledOnly || finding.severity === 'error'))
    return { kind: 'findings', findings: documentReport(compiled).findings };
  const problem = addressProblem(plan, request.url);
  if (problem !== null) return { kind: 'refused', reason: sentence(problem) };
  try {
    step('The document is started in memory');
    await tryOut(plan, request.url);
    return await compared(request, compiled, plan, step);
  } catch (error) {
    const known = error instanceof KeyError || error instanceof HandlerError || error instanceof StoreError;
    if (known) return { kind: 'refused', reason: sentence(error.message) };
    throw error;
  }
}

async function compared(request: PreviewRequest, compiled: Compiled, plan: Plan, step: Step): Promise<PreviewOutcome> {
  const answers = readAnswers(compiled, plan, request.answers);
  if ('problem' in answers) return { kind: 'refused', reason: sentence(answers.problem) };
  step('What changes for callers is compared');
  const told = compareCallers(request.plan, plan, renamedBy(answers.renames, request.plan));
  step('The rows are copied, and the copy is migrated');
  const rows = await rowsOf(request, plan, answers, step);
  if ('reason' in rows) return rows;
  const callers = told.map((one) => ({
    breaking: one.breaking && one.covered === null,
    text: `${one.at}: ${one.text}${one.covered === null ? '' : ` (covered by version ${one.covered})`}`,
  }));
  return { ...rows, callers };
}

type Rows = Omit<Extract<PreviewOutcome, { kind: 'compiled' }>, 'callers'>;

async function rowsOf(
  { place, isAccepting }: PreviewRequest,
  plan: Plan,
  answers: Answers,
  step: Step,
): Promise<Rows | Extract<PreviewOutcome, { kind: 'refused' }>> {
  const began = Date.now();
  const watcher = { planned: () => {}, step: (what: string) => step(what) };
  const upgrade = { answers, rules: rowRules(plan), watcher, now: began, dry: true, back: true };
  const first = await bringStore(place, plan, upgrade);
  const lost = isAccepting && first ? first.changes.flatMap((change) => acceptedAs(change) ?? []) : [];
  const migrated = lost.length
    ? await bringStore(place, plan, {
        ...upgrade,
        answers: { ...answers, accepted: new Set([...answers.accepted, ...lost]) },
      })
    : first;
  if (migrated?.mistakes.length) return { kind: 'refused', reason: migrated.mistakes.map(sentence).join(' ') };
  return {
    kind: 'compiled',
    rows: !migrated ? 'nothing' : migrated.hindrances.length ? 'refused' : 'possible',
    milliseconds: Date.now() - began,
    changes: (migrated?.changes ?? []).map((change) => ({
      kind: change.kind,
      text: describeChange(change),
      accept: acceptedAs(change),
    })),
    hindrances: (migrated?.hindrances ?? []).map((one) => ({
      change: describeChange(one.change),
      why: one.why,
      rows: one.rows,
      example: one.example,
      text: isAccepting ? describeHindrance(one, plan) : withoutFlags(describeHindrance(one, plan)),
    })),
    notes: migrated?.notes ?? [],
  };
}

/** The names of a migration’s options without the marks of the command line: only an edit takes options in the console. */
const withoutFlags = (text: string): string => text.replace(/--(?=(?:accept|rename|fill|replace)\b)/g, '');

/** Adds a capital letter and a full stop. */
const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;

process.once('message', (request: PreviewRequest) => {
  const tell = (message: PreviewMessage, then: () => void = () => {}): void => {
    process.send?.(message, then);
  };
  void outcomeOf(request, (step) => tell({ step }))
    .catch((error: unknown): PreviewOutcome => {
      const reason = error instanceof Error ? error.message : String(error);
      return { kind: 'refused', reason: `This is a defect of Ninefold, not of the document: ${sentence(reason)}` };
    })
    .then((outcome) => tell({ outcome }, () => process.disconnect?.()));
});
