import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../paths.ts';

export const HELPDESK = join(ROOT, 'examples', 'helpdesk.md');
/** The function that the document runs, which lies beside it. */
export const HELPDESK_HANDLER = join(ROOT, 'examples', 'helpdesk.ts');
export const PEER = join(import.meta.dirname, '..', 'peers', 'helpdesk');

/** The number of both rates of addresses, on both sides: high enough that none is refused. */
export const ADDRESS_RATE = 100_000_000;

const RATES = [
  /^(\| Rate {9}\| )10 requests per minute( +\| each address without a caller +\|)$/gm,
  /^(\| Rate {9}\| )1200 requests per minute( +\| each address, before authentication +\|)$/gm,
];

/** The text of helpdesk.md with the numbers of its two rates of addresses raised: every statement stays in force. */
export function benchedHelpdesk(): string {
  return RATES.reduce(
    (text, line) => {
      if (text.match(line)?.length !== 1)
        throw new Error(`helpdesk.md has not one line ${line}: the bench raises its rate`);
      return text.replace(line, `$1${ADDRESS_RATE} requests per minute$2`);
    },
    readFileSync(HELPDESK, 'utf8'),
  );
}
