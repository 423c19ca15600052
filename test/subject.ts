import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { startOwnService } from '../src/cli/testing/own-service.ts';
import { compile } from '../src/compiler/compile.ts';
import { contractOf } from '../src/contract/contract-of.ts';
import type { Plan } from '../src/plan/step.ts';
import { type Subject, subjectAt } from '../src/verify/session/subject.ts';
import { hosted } from '../src/verify/target/hosted.ts';
import { HttpTarget } from '../src/verify/target/http-target.ts';
import { placeOf } from '../src/verify/target/loopback.ts';

/** The text of an example, or of a document that the reference quotes. */
export const documentText = (path: string): string => readFileSync(join(import.meta.dirname, '..', path), 'utf8');

/** A text with one statement changed, which has to be there once. */
export function withChange(text: string, from: string, to: string): string {
  assert.equal(text.split(from).length, 2, `“${from}” is there once`);
  return text.replace(from, to);
}

/** The plans of the texts that were asked for: the tests of a file serve one document many times. */
const plans = new Map<string, Plan>();

export function planOf(text: string): Plan {
  const known = plans.get(text);
  if (known) return known;
  // Handlers of examples stand beside them.
  const { plan, findings } = compile(join(import.meta.dirname, '..', 'examples', 'tested.md'), text);
  assert.ok(plan, findings.map(({ message }) => message).join('\n'));
  plans.set(text, plan);
  return plan;
}

/** Serves a document until the test is over, to be held to another one, or to itself. */
export async function subjectOf(t: TestContext, stated: string, served = stated): Promise<Subject> {
  const plan = planOf(stated);
  const own = await startOwnService(planOf(served));
  t.after(() => own.stop());
  const target = hosted(new HttpTarget(await placeOf(own.url, false)), plan, own.serviceUrl);
  return subjectAt({ plan, contract: contractOf(plan) }, target, own);
}
