import type { AnswerContract } from '../../contract/endpoint.ts';
import { GOVERNED } from '../judge/compare.ts';
import { type Answer, combinedHeader } from '../target/exchange.ts';
import type { ContractFault } from './values.ts';

/**
 * Whether every header must be declared, or only the headers that an answer has solely where the document states them.
 */
type OtherHeaders = 'all declared' | 'others allowed';

/** The headers of HTTP itself, whatever a document states. */
const OF_HTTP: ReadonlySet<string> = new Set([
  'date',
  'connection',
  'keep-alive',
  'content-length',
  'content-type',
  'transfer-encoding',
]);

const GOVERNED_NAMES: ReadonlySet<string> = new Set(GOVERNED.map((name) => name.toLowerCase()));

/** Headers whose values are lists in no order. */
const LISTS: ReadonlySet<string> = new Set(['vary', 'access-control-expose-headers']);

/** Headers that are missing, that have another value, and that are not declared. */
export function headerFaults(declared: AnswerContract, answer: Answer, others: OtherHeaders): ContractFault[] {
  const { headers, lines } = declared;
  const found: ContractFault[] = [];
  const byName = new Map<string, string[]>();
  // Of several declared forms of one header, such as challenges, an answer has one.
  for (const { name, value } of headers)
    byName.set(name.toLowerCase(), [...(byName.get(name.toLowerCase()) ?? []), ...(value === null ? [] : [value])]);
  for (const { name, presence, value } of headers) {
    const sent = combinedHeader(answer.headers, name);
    const at = `header ${name}`;
    if (sent === null) {
      if (presence === 'always') found.push({ at, declared: value ?? 'always present', actual: 'nothing', lines });
    } else if (value !== null && !isSame(name.toLowerCase(), value, sent, others))
      found.push({ at, declared: value, actual: sent, lines });
  }
  return [...found, ...strayHeaders(answer, [...byName.keys()], others, lines)];
}

/** Headers that are not declared. */
export function strayHeaders(
  { headers }: Answer,
  declared: readonly string[],
  others: OtherHeaders,
  lines: ContractFault['lines'] = [],
): ContractFault[] {
  const known = new Set(declared.map((name) => name.toLowerCase()));
  return headers.flatMap(([name, value]): ContractFault[] => {
    const lower = name.toLowerCase();
    const isAllowed = others === 'all declared' ? OF_HTTP.has(lower) : !GOVERNED_NAMES.has(lower);
    return isAllowed || known.has(lower)
      ? []
      : [{ at: `header ${name}`, declared: 'no such header', actual: value, lines }];
  });
}

function isSame(name: string, declared: string, sent: string, others: OtherHeaders): boolean {
  if (declared === sent || others === 'all declared') return declared === sent;
  if (!LISTS.has(name)) return false;
  const [ours, theirs] = [declared, sent].map((text) => text.split(/\s*,\s*/).map((one) => one.toLowerCase()));
  // An answer that varies by anything varies by each header (RFC 9110, section 12.5.5).
  return theirs?.includes('*') || (ours ?? []).every((one) => theirs?.includes(one));
}

/** A media type to be compared; but of Ninefold’s own, without the charset that JSON always has. */
export const mediaTypeOf = (type: string, isStrict: boolean): string =>
  isStrict
    ? type
    : type
        .toLowerCase()
        .replace(/\s*;\s*charset="?utf-8"?/, '')
        .replace(/\s*;\s*/g, ';');
