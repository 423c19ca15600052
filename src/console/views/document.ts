import type { StatementId } from '../../plan/lines.ts';
import { transitionIn } from '../../plan/machines.ts';
import { named } from '../../plan/named.ts';
import { allNested } from '../../plan/nested-steps.ts';
import type { Plan } from '../../plan/step.ts';
import { type ConsoleService, planOf } from '../console-service.ts';
import type { DocumentAnswer, StatementShown, ViewTarget } from '../protocol.ts';
import type { Route } from '../route.ts';
import { statementWords } from '../statement-words.ts';

/** The served document. */
export function documentViews(served: ConsoleService): Route[] {
  return [
    {
      method: 'GET',
      path: '/document',
      answer: (): DocumentAnswer => ({
        ...served.document(),
        statements: statementsOf(planOf(served)),
        changedOnDisk: served.disk() === 'changed',
      }),
    },
  ];
}

/** The view that has the details of a statement; null where none has. */
function viewOf(plan: Plan, id: StatementId): ViewTarget | null {
  switch (id.kind) {
    case 'resource':
    case 'field':
    case 'view':
      return { kind: 'resource', name: id.resource };
    case 'states':
      return { kind: 'states', name: `${id.resource}.${id.field}` };
    case 'transition': {
      const { field } = transitionIn(named(plan.resources, id.resource).machines, id.transition);
      return { kind: 'states', name: `${id.resource}.${field}` };
    }
    case 'endpoint':
    case 'parameter':
      return { kind: 'endpoint', name: id.endpoint };
    case 'event':
      return { kind: 'deliveries' };
    case 'scheme':
      return { kind: 'keys' };
    case 'rate':
      return { kind: 'activity' };
    default:
      return null;
  }
}

/** The statements of a plan by line: all facts with a line, and all steps. */
function statementsOf(plan: Plan): StatementShown[] {
  const known = Object.values(plan.lines)
    .filter(({ id }) => id.kind !== 'step')
    .map(({ id, line }): StatementShown => ({ line, what: statementWords(id, plan), view: viewOf(plan, id) }));
  const steps = plan.endpoints.flatMap(({ name, before, inside, after }) => {
    const view: ViewTarget = { kind: 'endpoint', name };
    return [...before, ...allNested(inside), ...(after ? [after] : [])].flatMap((step): StatementShown[] =>
      step.line === null ? [] : [{ line: step.line, what: `the step “${step.do}” of ${name}`, view }],
    );
  });
  return [...known, ...steps].sort((a, b) => a.line - b.line);
}
