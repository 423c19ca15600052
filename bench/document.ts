import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BEFORE, DOCUMENT } from './paths.ts';
import { RATE } from './peers/orders/terms.ts';

/** The two lines that the bench's copy of orders.md changes, and nothing else of it. */
const RATES = [
  /^(\| Rate {9}\| )600 requests per minute( +\| each caller +\|)$/gm,
  /^(\| Rate {9}\| )6000 requests per minute( +\| each address, before authentication +\|)$/gm,
];

/** Where the document of an earlier Ninefold is, beside that of the present one. */
export const earlierDocument = (document: string): string => document.replace(/\.md$/, '.before.md');

/**
 * The text of orders.md with the numbers of its two rates raised: every statement stays in force. An earlier Ninefold
 * serves the document of its own time: it knows no later statement, and the later one may ask for what it never stated.
 */
export function benchedDocument(before: string | null = null): string {
  return RATES.reduce(
    (text, line) => {
      if (text.match(line)?.length !== 1)
        throw new Error(`orders.md has not one line ${line}: the bench raises its rate`);
      return text.replace(line, `$1${RATE} requests per minute$2`);
    },
    readFileSync(before === null ? DOCUMENT : join(`${BEFORE}-sources`, 'examples', 'orders.md'), 'utf8'),
  );
}
