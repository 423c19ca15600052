import { type Fault, faulty } from './problems.ts';
import { type Draft, type FaultCode, NOTE_CHARACTERS, type Patch, QUANTITY, SKU } from './terms.ts';
import { trimmed } from './white-space.ts';

const FIELDS = ['sku', 'quantity', 'note'] as const;

/** Validates the body of `POST /orders` by hand; throws the problem of its faults. */
export function draftOf(body: unknown): Draft {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw faulty([{ pointer: '', code: 'not_an_object' }]);
  const sent = body as Record<string, unknown>;
  const sku = typeof sent.sku === 'string' ? trimmed(sent.sku) : sent.sku;
  const note = typeof sent.note === 'string' ? trimmed(sent.note) : sent.note;
  const { quantity } = sent;
  const codes = [skuFault(sku), quantityFault(quantity), noteFault(note)];
  const faults: Fault[] = [];
  for (const [i, code] of codes.entries()) if (code) faults.push({ pointer: `/${FIELDS[i]}`, code });
  for (const name in sent)
    if (name !== 'sku' && name !== 'quantity' && name !== 'note')
      faults.push({ pointer: pointerTo(name), code: 'unknown_field' });
  if (faults.length) throw faulty(faults);
  return { sku, quantity, note } as Draft;
}

/** Validates the body of `PATCH /orders/{id}`, in which everything may be left out. */
export function patchOf(body: unknown): Patch {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw faulty([{ pointer: '', code: 'not_an_object' }]);
  const sent = body as Record<string, unknown>;
  const { quantity } = sent;
  const note = typeof sent.note === 'string' ? trimmed(sent.note) : sent.note;
  const faults: Fault[] = [];
  const quantityCode = quantity === undefined ? null : quantityFault(quantity);
  if (quantityCode) faults.push({ pointer: '/quantity', code: quantityCode });
  const noteCode = noteFault(note);
  if (noteCode) faults.push({ pointer: '/note', code: noteCode });
  for (const name in sent)
    if (name !== 'quantity' && name !== 'note') faults.push({ pointer: pointerTo(name), code: 'unknown_field' });
  if (faults.length) throw faulty(faults);
  return { quantity, note } as Patch;
}

function skuFault(sku: unknown): FaultCode | null {
  if (typeof sku === 'string' && isText(sku)) return SKU.test(sku) ? null : 'not_matching';
  return absence(sku) ?? 'not_text';
}

function quantityFault(quantity: unknown): FaultCode | null {
  if (!Number.isInteger(quantity) && !isBeyond(quantity)) return absence(quantity) ?? 'not_integer';
  if ((quantity as number) < QUANTITY.least) return 'too_small';
  return (quantity as number) > QUANTITY.most ? 'too_large' : null;
}

function noteFault(note: unknown): FaultCode | null {
  if (note === undefined || note === null) return null;
  if (typeof note !== 'string' || !isText(note)) return 'not_text';
  return isShort(note) ? null : 'too_long';
}

/** Text has no null character, and no half of a pair of surrogates. */
export const isText = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** Characters are code points, of which text has at most as many as code units. */
export const isShort = (note: string): boolean => note.length <= NOTE_CHARACTERS || [...note].length <= NOTE_CHARACTERS;

/** Whether a number is too large for JavaScript, so that it is not seen what it was. */
const isBeyond = (quantity: unknown): boolean =>
  Math.abs(Number(quantity)) === Number.POSITIVE_INFINITY && typeof quantity === 'number';

/** A JSON Pointer (RFC 6901) to a member of the body. */
export const pointerTo = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** The fault of what is not there; null where something is. */
export function absence(sent: unknown): FaultCode | null {
  return sent === undefined ? 'missing' : sent === null ? 'null_refused' : null;
}
