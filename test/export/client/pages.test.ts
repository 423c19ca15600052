import '../../whole-alone.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changed, example } from '../../fixtures.ts';
import { PAGES, pagedNotes } from './paged.ts';
import { Served } from './served.ts';

const NOTES = example('notes');
const SIZE = '10 by default, 50 at most, more is refused';
const COUNT = 23;

for (const { name, text } of pagedNotes())
  test(name, async () => {
    await using served = await Served.start(text);
    const { notes } = served.client();
    const made = new Set<string>();
    for (let i = 0; i < COUNT; i++) made.add((await notes.create({ text: `note ${i}` })).data.id);
    const found: string[] = [];
    for await (const note of notes.listAll()) found.push(note.id);
    assert.equal(found.length, COUNT);
    assert.deepEqual(new Set(found), made);
    let asked = 0;
    for await (const _ of notes.listPages()) asked++;
    assert.equal(asked, 3);
    // A page that is as long as can be may be the last.
    const all: string[] = [];
    for await (const note of notes.listAll({ size: COUNT })) all.push(note.id);
    assert.deepEqual(all, found);
    for await (const note of notes.listAll({ size: 1 })) if (note.id === found[3]) break;
  });

test('what tells a row from others may have a dotted name too', async () => {
  const document = changed(
    NOTES,
    [PAGES, '- Pages: by identity, parameters `size` and `after`; payload data.rows `page.items`'],
    ['| id      | string ', '| key.id  | string '],
    ['Shown: id', 'Shown: key.id'],
    ['path | Note.id |', 'path | Note.key.id |'],
    ['where `id ==', 'where `key.id =='],
    ['+ note.id`', '+ note.key.id`'],
  );
  await using served = await Served.start(document);
  const { notes } = served.client();
  for (const text of ['a', 'b', 'c']) await notes.create({ text });
  const found = new Set<string>();
  for await (const note of notes.listAll({ size: 2 })) found.add(note.text);
  assert.deepEqual(found, new Set(['a', 'b', 'c']));
});

test('where pages are cut to the most that there may be, rows are not taken for all', async () => {
  const document = changed(
    NOTES,
    [PAGES, '- Pages: by offset, parameters `size` and `offset`; payload the items alone'],
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
