import { TIME_ZONES } from '../../../expression/library/zone-names.ts';
import { isZone } from '../../../expression/library/zones.ts';
import * as t from '../../../expression/tree/types.ts';
import { SCHEDULE, type ScheduleWhen } from '../../../language/schedules.ts';
import { factsOf } from '../../../language/statement.ts';
import { cronOf, readCron } from '../../../plan/cron.ts';
import { DueInstants, mayChangeClocks } from '../../../plan/due-instants.ts';
import type { InsideStep, SchedulePlan } from '../../../plan/step.ts';
import { runOf } from '../../document/all-steps.ts';
import type { Resolved } from '../../document/resolve.ts';
import { settled, settledList, withStated } from '../../document/settled.ts';
import { stores } from '../../document/writes.ts';
import { knownBy } from '../../expression/synonyms.ts';
import type { Schedule } from '../../statements/endpoints.ts';
import { Checking } from '../check/checking.ts';
import { schedulesDiagnostics as d } from '../messages/schedules.ts';
import type { CheckEach } from '../verbs/verb.ts';

const SCHEDULE_FACTS = factsOf(SCHEDULE);

/** The bullets that say what happens when the clocks of a zone change. */
const OF_CLOCKS: ReadonlySet<string> = new Set(['skipped', 'repeated']);

/** Checks schedules: their times, and their steps, which run without a request. Returns the settled steps. */
export function checkSchedules(r: Resolved, checkEach: CheckEach): ReadonlyMap<Schedule, readonly InsideStep[]> {
  const out = new Map<Schedule, readonly InsideStep[]>();
  for (const schedule of r.model.endpoints.schedules) {
    checkStated(r, schedule);
    const steps = checkRun(r, schedule, checkEach);
    if (steps) out.set(schedule, steps);
  }
  return out;
}

function checkStated(r: Resolved, schedule: Schedule): void {
  const { findings } = r.notes;
  const { name, when, span } = schedule;
  const zone = when && checkWhen(r, schedule);
  const changes = zone === null ? null : mayChangeClocks(zone);
  for (const { key, member, write } of SCHEDULE_FACTS) {
    const ofClocks = OF_CLOCKS.has(member);
    const stated = schedule[member];
    if (stated && ofClocks && changes === false)
      findings.push(d.report.scheduleClocks(stated, { zone: zone ?? '', bullet: key }));
    // Whether clocks change follows from the zone, which another question asks for.
    if (!stated && (!ofClocks || changes))
      findings.push(d.report.scheduleSays(span, { name: name.text, bullet: key }, null, write));
  }
}

/** Checks the times; returns their zone, or null where it is not known. */
function checkWhen(r: Resolved, { when, name }: Schedule): string | null {
  const { findings } = r.notes;
  const { zone } = when!.value;
  if (!zone) findings.push(d.report.scheduleZone(when, { name: name.text }));
  const isKnown = zone !== null && isZone(zone.text);
  if (zone && !isKnown) {
    const params = { found: zone.text, write: knownBy(zone.text, TIME_ZONES) ?? '' };
    findings.push(d.report.scheduleNoZone(zone.inner, params));
  }
  if (when!.value.kind === 'cron') {
    const { text, inner } = when!.value.expression;
    const read = readCron(text);
    if ('fault' in read) findings.push(d.report.scheduleCron(inner, { found: text, fault: read.fault }));
    else if (new DueInstants({ cron: text, zone: 'UTC', skipped: null, repeated: null }).after(0) === null)
      findings.push(d.report.scheduleNever(inner, { found: text }));
  }
  return isKnown ? zone.text : null;
}

function checkRun(r: Resolved, schedule: Schedule, checkEach: CheckEach): readonly InsideStep[] | null {
  const one = runOf(schedule);
  const { findings } = r.notes;
  for (const step of one.every)
    if (step.does.byRequest) findings.push(d.report.scheduleVerb(step.span, { verb: step.verb }));
  const writes = one.every.some((step) => stores(step, r.model.authentication.schemes));
  if (one.every.length > 0 && !writes)
    findings.push(d.report.scheduleIdle(schedule.name, { name: schedule.name.text }));
  const before = findings.length;
  const names = new Map<string, t.Type>([['scheduled', t.TIMESTAMP]]);
  const steps = r.within(one.endpoint.name, () => checkEach(new Checking(r, one, names, false), schedule.steps));
  // A schedule belongs to no endpoint: its findings concern the service as a whole.
  const found = findings.splice(before);
  findings.push(...found.map((finding) => ({ ...finding, endpoints: null })));
  return steps;
}

/** The plans of all schedules; undefined while one is unsettled. */
export function planSchedules(
  r: Resolved,
  steps: ReadonlyMap<Schedule, readonly InsideStep[]>,
): readonly SchedulePlan[] | undefined {
  return settledList(r.model.endpoints.schedules.map((one) => planSchedule(r, one, steps.get(one))));
}

function planSchedule(r: Resolved, said: Schedule, steps: readonly InsideStep[] | undefined): SchedulePlan | undefined {
  const schedule = withStated(said, 'when', 'missed', 'overlap', 'within');
  const { zone } = schedule?.when.value ?? {};
  if (!schedule || !zone) return undefined;
  return settled<SchedulePlan>({
    name: schedule.name.text,
    line: r.line(schedule.span.from),
    cron: cronOfWhen(schedule.when.value),
    zone: zone.text,
    skipped: schedule.skipped?.value ?? null,
    repeated: schedule.repeated?.value ?? null,
    missed: schedule.missed.value.kind,
    missedAfter: schedule.missed.value.after,
    overlap: schedule.overlap.value,
    within: schedule.within.value,
    steps,
  });
}

const cronOfWhen = (when: ScheduleWhen): string =>
  when.kind === 'cron' ? when.expression.text : cronOf(when.time, when.days ?? []);
