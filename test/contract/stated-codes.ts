import type { Effective } from '../../src/compiler/document/effective.ts';
import type { Step } from '../../src/compiler/statements/endpoints.ts';
import type { Model } from '../../src/compiler/statements/model.ts';
import type { Resource } from '../../src/compiler/statements/resources.ts';

/** The codes that an endpoint's own steps, transitions and parameters name, and the keys without a condition of what it makes: read from the statements alone. */
export function statedCodes(model: Model, { steps, parameters }: Effective): ReadonlySet<string> {
  const ofParameters = parameters.flatMap((parameter) => parameter.otherwise?.text ?? []);
  return new Set([...ofParameters, ...steps.flatMap((step) => codesOf(model, step, steps))]);
}

function codesOf(model: Model, step: Step, steps: readonly Step[]): string[] {
  if (step.verb === 'Find' || step.verb === 'Require') return step.code ? [step.code.text] : [];
  if (step.verb === 'Create' || step.verb === 'Ensure') return ruleCodes(model, step.resource.text);
  if (step.verb === 'Remove every') return keepCodes(model, step.resource.text);
  if (step.verb === 'Remove') return keepCodes(model, resourceOf(step.row.text, steps));
  if (step.verb !== 'Move') return [];
  const resource = resourceOf(step.row.text, steps);
  const machines = model.states.machines.filter((one) => one.resource.text === resource);
  const transitions = machines.flatMap((one) => one.transitions);
  const otherwise = transitions.find((one) => one.name.text === step.by?.text)?.otherwise?.value;
  return otherwise && otherwise !== 'none' ? [otherwise.text] : [];
}

function ruleCodes({ resources }: Model, name: string | null): string[] {
  const { uniques = [], fields = [] } = resources.list.find((one) => one.name.text === name) ?? {};
  const single = fields.flatMap(({ unique }) => (unique?.value.kind === 'yes' ? (unique.value.code?.text ?? []) : []));
  return [...uniques.flatMap((rule) => (rule.condition ? [] : (rule.code?.text ?? []))), ...single];
}

/** Of the rows that keep others: those that refer to a resource. */
function keepCodes({ resources }: Model, name: string | null): string[] {
  return resources.list.flatMap(({ keeps, fields }) =>
    keeps
      .filter((rule) => rule.fields.some((field) => name !== null && referenceOf(fields, field.text) === name))
      .flatMap((rule) => rule.code?.text ?? []),
  );
}

/** The resource of the row that a step has given a name. */
function resourceOf(row: string, steps: readonly Step[]): string | null {
  for (const step of steps) if ('as' in step && 'resource' in step && step.as?.text === row) return step.resource.text;
  return null;
}

function referenceOf(fields: Resource['fields'], name: string): string | null {
  const type = fields.find((field) => field.name.text === name)?.type?.value;
  return type?.kind === 'reference' ? type.resource.text : null;
}
