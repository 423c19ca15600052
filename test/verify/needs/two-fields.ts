import type { Answer } from '../../../src/verify/target/exchange.ts';
import { documentText, withChange } from '../../subject.ts';

/** Parcels with two fields with states, each with a timed transition, and with a guard that reads the other field. */
const parcels = documentText('src/compiler/states/cases/documents/parcels.md');

const instead = (name: string, from: string, to: string, key: string) => ({
  name,
  stated: parcels,
  served: withChange(parcels, from, to),
  key,
});

const PAY = '| pay        | due  | paid      | `status == "open"` | not_due   |';
const ABANDON = '| abandon    | due  | abandoned | at `until`         | none      |';
const REFUNDS = '1. If `moved.payment == "paid"`:';

/** Services that confuse the two fields. */
export const TWO_FIELDS = [
  instead(
    'changes the other field with a move too',
    '## Endpoints',
    '#### After pay\n\n1. Move `moved` by send.\n\n## Endpoints',
    'transition Parcel: pay',
  ),
  instead(
    'reads the wrong field in a guard',
    '`payment == "paid" \\|\\| express`',
    '`express`',
    'transition Parcel: send',
  ),
  instead(
    'reads the guard of the other field’s transition',
    PAY,
    PAY.replace('`status == "open"`', 'always'),
    'transition Parcel: pay',
  ),
  instead(
    'makes the timed move of one field for the other field alone',
    'open | stopped | at `until` ',
    'open | stopped | 1 hour after `until` ',
    'transition Parcel: expire',
  ),
  {
    name: 'makes the timed move of one field at the time of the other',
    stated: withChange(parcels, ABANDON, ABANDON.replace('at `until`        ', '1 hour after `until`')),
    served: parcels,
    key: 'transition Parcel: abandon',
  },
  {
    name: 'begins with another state of the second field',
    stated: parcels,
    key: 'states Parcel.payment: initial',
    given: (answer: Answer): Answer =>
      answer.status === 201
        ? { ...answer, body: Buffer.from(answer.body.toString().replace('"payment":"due"', '"payment":"abandoned"')) }
        : answer,
  },
  instead(
    'does not move the second field after a move of the first',
    REFUNDS,
    '1. If `moved.payment == "paid" && moved.express`:',
    'transition Parcel: refund',
  ),
];
