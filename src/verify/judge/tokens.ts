import { idText, lineOf, type StatementId, statementId } from '../../plan/lines.ts';
import type { TokensPlan } from '../../plan/step.ts';
import { hasMark } from '../oracle/marks.ts';
import type { Oracle } from '../oracle/oracle.ts';
import type { Trace } from '../oracle/trace.ts';
import type { Difference } from './compare.ts';
import type { When } from './judge.ts';

/** The tolerance for instants in a token, since most services write whole seconds. */
const UNIT_MS = 1000;

/** The header and the payload of a JSON Web Token. */
interface Claims {
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The results of the tokens of an answer. */
interface TokensRead {
  readonly differences: readonly Difference[];
  readonly trace: readonly Trace[];
}

/**
 * Checks the tokens in an answer that the service has issued by its steps: algorithm, issuer, audience, lifetime and
 * subject, as the document states them (RFC 7519, section 4.1). Callers treat a token as opaque; only its issuer states
 * its form.
 */
export function readTokens({ state }: Oracle, told: Iterable<string>, { earliest, latest }: When): TokensRead {
  const differences: Difference[] = [];
  const trace: Trace[] = [];
  for (const text of told) {
    const known = state.credentials.get(text);
    const scheme = known?.issued ? state.plan.schemes.find(({ name }) => name === known.scheme) : undefined;
    if (!known || !scheme?.tokens) continue;
    const row = state.rows.byIdentity(known.resource, known.identity);
    const subject = row ? String(row.get(scheme.tokens.field)) : null;
    const read = claimsOf(text);
    if (!read) {
      const expected = 'a JSON Web Token in three parts';
      differences.push(differs(statementId.scheme(scheme.name, 'kind'), expected, text.slice(0, 40)));
      continue;
    }
    for (const [fact, expected, actual] of factsOf(scheme.tokens, subject, read, { earliest, latest })) {
      const statement = statementId.scheme(scheme.name, fact);
      if (lineOf(state.plan.lines, statement) === undefined) continue;
      if (expected === actual) trace.push({ statement, what: 'issued' });
      else differences.push(differs(statement, expected, actual));
    }
  }
  return { differences, trace };
}

/** A difference in a token: its place is the statement about its scheme. */
const differs = (statement: StatementId, expected: string, actual: string): Difference => ({
  at: `token: ${idText(statement)}`,
  statement,
  expected,
  actual,
});

function factsOf(
  tokens: TokensPlan,
  subject: string | null,
  { header, payload }: Claims,
  { earliest, latest }: When,
): Array<readonly [fact: string, expected: string, actual: string]> {
  const { aud, exp } = payload;
  const audience = Array.isArray(aud) ? aud.find((one) => one === tokens.audience) : aud;
  const facts: Array<readonly [string, string, string]> = [
    ['algorithm', tokens.algorithm, String(header.alg)],
    ['issuer', tokens.issuer, String(payload.iss)],
    ['audience', tokens.audience, String(audience)],
  ];
  // A type is a media type, mostly without its first part, in any case (RFC 7515, section 4.1.9).
  const type = String(header.typ).replace(/^application\//i, '');
  if (tokens.type !== null)
    facts.push(['type', tokens.type, type.toLowerCase() === tokens.type.toLowerCase() ? tokens.type : type]);
  if (tokens.lifetime !== null) {
    const end = typeof exp === 'number' ? exp * 1000 : Number.NaN;
    const isRight = end > earliest + tokens.lifetime - UNIT_MS && end < latest + tokens.lifetime + UNIT_MS;
    const stated = `exp ${tokens.lifetime / 1000} s from now`;
    facts.push(['lifetime', stated, isRight ? stated : `exp ${(end - latest) / 1000} s from now`]);
  }
  if (subject !== null && !hasMark(subject))
    facts.push(['caller', `${tokens.claim} ${subject}`, `${tokens.claim} ${String(payload[tokens.claim])}`]);
  return facts;
}

function claimsOf(token: string): Claims | null {
  const [header, payload, signature] = token.split('.');
  if (header === undefined || payload === undefined || signature === undefined) return null;
  const read = (part: string): Claims['header'] | null => {
    try {
      const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
      return typeof value === 'object' && value !== null ? (value as Claims['header']) : null;
    } catch {
      return null;
    }
  };
  const [head, body] = [read(header), read(payload)];
  return head && body ? { header: head, payload: body } : null;
}
