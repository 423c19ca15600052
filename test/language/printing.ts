import assert from 'node:assert/strict';
import { compile } from '../../src/compiler/compile.ts';
import { printed } from '../../src/compiler/print.ts';
import { documentOf } from '../../src/compiler/print-model.ts';

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

/** Findings about rows or cells that no model has: a row without its subject, and a cell without a value or a wrong one. */
const NOT_IN_MODELS = /-unnamed$|\/blank-cell$|\/decimal-scale$/;

/** The findings about a document, without lines and places; null where a finding is about what no model has. */
function findingsOf(text: string): string[] | null {
  const { findings } = compile('t.md', text);
  if (findings.some(({ code }) => NOT_IN_MODELS.test(code))) return null;
  return findings.map(({ code, message }) => `${code}: ${message.replaceAll(/\blines? \d[\d, ]*/g, 'a line ')}`).sort();
}

/**
 * Fails unless the model of a document prints as a document with the same model and the same findings, and printing that
 * one's model gives the same text.
 */
export function mustPrintModel(name: string, text: string): void {
  const once = documentOf(compile('t.md', text).model);
  assert.deepEqual(modelOf(once), modelOf(text), name);
  const findings = findingsOf(text);
  if (findings) assert.deepEqual(findingsOf(once), findings, name);
  assert.equal(documentOf(compile('t.md', once).model), once, `${name}, printed again`);
}

/** Whether the findings about a document, if any, are questions. */
export const isUnderstood = (text: string): boolean =>
  compile('t.md', text).findings.every(({ severity }) => severity === 'question');
