import { foldCase } from '../../expression/tree/fold.ts';
import { userPass, writtenUserPass } from '../../http/basic.ts';
import { type StatementId, statementId } from '../../plan/lines.ts';
import type { SchemePlan } from '../../plan/step.ts';
import { isMarked } from './marks.ts';
import { nearlyRight } from './notes.ts';
import type { OracleRow } from './rows.ts';
import type { State } from './state.ts';

/** The row with the user name and the password of a request, and what the request shows of the statements. */
interface Tried {
  readonly row: OracleRow | null;
  readonly notes: ReadonlyArray<readonly [statement: StatementId, what: string]>;
}

/** Finds the row that has the user name and the password of some credentials. */
export function rowOfUser(state: State, { name, resource, basic }: SchemePlan, credentials: string): Tried {
  const sent = userPass(credentials);
  const bytes = Buffer.from(credentials, 'base64');
  const [header, caller, kept] = ['header', 'subject', 'credentials'].map((fact) => statementId.scheme(name, fact));
  if (!basic || !sent) {
    const isColon = bytes.includes(0x3a);
    return { row: null, notes: [[header!, isColon ? 'refused malformed' : 'refused without a colon']] };
  }
  const rule = (field: string) => state.rows.plan(resource).columns.find((one) => one.name === field)!.rule;
  const userName = state.checks.value(rule(basic.field))(sent.name);
  const password = state.checks.value(rule(basic.password))(sent.password);
  if ('fault' in userName) return { row: null, notes: [[caller!, 'none']] };
  if ('fault' in password) return { row: null, notes: [[kept!, 'refused with another password']] };
  const text = String(userName.value);
  const rows = state.rows.all(resource).map((row) => ({ row, own: row.get(basic.field) }));
  const found = rows.find(({ own }) => own === text);
  const folded = rows.find(({ own }) => typeof own === 'string' && foldCase(own) === foldCase(text));
  const by = found ?? (basic.ignoresCase ? folded : undefined);
  const isRight = ({ row }: { readonly row: OracleRow }): boolean => row.get(basic.password) === password.value;
  if (!by) {
    const isNear = folded && isRight(folded);
    return { row: null, notes: [[caller!, isNear ? 'none in other letters' : 'none']] };
  }
  if (isRight(by)) return { row: by.row, notes: found ? [] : [[caller!, 'found in other letters']] };
  const near = nearlyRight(String(password.value), String(by.row.get(basic.password)));
  return { row: null, notes: ['refused with another password', ...near].map((what) => [kept!, what] as const) };
}

/** The credentials of HTTP Basic of all rows whose user name and password are known, with their rows. */
export function* usersOf(state: State): Generator<readonly [text: string, scheme: SchemePlan, row: OracleRow]> {
  for (const scheme of state.plan.schemes)
    for (const row of scheme.basic ? state.rows.all(scheme.resource) : []) {
      const [name, password] = [row.get(scheme.basic!.field), row.get(scheme.basic!.password)];
      if (typeof name !== 'string' || typeof password !== 'string' || isMarked(name) || isMarked(password)) continue;
      const text = writtenUserPass({ name, password });
      if (text !== null) yield [text, scheme, row];
    }
}
