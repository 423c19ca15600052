import { hasEncodedMark, hasMark } from '../oracle/marks.ts';
import type { Request } from '../target/exchange.ts';

/** Whether a request holds a mark of what only the implementation knows. */
export const isUntold = ({ target, headers, body }: Request): boolean =>
  hasMark(target) ||
  hasEncodedMark(target) ||
  headers.some(([, value]) => hasMark(value)) ||
  hasMark(body?.toString() ?? '');
