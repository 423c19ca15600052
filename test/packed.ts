import { putTogether } from '../src/runtime/packing/codec.ts';
import { packedParts } from '../src/runtime/packing/skeletons.ts';

/** The query for the skeletons with which `unpacker` unpacks. */
export const SKELETONS = 'SELECT id, text FROM ninefold_skeleton';

/** Unpacks texts that were read from the tables. */
export function unpacker(
  skeletons: ReadonlyArray<{ readonly id: number | string; readonly text: string }>,
): (text: string) => string {
  const texts = new Map(skeletons.map(({ id, text }) => [Number(id), text]));
  return (text) => {
    const packed = packedParts(text);
    if (typeof packed === 'string') return packed;
    return putTogether({ skeleton: texts.get(packed.number)!, values: packed.values });
  };
}
