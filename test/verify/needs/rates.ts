import { documentText, withChange } from '../../subject.ts';
import type { Fault } from './fault.ts';

/** The tenants, whose rates have no headers that would tell their names. */
const organisations = withChange(
  documentText('src/compiler/limits/cases/documents/tenants.md'),
  '- Rate headers: RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers), Retry-After',
  '- Rate headers: Retry-After',
);
const OF_ORGANISATION =
  '| Rate         | `caller.organisation.plan.rate` requests per day | each `caller.organisation` |\n';

/** A service of organisations with other rates than the stated ones. */
const rated = (name: string, stated: readonly string[], served: readonly string[], key = 'rate 0'): Fault => ({
  name,
  stated: withChange(organisations, OF_ORGANISATION, stated.map((row) => `| Rate | ${row} |\n`).join('')),
  served: withChange(organisations, OF_ORGANISATION, served.map((row) => `| Rate | ${row} |\n`).join('')),
  key,
});
const ROW = 'each `caller.organisation`';
const BY_PLAN = '`caller.organisation.plan.rate` requests per day';
const LACKING = 'each caller without `caller.team`';
const BY_TEAM = '3 requests per day | each `caller.team`';

/** Services that count other requests, or by another number, than their rates say. */
export const RATES: readonly Fault[] = [
  rated('counts for each caller instead of each row', [`${BY_PLAN} | ${ROW}`], [`${BY_PLAN} | each caller`]),
  rated(
    'counts three of each row for each caller',
    [`3 requests per day | ${ROW}`],
    ['3 requests per day | each caller'],
  ),
  rated('counts all callers together', [`${BY_PLAN} | ${ROW}`], [`${BY_PLAN} | each \`caller.organisation.plan\``]),
  rated('ignores the number of the plan', [`${BY_PLAN} | ${ROW}`], [`3 requests per day | ${ROW}`]),
  rated(
    'allows one more than the plan says',
    [`${BY_PLAN} | ${ROW}`],
    [`\`caller.organisation.plan.rate + 1\` requests per day | ${ROW}`],
  ),
  rated(
    'allows no caller more than four',
    [`${BY_PLAN} | ${ROW}`],
    [`\`caller.organisation.plan.rate > 4 ? 4 : caller.organisation.plan.rate\` requests per day | ${ROW}`],
  ),
  rated('does not count GET', [`${BY_PLAN} | ${ROW}`], [`${BY_PLAN} | ${ROW}, at \`POST /pings\`, \`PATCH /me\``]),
  rated(
    'does not count what only reads of a caller',
    ['`caller.bonus == null ? 3 : 5` requests per day | each caller'],
    ['`caller.bonus == null ? 3 : 5` requests per day | each caller, at `PATCH /me`'],
  ),
  rated(
    'gives all callers the number of those without a bonus',
    ['`caller.bonus == null ? 3 : 5` requests per day | each caller'],
    ['`caller.bonus == null ? 3 : 3` requests per day | each caller'],
  ),
  rated(
    'does not count callers without a row',
    [`4 requests per day | ${LACKING}`, BY_TEAM],
    [BY_TEAM, `any number of requests | ${LACKING}`],
  ),
  rated(
    'counts all rows together',
    [`${BY_TEAM}`, `any number of requests | ${LACKING}`],
    ['3 requests per day | each `caller.team.plan`', 'any number of requests | each caller without `caller.team.plan`'],
  ),
];
