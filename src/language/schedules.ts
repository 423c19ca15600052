import { WEEKDAYS } from '../plan/cron.ts';
import { language } from '../syntax/messages.ts';
import {
  checked,
  code,
  constant,
  duration,
  either,
  type Grammar,
  implied,
  list,
  oneOf,
  optional,
  sequence,
  shown,
  type ValueOf,
} from './grammar.ts';
import type { BulletStatements, Stated } from './statement.ts';

/** A time of day in 24 hours. */
interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
}

const twoDigits = (number: number): string => String(number).padStart(2, '0');

const TIME_OF_DAY: Grammar<TimeOfDay> = {
  read: (phrase) => {
    const what = 'a time of day, from 00:00 to 23:59';
    const match = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(phrase.peek()?.text ?? '');
    if (!match) {
      phrase.fail(what);
      return undefined;
    }
    return phrase.word('value', what) ? { hour: Number(match[1]), minute: Number(match[2]) } : undefined;
  },
  print: ({ hour, minute }) => `${twoDigits(hour)}:${twoDigits(minute)}`,
  writes: (given) => typeof given === 'object' && given !== null && 'hour' in given,
  samples: ['02:00'],
};

/** The days of the week on which a schedule is due; null for every day. */
const DAYS = either(
  constant('day', null),
  checked(list(oneOf(...WEEKDAYS)), (days, phrase) => {
    if (new Set(days).size < days.length) phrase.findings.push(language.report.twice(phrase.span, { what: 'A day' }));
  }),
);

/** `in `Europe/Berlin``: a name of the IANA database, or an offset. */
const ZONE = { zone: optional('in', code('value', 'a time zone in inline code', 'Europe/Berlin')) };

const WHEN = shown(
  either(
    sequence(
      { kind: constant('cron', 'cron') },
      { expression: code('value', 'a cron expression', '0 2 * * 1-5') },
      ZONE,
    ),
    sequence('every', { kind: implied('times') }, { days: DAYS }, 'at', { time: TIME_OF_DAY }, ZONE),
  ),
  'every day at 02:00 in `Europe/Berlin`',
  'every Monday, Friday at 18:30 in `Europe/Berlin`',
  'cron `0 2 * * 1-5` in `UTC`',
);

export type ScheduleWhen = ValueOf<typeof WHEN>;

/** `### Schedule nightly` */
export const SCHEDULE = {
  When: {
    member: 'when',
    value: WHEN,
    fact: { what: 'at which times do its steps run?', write: 'every day at 02:00 in `Europe/Berlin`' },
  },
  'Skipped times': {
    member: 'skipped',
    value: oneOf('run at the change', 'not run'),
    fact: {
      what: 'what happens at a time that the clocks of its zone skip, when summer time begins?',
      write: 'run at the change',
    },
  },
  'Repeated times': {
    member: 'repeated',
    value: oneOf('run once', 'run twice'),
    fact: {
      what: 'what happens at a time that the clocks of its zone show twice, when summer time ends?',
      write: 'run once',
    },
  },
  /** `after`: how late a run may begin, in milliseconds. */
  Missed: {
    member: 'missed',
    value: either(
      sequence({ kind: constant('each', 'each') }, { after: implied(null) }),
      sequence({ kind: constant('run once', 'run once') }, { after: implied(null) }),
      sequence({ kind: constant('skipped', 'skipped') }, 'after', { after: duration('10 minutes') }),
    ),
    fact: {
      what: 'which of the times at which the service was stopped are made up for: each, the last one alone (“run once”), or only those that are not too long ago?',
      write: 'run once',
    },
  },
  Overlap: {
    member: 'overlap',
    value: oneOf('waits', 'skipped'),
    fact: {
      what: 'what happens at a time at which the run before is still under way: does the next run wait for its end, or is it skipped?',
      write: 'waits',
    },
  },
  /** How long one run may take, in milliseconds. */
  Within: {
    member: 'within',
    value: duration('1 minute'),
    fact: { what: 'how long may one run take?', write: '1 minute' },
  },
} as const satisfies BulletStatements;

export type ScheduleBullets = Stated<typeof SCHEDULE>;
