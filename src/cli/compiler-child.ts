import { writeFileSync } from 'node:fs';
import { compile } from '../compiler/compile.ts';
import { renderFinding } from '../compiler/render.ts';
import { documentReport } from '../compiler/report.ts';
import { KeyError } from '../runtime/authentication/signing-keys.ts';
import { HandlerError } from '../runtime/endpoints/handlers/thread.ts';
import { readAnswers } from './answers.ts';
import type { EditOutcome, EditRequest } from './compiler-process.ts';
import { readDocument } from './document.ts';
import { addressProblem } from './open.ts';
import { tryOut } from './trial.ts';

/** Reads, compiles and tries out a document, as `serve` would begin to serve it. */
async function outcomeOf({ file, settledOnly, url, color, answers }: EditRequest): Promise<EditOutcome> {
  const read = readDocument(file);
  if ('problem' in read) return { kind: 'refused', reason: read.problem };
  const compiled = compile(read.name, read.text);
  const { findings, plan } = compiled;
  if (!plan || findings.some((finding) => !settledOnly || finding.severity === 'error'))
    return { kind: 'findings', findings: findings.map((finding) => renderFinding(compiled, finding, color)) };
  const problem = addressProblem(plan, url);
  if (problem) return { kind: 'refused', reason: problem };
  try {
    await tryOut(plan, url);
  } catch (error) {
    if (error instanceof KeyError || error instanceof HandlerError) return { kind: 'refused', reason: error.message };
    throw error;
  }
  const report = documentReport(compiled);
  return { kind: 'compiled', name: compiled.name, plan, answers: readAnswers(compiled, plan, answers), report };
}

/** Where memory runs out, Linux ends this process and not the service (proc(5), `oom_score_adj`). */
function beFirstToGo(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Other systems have no such file.
  }
}

process.once('message', (request: EditRequest) => {
  beFirstToGo();
  void outcomeOf(request)
    .catch((error: unknown): EditOutcome => {
      return { kind: 'defect', reason: error instanceof Error ? `${error.stack}` : `${error}` };
    })
    .then((outcome) => process.send?.(outcome, () => process.disconnect?.()));
});
