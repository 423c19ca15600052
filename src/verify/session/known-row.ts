import type { Json } from '../../export/json.ts';
import { ruleType } from '../../plan/lowering.ts';
import { named } from '../../plan/named.ts';
import { typedClaims } from '../oracle/claims.ts';
import { sees } from '../oracle/evaluate.ts';
import { isMarked } from '../oracle/marks.ts';
import type { Oracle } from '../oracle/oracle.ts';
import type { OracleRow } from '../oracle/rows.ts';
import { type OracleCaller, scopeOfRow, type Transaction } from '../oracle/scope.ts';
import { written } from '../oracle/show.ts';
import { usersOf } from '../oracle/user-names.ts';
import type { Credentials, KnownRow } from '../requests/known.ts';

/** A known row, with the values that requests may contain. */
export function knownRow(row: OracleRow, work: Transaction): KnownRow {
  const { rows } = work;
  const { columns, machines } = rows.plan(row.resource);
  const scope = { work, names: new Map(), row, sighted: false };
  const fields = columns.flatMap(({ name, rule, reference, password }): Array<[string, Json]> => {
    const value = password ? null : row.get(name);
    if (value === null) return [];
    const json = reference === null ? written(value, ruleType(rule, false), null, scope) : (value as Json);
    return json === undefined ? [] : [[name, json]];
  });
  const passwords = columns.flatMap(({ name, password }): Array<[string, string]> => {
    const value = password ? row.get(name) : null;
    return typeof value === 'string' && !isMarked(value) ? [[name, value]] : [];
  });
  return {
    resource: row.resource,
    identity: String(rows.identity(row)),
    fields: Object.fromEntries(fields),
    state: machines.length > 0 ? machines.map(({ field }) => String(row.get(field))).join(', ') : null,
    ...(passwords.length > 0 ? { passwords: Object.fromEntries(passwords) } : {}),
  };
}

function isSeenByItself(oracle: Oracle, caller: OracleCaller, now: number): boolean {
  return sees(caller.row, scopeOfRow(oracle.begin(now, { version: '', name: 'known', caller }, false), caller.row));
}

/** The credentials of HTTP Basic that rows have, and a few that rows had before. */
function knownUsers(oracle: Oracle, now: number): Credentials[] {
  const { state } = oracle;
  const none = { scopes: [], claims: {} };
  const current = [...usersOf(state)].map(([text, { name: scheme }, row]): Credentials => {
    const caller = { row, scopes: [], claims: new Map(), scheme, credentials: text };
    const standing = isSeenByItself(oracle, caller, now) ? 'good' : 'hidden';
    const { resource } = row;
    state.users.set(text, { scheme, resource, identity: state.rows.identity(row) });
    return { scheme, text, resource, identity: String(state.rows.identity(row)), ...none, standing };
  });
  const known = new Set(current.map(({ text }) => text));
  const former = [...state.users].flatMap(([text, { identity, ...one }]): Credentials[] =>
    known.has(text) ? [] : [{ ...one, text, identity: String(identity), ...none, standing: 'revoked' }],
  );
  return [...former.slice(-MOST_FORMER), ...current.slice(-MOST_USERS)];
}

/** How many credentials of HTTP Basic that rows had before are tried: the newest. */
const MOST_FORMER = 4;

/** How many rows requests call as by HTTP Basic: the newest. */
const MOST_USERS = 8;

/** The credentials that requests can be sent with, and whether they are good at an instant. */
export function knownCredentials(oracle: Oracle, now: number): Credentials[] {
  const { credentials, rows } = oracle.state;
  const issued = [...credentials].map(([text, { scheme, resource, scopes, claims, ...one }]): Credentials => {
    const isExpired = one.expiresAt !== null && one.expiresAt <= now;
    const row = rows.plan(resource).visible === null ? null : rows.byIdentity(resource, one.identity);
    const typed = typedClaims(oracle.state.checks, named(oracle.state.plan.schemes, scheme), claims, null);
    const isHidden =
      row !== null &&
      typed !== null &&
      !isSeenByItself(oracle, { row, scopes, claims: typed, scheme, credentials: text }, now);
    const unfit = typed === null ? 'unfit' : 'good';
    const standing = one.revoked ? 'revoked' : isExpired ? 'expired' : isHidden ? 'hidden' : unfit;
    return { scheme, text, resource, identity: String(one.identity), scopes, claims, standing };
  });
  return [...issued, ...knownUsers(oracle, now)];
}
