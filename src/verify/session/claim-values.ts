import { typeOfRule } from '../../contract/values.ts';
import type { Json } from '../../export/json.ts';
import { isClaims } from '../../expression/tree/expression.ts';
import type { ClaimPlan } from '../../plan/callers.ts';
import { named } from '../../plan/named.ts';
import type { Plan, SchemePlan } from '../../plan/step.ts';
import type { Oracle } from '../oracle/oracle.ts';
import { type Content, isList, isObject, Verbatim } from '../requests/draft.ts';
import type { Random } from '../requests/random.ts';
import { Samples } from '../requests/samples.ts';
import { variantsOf } from '../requests/values.ts';
import type { Claims } from '../setup/setup.ts';

/** The most values of one claim that are tried, of those that are allowed and of those that are not. */
const MOST_ALLOWED = 10;
const MOST_REFUSED = 16;

/**
 * The claims with which tokens of a scheme are tried: first the usual ones, then ones with each other value of each
 * claim, and last ones in which a single claim is wrong.
 */
export function claimSets(
  { state }: Oracle,
  scheme: SchemePlan,
  random: Random,
  now: number,
): { readonly allowed: readonly Claims[]; readonly refused: readonly Claims[] } {
  const claims = (scheme.tokens?.claims ?? []).map((claim) => ({ claim, ...valuesOf(state, claim, random, now) }));
  const most = Math.max(1, ...claims.map((one) => one.allowed.length));
  const nth = (i: number): Claims =>
    Object.fromEntries(
      claims.flatMap(({ claim, allowed }) => {
        const value = allowed[i % allowed.length];
        return value === undefined ? [] : [[claim.name, value]];
      }),
    );
  const usual = nth(0);
  const refused = claims.flatMap(({ claim, refused }) =>
    refused.map((value): Claims => {
      const { [claim.name]: _, ...others } = usual;
      return value === undefined ? others : { ...others, [claim.name]: value };
    }),
  );
  return { allowed: Array.from({ length: most }, (_, i) => nth(i)), refused };
}

/** The values of one claim; undefined leaves the claim out. */
interface ClaimValues {
  readonly allowed: ReadonlyArray<Json | undefined>;
  readonly refused: ReadonlyArray<Json | undefined>;
}

function valuesOf({ plan, rows, checks }: Oracle['state'], claim: ClaimPlan, random: Random, now: number): ClaimValues {
  const type = typeOfRule(claim.rule, plan.wire);
  const samples = new Samples(random, now);
  const sample = samples.of(type, claim.name) as Json;
  const ofRows = comparedFields(plan, claim.name).flatMap(([resource, field]) =>
    rows.all(resource).map((row) => row.get(field) as Json),
  );
  const isAllowed = (value: Json): boolean => 'value' in checks.claim(claim.rule)(value);
  const variants = variantsOf(type, { random, now, good: sample }).filter(({ value }) => isPlain(value));
  const values = (valid: boolean): Json[] =>
    variants.flatMap((one) => (one.valid === valid && one.value !== undefined ? [one.value as Json] : []));
  const absent = [undefined];
  return {
    allowed: distinct([...ofRows.filter(isAllowed), sample, ...values(true)])
      .slice(0, MOST_ALLOWED)
      .concat(claim.nullable ? absent : []),
    refused: distinct(values(false))
      .slice(0, MOST_REFUSED)
      .concat(claim.nullable ? [] : absent),
  };
}

/** Whether a token can hold a value as it is: JSON of its library, without text that only a body can have. */
const isPlain = (value: Content | undefined): boolean => {
  if (value instanceof Verbatim) return false;
  if (isList(value)) return value.every(isPlain);
  return isObject(value) ? Object.values(value).every(isPlain) : true;
};

function distinct(values: readonly Json[]): Array<Json | undefined> {
  const seen = new Map(values.flatMap((one) => (one === null ? [] : [[JSON.stringify(one), one] as const])));
  return [...seen.values()];
}

/** The fields with which the document compares a claim: their values make tokens whose callers see rows. */
function comparedFields(plan: Plan, claim: string): Array<readonly [resource: string, field: string]> {
  const out: Array<readonly [string, string]> = [];
  const isRead = (one: unknown): boolean =>
    isNode(one) && one.op === 'get' && one.member === claim && isClaims(one.of as never);
  const walk = (part: unknown): void => {
    if (Array.isArray(part)) part.forEach(walk);
    if (!isNode(part)) return;
    const args = part.op === 'call' && Array.isArray(part.args) ? part.args : [];
    if (part.fn === '==' && args.some(isRead))
      for (const other of args) {
        const of = isNode(other) && isNode(other.of) && isNode(other.of.type) ? other.of.type : null;
        if (of?.kind === 'row' && isColumn(plan, String(of.resource), String(other.member)))
          out.push([String(of.resource), String(other.member)]);
      }
    Object.values(part).forEach(walk);
  };
  walk([plan.resources, plan.endpoints, plan.schemes]);
  return out;
}

const isNode = (part: unknown): part is Readonly<Record<string, unknown>> => typeof part === 'object' && part !== null;

const isColumn = ({ resources }: Plan, resource: string, field: string): boolean =>
  named(resources, resource).columns.some(({ name, password }) => name === field && !password);
