import type { Plan } from '../../plan/step.ts';
import { type ConsoleService, planOf } from '../console-service.ts';
import type { DocumentAnswer, StatementShown, ViewTarget } from '../protocol.ts';
import type { Route } from '../route.ts';

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

/** The views with details, by the first word of a key in `Lines`. */
const VIEWS: Readonly<Record<string, (rest: string) => ViewTarget>> = {
  resource: (rest) => ({ kind: 'resource', name: rest.replace(/: .*$/, '') }),
  field: (rest) => ({ kind: 'resource', name: rest.replace(/\..*$/, '') }),
  view: (rest) => ({ kind: 'resource', name: rest.replace(/: .*$/, '') }),
  states: (rest) => ({ kind: 'states', name: rest.replace(/: .*$/, '') }),
  transition: (rest) => ({ kind: 'states', name: rest.replace(/: .*$/, '') }),
  endpoint: (rest) => ({ kind: 'endpoint', name: rest.replace(/: [^:]*$/, '') }),
  parameter: (rest) => ({ kind: 'endpoint', name: rest.replace(/: [^:]*$/, '') }),
  event: () => ({ kind: 'deliveries' }),
  scheme: () => ({ kind: 'keys' }),
  rate: () => ({ kind: 'activity' }),
};

/** The statements of a plan by line: all facts with a line, and all steps. */
function statementsOf(plan: Plan): StatementShown[] {
  const known = Object.entries(plan.lines).map(([key, line]): StatementShown => {
    const [, word = '', rest = ''] = /^(\w+) (.*)$/s.exec(key) ?? [];
    const view = Object.hasOwn(VIEWS, word) ? VIEWS[word]?.(rest) : undefined;
    return { line, what: key, view: view ?? null };
  });
  const steps = plan.endpoints.flatMap(({ name, before, inside, after }) => {
    const view: ViewTarget = { kind: 'endpoint', name };
    return [...before, ...inside, after].flatMap((step): StatementShown[] =>
      step.line === null ? [] : [{ line: step.line, what: `${step.do}, at ${name}`, view }],
    );
  });
  return [...known, ...steps].sort((a, b) => a.line - b.line);
}
