import { documentText, withChange } from './subject.ts';

/** Tickets with words in two older versions, and with the newer of these alone. */
export const DESK = documentText('src/compiler/versioning/cases/documents/desk.md');
export const NEXT = DESK.replace(/\| v1 {6}\| supported.*\n/, '');

/** The document whose current version is v2: a state less, and a priority less. */
export const BEFORE = [
  ['one of low, normal, high, urgent ', 'one of low, normal, high '],
  ['one of new, assigned, on_hold, closed', 'one of open, waiting, closed'],
  ['- Derived urgent: boolean, `priority == "urgent"`\n', ''],
  [', urgent: `all.filter(t, t.urgent).size()`', ''],
  ['- Initial: new', '- Initial: open'],
  ['| assign     | new, on_hold           | assigned |', '| assign | waiting | open |'],
  ['| hold       | new, assigned          | on_hold  |', '| hold | open | waiting |'],
  ['| close      | new, assigned, on_hold |', '| close | open, waiting |'],
  ['Current version: v3', 'Current version: v2'],
].reduce((text, [from = '', to = '']) => withChange(text, from, to), NEXT.replace(/\n\| Version \|[\s\S]*$/, '\n'));
