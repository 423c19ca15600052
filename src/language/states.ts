import { isCalendarLength } from '../syntax/units.ts';
import { expected, orEmpty, path } from './common-values.ts';
import {
  code,
  constant,
  duration,
  either,
  implied,
  led,
  months,
  name,
  names,
  optional,
  sequence,
  shown,
  type ValueOf,
  where,
  words,
} from './grammar.ts';
import type { BulletStatements, ColumnStatements } from './statement.ts';

/** The bullets of the part. */
export const STATES = {
  States: { member: 'none', value: words('none') },
} as const satisfies BulletStatements;

/** `### Order.status` */
export const MACHINE_NAME = path('a field, such as Order.status', 'Order.status');

/** `#### After cancel` */
export const REACTION_NAME = led('After', names('a transition', 'cancel, expire'));

/** The bullets of a field with states. */
export const MACHINE = {
  Initial: { member: 'initial', value: name('a state', 'draft') },
  Final: {
    member: 'final',
    value: shown(
      orEmpty(either(constant('none', null), names('a state', 'delivered, cancelled'))),
      'delivered, cancelled',
      'none',
    ),
  },
} as const satisfies BulletStatements;

const INSTANT = code('expression', 'a field in inline code', 'created');

/** `in `Europe/Berlin``: a name of the IANA database, an offset, or a field of the format `time zone`. */
const ZONE = code('expression', 'a time zone in inline code', 'Europe/Berlin');

/**
 * The cause of a transition: a step, with or without a guard, or an instant. `milliseconds`: the delay after the
 * instant; `months`: the delay by the calendar of a zone.
 */
const WHEN = shown(
  either(
    sequence({ kind: words('always') }),
    sequence({ kind: constant('at', 'after') }, { milliseconds: implied(0) }, { instant: INSTANT }),
    where(
      (phrase) => phrase.peek()?.kind === 'code',
      sequence({ kind: implied('guard') }, { test: code('expression', 'a guard', 'quantity > 0') }),
    ),
    where(
      isCalendarLength,
      sequence(
        { kind: implied('after') },
        { months: months('1 month') },
        'after',
        either(
          where((phrase) => phrase.peek()?.kind === 'code', sequence({ instant: INSTANT })),
          expected('a field in inline code, such as `created`: months and years count from an instant of the row'),
        ),
        { zone: optional('in', ZONE) },
      ),
    ),
    where(
      (phrase) => /^\d/.test(phrase.peek()?.text ?? ''),
      sequence(
        { milliseconds: duration('24 hours') },
        either(
          led(
            'after',
            either(
              where(
                (phrase) => phrase.peek()?.kind === 'word',
                sequence(
                  { kind: implied('after move') },
                  { by: name('a field in inline code, or a transition', 'place') },
                ),
              ),
              sequence({ kind: implied('after') }, { instant: INSTANT }),
            ),
          ),
          expected('“after” and an instant: a field in inline code, or the transition that the time follows'),
        ),
      ),
    ),
    expected('“always”, a guard in inline code, or a time such as at `starts` or 24 hours after `created`'),
  ),
  'always',
  '`quantity > 0`',
  'at `starts`',
  '24 hours after `created`',
  '1 hour after place',
  '1 month after `created` in `Europe/Berlin`',
);
export type When = ValueOf<typeof WHEN>;

/** The table of transitions. */
export const TRANSITION = {
  Transition: {
    member: 'name',
    value: name('the name of a transition', 'place', 'declaration'),
    blank: 'the name of the transition',
  },
  From: {
    member: 'from',
    value: names('a state', 'draft, placed'),
    blank: 'the states from which it starts, such as “draft, placed”',
  },
  To: { member: 'to', value: name('a state', 'placed'), blank: 'the state to which it leads' },
  When: {
    member: 'when',
    value: WHEN,
    blank: '“always”, a guard in inline code, or a time such as “24 hours after `created`”',
  },
  Otherwise: {
    member: 'otherwise',
    value: shown(either(words('none'), name('an error code, or none', 'order_not_open')), 'order_not_open', 'none'),
    blank: 'the code of the refusal, or “none” for a transition that happens by itself',
  },
} as const satisfies ColumnStatements;
