import type { Compiled } from '../../compiler/compile.ts';
import { renderSummary } from '../../compiler/render.ts';
import { contractOf } from '../../contract/contract-of.ts';
import { showEndpoint } from '../../contract/show.ts';
import { explainPlan } from '../../explain/explain.ts';
import type { Plan } from '../../plan/step.ts';
import { nearest } from '../../text/suggest.ts';
import { Refusal } from './refusal.ts';

/** The plan of an endpoint in words. */
export function explainEndpoint(compiled: Compiled, name: string): string {
  const plan = planOf(compiled);
  return explainPlan(plan, named(plan.endpoints, name));
}

/** The contract of one endpoint, in one version of the document. */
export function contractText(compiled: Compiled, endpoint: string, version: string | undefined): string {
  const contract = contractOf(planOf(compiled));
  const served = contract.versions.filter(({ status }) => status !== 'retired');
  const found = version === undefined ? served[0] : served.find(({ name }) => name === version);
  if (!found) {
    const names = served.flatMap(({ name }) => name ?? []);
    throw new Refusal(`There is no version “${version}”.${names.length ? ` There are ${names.join(', ')}.` : ''}`);
  }
  return showEndpoint(contract, named(found.endpoints, endpoint));
}

/** The plan of the settled endpoints. */
function planOf(compiled: Compiled): Plan {
  if (compiled.plan) return compiled.plan;
  throw new Refusal(`No endpoint is settled: ${renderSummary(compiled, false)} next_questions lists what is open.`);
}

function named<T extends { readonly name: string }>(all: readonly T[], name: string): T {
  const found = all.find((one) => one.name === name);
  if (found) return found;
  const names = all.map((one) => one.name);
  const near = nearest(name, names);
  const shown = names.slice(0, 40).join(', ');
  throw new Refusal(
    `There is no settled endpoint “${name}”${near ? `: did you mean “${near}”?` : `. There are ${shown}.`}`,
  );
}
