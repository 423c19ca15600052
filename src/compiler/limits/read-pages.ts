import type { PageKind, Pages, PageValue, Relation } from '../../plan/limits.ts';
import { type Name, refuseNested, refuseRepeats, takeName } from '../../syntax/names.ts';
import type { Notes, Phrase } from '../../syntax/phrase.ts';
import { nearest } from '../../text/suggest.ts';
import { limitsDiagnostics as d } from './messages.ts';

/** What a page can tell of itself, by how pages are asked for. */
const VALUES: Readonly<Record<PageKind, readonly PageValue[]>> = {
  cursor: ['items', 'next', 'more', 'total', 'size'],
  offset: ['items', 'next', 'previous', 'more', 'total', 'size', 'offset'],
  number: ['items', 'next', 'previous', 'more', 'total', 'size', 'number', 'pages'],
  identity: ['items', 'next', 'more', 'total', 'size'],
};

/** Where a Link can lead: nobody knows how the pages before a cursor would be asked for. */
const RELATIONS: Readonly<Record<PageKind, readonly Relation[]>> = {
  cursor: ['first', 'next'],
  offset: ['first', 'prev', 'next', 'last'],
  number: ['first', 'prev', 'next', 'last'],
  identity: ['first', 'next'],
};

const KINDS: readonly PageKind[] = ['cursor', 'offset', 'number', 'identity'];
const PARAMETER = 'the name of a parameter in inline code';

/**
 * ``by cursor, parameters `limit` and `cursor`; payload items `page.items`, next `page.next` ``, or
 * ``by number, parameters `size` and `page`; header Link (RFC 8288) with prev, next; payload the items alone``
 */
export function readPages(value: Phrase, notes: Notes): Pages | null {
  const kind = value.choose(KINDS.map((one) => `by ${one}`));
  const by = KINDS.find((one) => `by ${one}` === kind);
  if (!by || !value.expect(', parameters')) return null;
  const limit = value.code('declaration', PARAMETER);
  const place = limit && value.expect('and') ? value.code('declaration', PARAMETER) : null;
  if (!limit || !place || !value.mark(';')) return value.fail() || null;
  const link = readLink(value, by);
  if (!link || !value.expect('payload')) return null;
  const payload = value.take('the items alone') ? [] : readPayload(value, by, notes);
  if (!payload) return null;
  const shared = { by, limit: limit.text, place: place.text, link };
  return { ...shared, payload: payload.length ? payload : null };
}

/** `header Link (RFC 8288) with first, prev, next, last;` */
function readLink(value: Phrase, by: PageKind): Relation[] | null {
  const out: Relation[] = [];
  if (!value.take('header Link (RFC 8288) with')) return out;
  do {
    const relation = value.choose(RELATIONS[by]);
    if (!relation) return null;
    out.push(relation);
  } while (value.mark(','));
  return value.expect(';') ? out : null;
}

function readPayload(value: Phrase, by: PageKind, notes: Notes): NonNullable<Pages['payload']> | null {
  const out: Array<NonNullable<Pages['payload']>[number]> = [];
  const names: Name[] = [];
  const known = VALUES[by].map((one) => `page.${one}`);
  // Two words are no member and its value.
  if (value.peek(1)?.kind === 'word') value.fail('the items alone, or the name of a member of the payload');
  do {
    const name = takeName(value, 'declaration', 'the items alone, or the name of a member of the payload');
    const token = name && value.code('use', known.map((one) => `\`${one}\``).join(', '));
    if (!name || !token) return null;
    const listed = VALUES[by].find((one) => `page.${one}` === token.text);
    if (!listed) {
      const params = { found: token.text, nearest: nearest(token.text, known) ?? '', by, known: known.join(', ') };
      notes.findings.push(d.report.pageValue(token.inner, params));
      value.rest();
      return null;
    }
    out.push({ name: name.text, value: listed });
    names.push(name);
  } while (value.mark(','));
  refuseRepeats(names, notes.findings);
  refuseNested(names, notes.findings);
  return out;
}
