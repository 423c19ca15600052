import { edited, PATIENT } from '../harness.ts';

const CREATED =
  '| created  | timestamp |        |                                                     | on create `now()`  |          |          |\n';
/** The orders with an optional field more: what a node with the document before may go on beside. */
export const WITH_CHANNEL = edited(
  PATIENT,
  [
    CREATED,
    `${CREATED}| channel  | string    |        | at most 20 characters | request            | optional |          |\n`,
  ],
  ['- Request: Order with sku, quantity, note\n', '- Request: Order with sku, quantity, note, channel\n'],
  ['quantity, note, status, created\n', 'quantity, note, status, created, channel\n'],
);
/** The same with a field called otherwise: what it may not. Unless the rename is said, its values are lost. */
export const WITH_REMARK = edited(
  PATIENT,
  ['| note     | string ', '| remark   | string '],
  ['- Request: Order with sku, quantity, note\n', '- Request: Order with sku, quantity, remark\n'],
  ['- Request: Order with quantity, note, each optional', '- Request: Order with quantity, remark, each optional'],
  ['quantity, note, status, created\n', 'quantity, remark, status, created\n'],
  ['`quantity <= 100 \\|\\| note != null`', '`quantity <= 100 \\|\\| remark != null`'],
  ['; Order.note absent', '; Order.remark absent'],
);
