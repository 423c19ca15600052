import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import { edited } from '../src/compiler/edits/edits.ts';
import { answerPlace, ownAnswer } from '../src/compiler/edits/own-answers.ts';
import { type Deletion, deletions, documents, fileOf } from './fixtures.ts';
import { share } from './share.ts';

/** How many statements of a document a run removes. */
const MOST = 3;

/** The text of a removed statement or cell, as somebody would type it. */
const textOf = (source: string, { from, to }: Deletion): string => source.slice(from, to).trim();

test('a removed statement that is typed again answers its question, where it belongs', () => {
  const seen = { questions: 0, answered: 0, settled: 0, placed: 0 };
  const refused: string[] = [];
  for (const { name, text } of documents())
    for (const one of share(deletions(text), MOST, 12).cases) {
      const compiled = compile(fileOf(name), one.text);
      const [finding, ...others] = compiled.findings;
      if (finding?.severity !== 'question' || others.length > 2) continue;
      seen.questions++;
      const typed = textOf(text, one);
      const place = answerPlace(compiled, finding);
      if (place) {
        seen.placed++;
        assert.equal(place.text, `${place.before}\uFDD0${place.after}`);
      }
      const answer = ownAnswer(compiled, finding, typed);
      if (answer.refused !== null) {
        refused.push(`${name} ${finding.code}: ${typed.slice(0, 80)}`);
        continue;
      }
      seen.answered++;
      assert.equal(answer.after.lines.text, edited(one.text, answer.edit));
      assert.ok(!answer.after.findings.some(({ message }) => message === finding.message));
      if (answer.after.findings.length === 0) seen.settled++;
    }
  console.log(JSON.stringify(seen));
  console.log(refused.map((line) => `  ${line}`).join('\n'));
  assert.ok(seen.answered >= 0.8 * seen.questions);
  assert.ok(seen.settled >= 0.9 * seen.answered);
});

const ORDER = `# T

## Resources and their fields

### Order

| Field | Type |
| --- | --- |
| id | string |

## Limits
`;

test('a text goes where the answer belongs, or is refused with the reason', () => {
  const compiled = compile('t.md', ORDER);
  const asked = (code: string) => compiled.findings.find((one) => one.code === code)!;
  const typed = (code: string, text: string) => {
    const answer = ownAnswer(compiled, asked(code), text);
    return answer.refused ?? edited(ORDER, answer.edit);
  };
  const limits = ORDER.split('## Limits')[0]!;
  const table = (row: string) => `${limits}## Limits\n\n| Limit | Value | Applies to |\n| --- | --- | --- |\n${row}\n`;
  assert.equal(typed('limits/time-outs', '7 seconds'), table('| Time-out | 7 seconds | every endpoint |'));
  const whole = '| Time-out | 7 seconds | every endpoint |';
  for (const text of [whole, whole.slice(2, -2)]) assert.equal(typed('limits/time-outs', text), table(whole));
  assert.equal(typed('limits/time-outs', 'soon'), 'error');
  assert.equal(
    typed('limits/time-outs', whole.replace('Time-out', 'Request size').replace('7 seconds', '1 MB')),
    'unanswered',
  );
  assert.equal(typed('limits/time-outs', '7\u0007 seconds'), 'invisible');
  assert.equal(typed('limits/time-outs', '  '), 'placeless');
  assert.equal(typed('limits/time-outs', '7 seconds\n8 seconds'), 'placeless');
});
