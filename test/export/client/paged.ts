import { changed, type Edit, example, type Whole } from '../../fixtures.ts';

/** How the notes state their pages. */
export const PAGES =
  '- Pages: by number, parameters `size` and `page`; header Link (RFC 8288) with prev, next, last; payload the items alone';

/** Every way in which a page tells of the next one, for each kind of pages. */
const FORMS = [
  'by number, parameters `size` and `page`; header Link (RFC 8288) with prev, next, last; payload the items alone',
  'by number, parameters `size` and `page`; payload the items alone',
  'by number, parameters `size` and `page-no`; payload rows `page.items`, pages `page.pages`',
  'by number, parameters `size` and `page`; payload rows `page.items`, more `page.more`',
  'by number, parameters `size` and `page`; payload the-rows `page.items`, the-next `page.next`',
  'by offset, parameters `size` and `offset`; payload the items alone',
  'by offset, parameters `size` and `skip`; header Link (RFC 8288) with first, next; payload the items alone',
  'by offset, parameters `size` and `offset`; payload rows `page.items`, total `page.total`',
  'by offset, parameters `size` and `skip`; payload rows `page.items`, more `page.more`',
  'by offset, parameters `size` and `skip`; payload rows `page.items`, next `page.next`',
  'by cursor, parameters `size` and `after`; header Link (RFC 8288) with first, next; payload the items alone',
  'by cursor, parameters `size` and `after`; payload rows `page.items`, next `page.next`, more `page.more`',
  'by identity, parameters `size` and `after`; payload the items alone',
  'by identity, parameters `size` and `after`; payload rows `page.items`, more `page.more`',
  'by identity, parameters `size` and `after`; header Link (RFC 8288) with next; payload the items alone',
  'by identity, parameters `size` and `after`; payload rows `page.items`, next `page.next`',
  // Dotted names nest.
  'by number, parameters `size` and `page`; payload rows `page.items`, meta.pages `page.pages`',
  'by number, parameters `size` and `page`; payload the.rows `page.items`, the.more-of `page.more`',
  'by offset, parameters `size` and `offset`; payload data.rows `page.items`, meta.of.total `page.total`',
  'by offset, parameters `size` and `skip`; payload data.rows `page.items`, meta.the-next `page.next`',
  'by cursor, parameters `size` and `after`; payload a.rows `page.items`, a.b-c.next `page.next`',
  'by cursor, parameters `size` and `after`; payload rows `page.items`, valueOf.constructor `page.next`',
  'by cursor, parameters `size` and `after`; header Link (RFC 8288) with next; payload a.rows `page.items`',
  'by identity, parameters `size` and `after`; payload data.rows `page.items`',
  'by identity, parameters `size` and `after`; payload a.rows `page.items`, a.more `page.more`',
];

/** The notes with their pages in each of these forms, and where something may be missing, for both ways to say so. */
export function pagedNotes(): Whole[] {
  return FORMS.flatMap((form) =>
    (form.includes('page.next') ? ['left out', 'null'] : [null]).map((missing) => {
      const stated: Edit[] =
        missing === null ? [] : [['- Text: trimmed\n', `- Text: trimmed\n- Missing values in answers: ${missing}\n`]];
      return {
        name: `pages ${form}${missing === null ? '' : `, where what is missing is ${missing}`}`,
        text: changed(example('notes'), [PAGES, `- Pages: ${form}`], ...stated),
      };
    }),
  );
}
