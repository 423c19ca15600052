import { RE2JS } from 're2js';
import type { Finding } from '../../syntax/diagnostic.ts';
import type { Span } from '../../syntax/span.ts';
import { patternSize } from '../../text/pattern-length.ts';
import { resourcesDiagnostics as d } from './messages.ts';

/** The time that a value takes grows with its length times this. */
const LARGEST = 1000;

/** A pattern has to be one that the linear-time engine takes, and small when its repetitions are written out. */
export function checkPattern(span: Span, source: string): Finding[] {
  const size = patternSize(source);
  if (size > LARGEST) return [d.report.patternSize(span, { size: `${size}`, most: `${LARGEST}` })];
  try {
    RE2JS.compile(source);
    return [];
  } catch (error) {
    return [d.report.badPattern(span, { reason: (error as Error).message })];
  }
}
