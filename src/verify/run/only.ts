import type { StatementId } from '../../plan/lines.ts';
import { allNested } from '../../plan/nested-steps.ts';
import { PARTS, type PartName } from '../../plan/parts.ts';
import type { EndpointPlan, Plan } from '../../plan/step.ts';
import { nearest } from '../../text/suggest.ts';
import type { Statement } from '../statements/statement.ts';

/** The part of a document to which a run is limited. */
export interface Only {
  /** The name that the person gave. */
  readonly name: string;
  readonly part: PartName | null;
  readonly endpoint: string | null;
  /** The statements of that part, by the texts of their ids. */
  readonly statements: ReadonlyMap<string, StatementId>;
}

/** The error for an unknown name in `--only`; the message lists the known names. */
export class OnlyError extends Error {}

/** The largest number of names in a message. */
const LISTED = 40;

/**
 * Finds the part that a person names, by its name or heading; or an endpoint, by its method and path; or a statement,
 * by its line or key. Throws OnlyError where nothing has the name.
 */
export function onlyOf(text: string, statements: readonly Statement[], plan: Plan): Only {
  const name = text.trim();
  const about = (of: Partial<Only>, fits: (statement: Statement) => boolean): Only => {
    const found = statements.filter(fits);
    if (found.length === 0) throw new OnlyError(`Nothing that callers can observe matches “${name}”.`);
    return { name, part: null, endpoint: null, ...of, statements: new Map(found.map(({ key, id }) => [key, id])) };
  };
  const lower = name.toLowerCase();
  const part = PARTS.find(([one, heading]) => one === lower || heading.toLowerCase() === lower)?.[0];
  if (part) return about({ part }, (one) => one.part === part);
  const endpoint = plan.endpoints.find((one) => one.name.toLowerCase() === lower);
  if (endpoint) return about({ endpoint: endpoint.name }, isOf(endpoint));
  const line = /^(?:.*:)?(\d+)$/.exec(name)?.[1];
  if (line !== undefined) return ofLine(Number(line), statements, about);
  const keyed = statements.some((one) => one.key === name);
  if (keyed) return about({}, (one) => one.key === name);
  throw new OnlyError(
    unknown(
      name,
      statements,
      plan.endpoints.map((one) => one.name),
    ),
  );
}

/** Recognizes the statements of an endpoint: its own, those of its parameters, and its steps. */
function isOf({ name, inside }: EndpointPlan): (statement: Statement) => boolean {
  const steps = new Set([...allNested(inside)].map(({ line }) => line ?? 0));
  return ({ id }) =>
    id.kind === 'step'
      ? steps.has(id.line)
      : (id.kind === 'endpoint' || id.kind === 'parameter') && id.endpoint === name;
}

function ofLine(
  line: number,
  statements: readonly Statement[],
  about: (of: Partial<Only>, fits: (statement: Statement) => boolean) => Only,
): Only {
  if (statements.some((one) => one.line === line)) return about({}, (one) => one.line === line);
  const lines = [...new Set(statements.map((one) => one.line))];
  const close = lines.sort((a, b) => Math.abs(a - line) - Math.abs(b - line)).slice(0, 3);
  throw new OnlyError(
    `Line ${line} states nothing that a caller can meet. The nearest lines that do are ${close.sort((a, b) => a - b).join(', ')}.`,
  );
}

function unknown(name: string, statements: readonly Statement[], endpoints: readonly string[]): string {
  const keys = [...new Set(statements.map((one) => one.key))];
  const near = nearest(name, [...PARTS.map(([part]) => part), ...endpoints, ...keys]);
  if (near) return `There is no part, endpoint or statement “${name}”: did you mean “${near}”?`;
  const parts = PARTS.map(([part]) => part).join(', ');
  const more = endpoints.length > LISTED ? `, and ${endpoints.length - LISTED} more` : '';
  return `There is no part, endpoint or statement “${name}”. The parts are ${parts}. The endpoints are ${endpoints.slice(0, LISTED).join(', ')}${more}. A statement is named by its line.`;
}
