import assert from 'node:assert/strict';
import { compile } from '../../src/compiler/compile.ts';
import { printed } from '../../src/compiler/print.ts';

/** The model without the places of its statements. */
const modelOf = (text: string): unknown =>
  JSON.parse(
    JSON.stringify(compile('t.md', text).model, (key, value: unknown) => {
      // The source of a pattern is a value; that of a text is the whole document.
      if (key === 'source') return typeof value === 'string' && value !== text ? value : undefined;
      return ['from', 'to', 'inner', 'lines', 'prose', 'offsets', 'stops'].includes(key) ? undefined : value;
    }),
  );

/** Fails unless a document prints as one with the same model, and printing that again changes nothing. */
export function mustPrint(name: string, text: string): void {
  const once = printed(text);
  assert.deepEqual(modelOf(once), modelOf(text), name);
  assert.equal(printed(once), once, `${name}, printed again`);
}
