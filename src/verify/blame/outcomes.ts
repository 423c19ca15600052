import { type Condition, FAULTS, HTTP_STATUS, type Outcome } from '../../plan/conditions.ts';
import { lineOf, type StatementId, statementId } from '../../plan/lines.ts';
import type { Plan } from '../../plan/step.ts';
import type { Answer } from '../target/exchange.ts';

/** The possible causes of a refusal in the document: codes, and general conditions. */
export interface Outcomes {
  readonly codes: ReadonlySet<string>;
  readonly conditions: ReadonlySet<Condition>;
}

/** The conditions of the values of a request. */
const CONTENT: readonly Condition[] = ['invalid request', 'unknown field', 'unknown parameter', 'reference unknown'];

/**
 * The possible causes of a refusal: the codes of the document in its body; otherwise the codes whose title and columns
 * are in it; otherwise, where the body has no text of the document, the codes of its status.
 */
export function outcomesOf(plan: Plan, answer: Answer): Outcomes {
  const { status, body } = answer;
  const conditions = Object.entries(plan.errors.conditions) as Array<[Condition, Outcome]>;
  const all = [...Object.values(plan.errors.codes), ...conditions.map(([, outcome]) => outcome)];
  const texts = textsIn(body.toString());
  const said = all.filter(({ code }) => texts.has(code));
  const titled = all.filter(
    (one) => one.title !== '' && texts.has(one.title) && columnsOf(plan, one.code).every((text) => texts.has(text)),
  );
  const bare = Object.entries(HTTP_STATUS) as Array<[Condition, number]>;
  const found = [said, titled, ofFaults(plan, answer, texts), all.filter((one) => one.status === status)].find(
    (some) => some.length > 0,
  );
  const ofStatus = (found ?? []).filter((one) => one.status === status);
  const codes = new Set((ofStatus.length > 0 ? ofStatus : (found ?? [])).map(({ code }) => code));
  const named = conditions.flatMap(([condition, { code }]) => (codes.has(code) ? [condition] : []));
  const silent = texts.size > 0 ? [] : bare.flatMap(([condition, own]) => (own === status ? [condition] : []));
  return { codes, conditions: new Set([...named, ...silent]) };
}

/** The conditions of values that are not allowed, where a refusal has such a fault and no code. */
function ofFaults({ errors }: Plan, { status }: Answer, texts: ReadonlySet<string>): Outcome[] {
  if (!Object.entries(FAULTS).some(([code, message]) => texts.has(code) || texts.has(message))) return [];
  const all = CONTENT.flatMap((condition) => errors.conditions[condition] ?? []);
  return all.filter((one) => one.status === status);
}

/** The statement about a code: its row, or the published list. */
export function codeId({ lines }: Plan, code: string): StatementId {
  const own = statementId.code(code);
  return lineOf(lines, own) !== undefined ? own : statementId.part('errors', 'conditions');
}

/** The texts of a code in the further columns of the table. */
export const columnsOf = ({ errors }: Plan, code: string): string[] =>
  Object.hasOwn(errors.columns, code) ? Object.values(errors.columns[code] ?? {}).filter((text) => text !== null) : [];

/** Whether refusals show the code or the title of their row. */
export function payloadShows({ errors: { payload } }: Plan, member: 'code' | 'title'): boolean {
  if (payload.kind === 'table') return JSON.stringify(payload).includes(`"member":"${member}"`);
  return payload.kind === 'RFC 9457';
}

/** The strings of a JSON text, names of members among them. */
export const textsIn = (json: string): Set<string> =>
  new Set([...json.matchAll(/"((?:[^"\\]|\\.)*)"/g)].flatMap(([text]) => unescaped(text)));

function unescaped(text: string): string[] {
  try {
    return [JSON.parse(text) as string];
  } catch {
    return [];
  }
}
