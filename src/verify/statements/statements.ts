import type { Contract } from '../../contract/contract.ts';
import { idText, lineOf } from '../../plan/lines.ts';
import { partAndItem } from '../../plan/parts.ts';
import type { Plan } from '../../plan/step.ts';
import { boundNeeds } from './bounds.ts';
import { callerDrafts } from './callers.ts';
import { endpointDrafts, endpointsOf } from './endpoints.ts';
import { errorDrafts } from './errors.ts';
import { eventDrafts } from './events.ts';
import { rateDrafts } from './limits.ts';
import { Reach } from './reach.ts';
import { resourceDrafts } from './resources.ts';
import { scheduleDrafts } from './schedules.ts';
import type { Draft, Statement } from './statement.ts';
import { stateDrafts } from './states.ts';
import { stepDrafts } from './steps.ts';
import { versionDrafts } from './versions.ts';
import { wireDrafts } from './wire.ts';

/**
 * Every statement of a document that a caller can meet, in the order of the document. `text` is the document. A line
 * with several items, such as the row of a field, has a statement for each item, all with the same key.
 */
export function statementsOf(plan: Plan, contract: Contract, text: string): Statement[] {
  const reach = new Reach(plan);
  const endpoints = endpointsOf(plan, contract.versions[0]?.endpoints ?? [], reach);
  const drafts = [
    ...wireDrafts(plan, reach),
    ...resourceDrafts(plan, reach),
    ...stateDrafts(plan, reach),
    ...endpoints.flatMap(endpointDrafts),
    ...stepDrafts(plan, endpoints, reach),
    ...scheduleDrafts(plan),
    ...callerDrafts(plan, endpoints),
    ...eventDrafts(plan),
    ...errorDrafts(plan, contract),
    ...rateDrafts(plan),
    ...versionDrafts(plan),
  ];
  const lines = text.split(/\r\n|\r|\n/);
  return drafts
    .flatMap((draft) => statementOf(draft, plan, lines))
    .sort((a, b) => a.line - b.line || compare(a.key, b.key));
}

/** A statement with its place; none where the document does not state it, such as for a default of the plan. */
function statementOf({ id, item, needs, line, untestable }: Draft, plan: Plan, lines: readonly string[]): Statement[] {
  const at = line ?? lineOf(plan.lines, id);
  if (at === undefined || needs.length === 0) return [];
  const [part, name] = partAndItem(item);
  const all = [...needs, ...boundNeeds(plan, id, needs[0]?.setup ?? [])];
  const text = (lines[at - 1] ?? '').trim();
  return [{ id, key: idText(id), line: at, part, item: name, text, needs: all, untestable: untestable ?? null }];
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
