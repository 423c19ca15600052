import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changed, type Edit, example } from '../../fixtures.ts';
import { Served } from './served.ts';

const NOTES = example('notes');
const FORM =
  '- Pages: by number, parameters `size` and `page`; header Link (RFC 8288) with prev, next, last; payload the items alone';
const SIZE = '10 by default, 50 at most, more is refused';
const COUNT = 23;

/** Every way in which a page tells of the next one, for each kind of pages; and how often a page is asked for. */
const FORMS: ReadonlyArray<readonly [form: string, pages: number]> = [
  ['by number, parameters `size` and `page`; header Link (RFC 8288) with prev, next, last; payload the items alone', 3],
  ['by number, parameters `size` and `page`; payload the items alone', 3],
  ['by number, parameters `size` and `page-no`; payload rows `page.items`, pages `page.pages`', 3],
  ['by number, parameters `size` and `page`; payload rows `page.items`, more `page.more`', 3],
  ['by number, parameters `size` and `page`; payload the-rows `page.items`, the-next `page.next`', 3],
  ['by offset, parameters `size` and `offset`; payload the items alone', 3],
  ['by offset, parameters `size` and `skip`; header Link (RFC 8288) with first, next; payload the items alone', 3],
  ['by offset, parameters `size` and `offset`; payload rows `page.items`, total `page.total`', 3],
  ['by offset, parameters `size` and `skip`; payload rows `page.items`, more `page.more`', 3],
  ['by offset, parameters `size` and `skip`; payload rows `page.items`, next `page.next`', 3],
  ['by cursor, parameters `size` and `after`; header Link (RFC 8288) with first, next; payload the items alone', 3],
  ['by cursor, parameters `size` and `after`; payload rows `page.items`, next `page.next`, more `page.more`', 3],
  ['by identity, parameters `size` and `after`; payload the items alone', 3],
  ['by identity, parameters `size` and `after`; payload rows `page.items`, more `page.more`', 3],
  ['by identity, parameters `size` and `after`; header Link (RFC 8288) with next; payload the items alone', 3],
  ['by identity, parameters `size` and `after`; payload rows `page.items`, next `page.next`', 3],
];

for (const [form, pages] of FORMS)
  for (const missing of form.includes('page.next') ? ['left out', 'null'] : [null])
    test(`pages ${form}${missing === null ? '' : `, where what is missing is ${missing}`}`, async () => {
      const stated: Edit[] =
        missing === null ? [] : [['- Text: trimmed\n', `- Text: trimmed\n- Missing values in answers: ${missing}\n`]];
      await using served = await Served.start(changed(NOTES, [FORM, `- Pages: ${form}`], ...stated));
      const { notes } = served.client();
      const made = new Set<string>();
      for (let i = 0; i < COUNT; i++) made.add((await notes.create({ text: `note ${i}` })).data.id);
      const found: string[] = [];
      for await (const note of notes.listAll()) found.push(note.id);
      assert.equal(found.length, COUNT);
      assert.deepEqual(new Set(found), made);
      let asked = 0;
      for await (const _ of notes.listPages()) asked++;
      assert.equal(asked, pages);
      // A page that is as long as can be may be the last.
      const all: string[] = [];
      for await (const note of notes.listAll({ size: COUNT })) all.push(note.id);
      assert.deepEqual(all, found);
      for await (const note of notes.listAll({ size: 1 })) if (note.id === found[3]) break;
    });

test('where pages are cut to the most that there may be, rows are not taken for all', async () => {
  const document = changed(
    NOTES,
    [FORM, '- Pages: by offset, parameters `size` and `offset`; payload the items alone'],
    [SIZE, '3 by default, 4 at most, more is left out'],
  );
  await using served = await Served.start(document);
  const { notes } = served.client();
  for (let i = 0; i < 9; i++) await notes.create({ text: `note ${i}` });
  const sizes: number[] = [];
  for await (const page of notes.listPages({ size: 100 })) sizes.push(page.length);
  assert.deepEqual(sizes, [4, 4, 1]);
});

test('a Link to another service is not followed: of a link, the place alone is read', async () => {
  await using served = await Served.start(NOTES);
  const sent: string[] = [];
  const links = [
    '</a?page=9>; rel="prev", <https://elsewhere.example/notes?page=2&size=10&evil=1>; rel="next"',
    '<?page=3&a=%3Crel%3D>; title="a, b; rel=prev"; rel=next',
    '<?page=1>; rel="first"',
  ];
  const fetch = (url: string) => {
    sent.push(url);
    return Promise.resolve(Response.json([], { headers: { Link: links[sent.length - 1] ?? '' } }));
  };
  for await (const _ of served.client({ fetch }).notes.listPages({ size: 10 }));
  assert.deepEqual(
    sent,
    ['', '&page=2', '&page=3'].map((rest) => `${served.url}/notes?size=10${rest}`),
  );
});

test('whoever has an answer already asks whether it is still the same', async () => {
  await using served = await Served.start(NOTES);
  const { notes } = served.client();
  const { data } = await notes.create({ text: 'a' });
  const first = await notes.get(data.id);
  const same = await notes.getIfChanged(data.id, first.etag);
  assert.deepEqual([same.ok, same.status, same.data, same.etag], [true, 304, null, first.etag]);
  assert.deepEqual((await notes.getIfChanged(data.id, '"other"')).data, data);
  const list = await notes.list({ size: 1 });
  assert.equal((await notes.listIfChanged({ size: 1 }, list.etag)).data, null);
  assert.equal((await notes.listIfChanged(undefined, list.etag)).status, 304);
});
