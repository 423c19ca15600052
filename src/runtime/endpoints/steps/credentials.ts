import type { Row, Value } from '../../../expression/values/value.ts';
import { setCookie } from '../../../plan/callers.ts';
import { call } from '../../../store/store.ts';
import { newSecret, secretMatches } from '../../authentication/keys.ts';
import { evaluate } from '../../expressions/layout.ts';
import { isHashOf } from '../../resources/passwords.ts';
import { type Of, type Step, type StepContext, slotOf } from './context.ts';

/**
 * Authenticate: finds the row whose password or secret matches. Without such a row, another hash is compared, which
 * takes as long: the time of an answer doesn't reveal which accounts exist.
 */
export function compileVerify(step: Of<'verify'>, c: StepContext): Step {
  const { resource } = step;
  const where = c.expressions.where(resource, step.where);
  const statement = c.store.prepare({ kind: 'select', resource, where, order: null, after: false, limit: false });
  const args = c.expressions.parameters(statement, c.names);
  const password = c.expressions.plain(step.password, c.names);
  const column = c.expressions.column(resource, step.field);
  const slot = c.names.vars.indexOf(step.as);
  const refusal = c.errors.code(step.code);
  const known = c.resource(resource);
  const nobody = c.passwords?.nobody ?? '';
  return function* verify({ work }) {
    const [row] = yield* call(statement, args(work.frame));
    const sent = password(work.frame) as string | null;
    const kept = (row?.[column] ?? null) as string | null;
    const matches = step.secret
      ? secretMatches(sent ?? '', kept)
      : isHashOf(sent ?? '', kept ?? nobody, work.rerunState);
    if (!row || sent === null || kept === null || !matches) throw refusal;
    work.frame.vars[slot] = known.known(work, row);
  };
}

/** Issue: issues a credential of a scheme, returned only once. */
export function compileIssue(step: Of<'issue'>, c: StepContext): Step {
  const issue = c.issuers.issuer(step.scheme);
  const scopesBy = step.scopesBy && c.expressions.compile(step.scopesBy, c.names);
  const to = c.expressions.compile(step.to, c.names);
  const slot = c.names.vars.indexOf(step.as);
  const cookie = c.issuers.cookieOf(step.scheme);
  return function* issued(run) {
    const { frame } = run.work;
    const holder = (yield* evaluate(to, frame)) as Value | Row;
    const scopes = scopesBy ? new Set((yield* evaluate(scopesBy, frame)) as unknown as string[]) : step.scopes;
    const credential = yield* issue(holder, [...scopes], frame.now);
    if (cookie) run.cookies = new Map([...(run.cookies ?? []), [cookie.name, setCookie(cookie, credential)]]);
    frame.vars[slot] = credential as unknown as Row;
  };
}

/** Issue of a secret: draws it, and stores its hash; later steps have the secret itself. */
export function compileIssueSecret(step: Of<'issue secret'>, c: StepContext): Step {
  const resource = c.resource(step.resource);
  const column = c.expressions.column(step.resource, step.field);
  const row = slotOf(step.row, c);
  const slot = slotOf(step.as, c);
  return function* issueSecret({ work }) {
    const { secret, hash } = newSecret(c.store.random);
    yield* resource.change(work, work.frame.vars[row] as Row, new Map([[column, hash]]));
    work.frame.vars[slot] = secret as unknown as Row;
  };
}

/** Revoke: revokes all keys of a row, or the key of the request. */
export function compileRevoke(step: Of<'revoke'>, c: StepContext): Step {
  if (!step.of) {
    const cookie = c.issuers.cookieOf(step.scheme);
    return function* revokeSent(run) {
      const { x, work } = run;
      if (x.known?.keyId) yield* c.issuers.revoke(x.known.keyId, work.frame.now);
      // A new cookie that an earlier step has set stays.
      if (cookie) run.cookies = new Map([[cookie.name, setCookie(cookie, null)], ...(run.cookies ?? [])]);
    };
  }
  const revoke = c.issuers.revoker(step.scheme);
  const of = c.expressions.compile(step.of, c.names);
  return function* revokeEvery({ work: { frame } }) {
    yield* revoke((yield* evaluate(of, frame)) as Value | Row, frame.now);
  };
}
