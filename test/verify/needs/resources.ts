import { documentText, withChange } from '../../subject.ts';
import { type Fault, notes, withText } from './fault.ts';

/** The notes with another field, by its type and what it allows. */
const noteWith = (type: string, allowed: string): string =>
  withChange(
    withChange(
      withChange(
        notes,
        '| created | timestamp |',
        `| hours | ${type} | | ${allowed} | request | | |\n| created | timestamp |`,
      ),
      'Note with text\n',
      'Note with text, hours\n',
    ),
    'Shown: id, text,',
    'Shown: id, text, hours,',
  );

const bound = (name: string, type: string, allowed: string, served: string): Fault => ({
  name,
  stated: noteWith(type, allowed),
  served: noteWith(type, served),
  key: 'field Note.hours',
});

/** Tasks with lists and sets of references. */
const tagged = documentText('src/compiler/resources/cases/documents/tags.md');
const changed = (...changes: ReadonlyArray<readonly [from: string, to: string]>): string =>
  changes.reduce((text, [from, to]) => withChange(text, from, to), tagged);

export const OF_REFERENCES: readonly Fault[] = [
  {
    name: 'takes an item that refers to no row',
    stated: tagged,
    key: 'field Task.after',
    served: changed(
      [
        '| list of Task   |        | at most 5 items     |',
        '| list of integer | | at most 5 items, each 1 to 9007199254740991 |',
      ],
      ['after as id', 'after'],
      ['Cleared with: tags, order, after', 'Cleared with: tags, order'],
    ),
  },
  {
    name: 'keeps a row that should leave a list',
    stated: tagged,
    key: 'reference Task.order',
    served: changed(
      ['Cleared with: tags, order, after', 'Cleared with: tags, after'],
      ['Keeps: fixed, else in_use', 'Keeps: fixed, order, else in_use'],
    ),
  },
  {
    name: 'shows hidden rows in a list',
    stated: tagged,
    key: 'resource Tag: visible',
    served: changed(['- Visible: `!hidden`', '- Visible: everyone']),
  },
  {
    name: 'loses the order of a list',
    stated: tagged,
    key: 'field Task.order',
    served: changed(['| list of Tag    |', '| set of Tag     |']),
  },
  {
    name: 'takes an item of a set twice',
    stated: tagged,
    key: 'field Task.tags',
    served: changed([
      '| set of Tag     |        | at most 20 items    |',
      '| list of Tag    |        | at most 20 items    |',
    ]),
  },
];

export const BOUNDS: readonly Fault[] = [
  bound('takes 49 of 1 to 48', 'integer', '1 to 48', '1 to 49'),
  bound('takes 0 of 1 to 48', 'integer', '1 to 48', '0 to 48'),
  bound('takes 11 characters of 2 to 10', 'string', '2 to 10 characters', '2 to 11 characters'),
  bound('takes 1 character of 2 to 10', 'string', '2 to 10 characters', '1 to 10 characters'),
  bound('takes an item of 49', 'list of integer', '1 to 3 items, each 1 to 48', '1 to 3 items, each 1 to 49'),
  bound('takes 4 items of 1 to 3', 'list of integer', '1 to 3 items, each 1 to 48', '1 to 4 items, each 1 to 48'),
  {
    name: 'trims byte order marks',
    stated: notes,
    key: 'resources: text',
    taken: (request) => withText(request, (text) => text.replaceAll('\ufeff', '')),
  },
  {
    name: 'does not trim next-line characters',
    stated: notes,
    key: 'resources: text',
    taken: (request) => withText(request, (text) => text.replaceAll('\u0085', '\ufeff')),
  },
];
