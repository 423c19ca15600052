import { unitText } from '../plan/limits.ts';
import type { StatementId } from '../plan/lines.ts';
import type { Plan } from '../plan/step.ts';
import { showDuration } from '../text/units.ts';

const RULES = {
  unique: 'a rule of uniqueness of',
  holds: 'an invariant of',
  overlap: 'a rule against overlaps of',
} as const;

/** Describes a statement for people who read the document. */
export function statementWords(id: StatementId, plan: Plan): string {
  switch (id.kind) {
    case 'part':
      return `${id.part}: ${plainWords(id.fact)}`;
    case 'field':
      return `the field ${id.resource}.${id.field}`;
    case 'reference':
      return `the reference ${id.resource}.${id.field}`;
    case 'view':
      return `the shown form ${id.view} of ${id.resource}`;
    case 'unique':
    case 'holds':
    case 'overlap':
      return `${RULES[id.kind]} ${id.resource}`;
    case 'transition':
      return `the transition ${id.transition} of ${id.resource}`;
    case 'parameter':
      return `the parameter ${id.parameter} of ${id.endpoint}, in the ${id.place}`;
    case 'event':
      return `the event ${id.event}`;
    case 'hears':
      return `which receivers hear of ${id.resource}`;
    case 'seen':
      return `which readers of a stream see ${id.event}`;
    case 'condition':
      return `the answer to the condition “${id.condition}”`;
    case 'code':
      return `the code ${id.code}`;
    case 'payload':
      return `the member ${id.names.join('.')} of errors`;
    case 'rate':
      return rateWords(plan, id.index);
    case 'sought':
      return `where ${id.endpoint} is in the version ${id.version ?? 'of requests without one'}`;
    case 'resource':
      return id.fact === 'name' ? `the resource ${id.resource}` : `${id.resource}: ${plainWords(id.fact)}`;
    case 'states':
      return id.fact === 'name'
        ? `the states of ${id.resource}.${id.field}`
        : `the ${id.fact} state of ${id.resource}.${id.field}`;
    case 'endpoint':
      return id.fact === null ? `the endpoint ${id.endpoint}` : `${id.endpoint}: ${id.fact}`;
    case 'scheme':
      return `the scheme ${id.scheme}: ${id.fact}`;
    case 'schedule':
      return `the schedule ${id.schedule}: ${id.fact}`;
    case 'version':
      return `the version ${id.version}`;
    case 'step':
      return 'a step';
  }
}

/** The name of a fact in words: `unknownFields` is “unknown fields”. */
const plainWords = (fact: string): string => fact.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function rateWords({ rates }: Plan, index: number): string {
  const rate = rates[index];
  if (!rate) return 'a rate';
  const unit = rate.row ? 'row' : unitText(rate.per, '');
  return `the rate of requests in ${showDuration(rate.milliseconds)} for each ${unit}`;
}
