import { documentText, withChange } from '../../subject.ts';
import type { Fault } from './fault.ts';

/** Tickets whose changes are recorded. */
const tickets = documentText('docs/documents/tickets.md');

const AUDITED = 'resource Ticket: audited';

const instead = (name: string, from: string, to: string, key = AUDITED): Fault => ({
  name,
  stated: tickets,
  served: withChange(tickets, from, to),
  key,
});

export const AUDITS: readonly Fault[] = [
  instead('records no new rows', 'creation recorded', 'creation not recorded'),
  instead('records no removals', 'removal recorded', 'removal not recorded'),
  instead('does not record an assignee', 'Audited: status, priority, assignee', 'Audited: status, priority'),
  instead('does not record a status', 'Audited: status, priority, assignee', 'Audited: priority, assignee'),
];
