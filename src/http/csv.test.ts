import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellText, csvRecord, parseCsv, withoutFormula } from './csv.ts';

test('what is written is read as it was, whatever the cells hold', () => {
  const all = [
    ['a', 'b'],
    ['', 'x,y'],
    ['"', '""'],
    ['\r\n', '\n'],
    [' a ', '\u2028'],
    ['a;=1', 'a\t=1'],
  ];
  assert.deepEqual(parseCsv(all.map(csvRecord).join('')), all);
  assert.equal(csvRecord([null, '', 'a "b"']), ',"","a ""b"""\r\n');
  assert.equal(csvRecord([null]), '""\r\n');
  assert.equal(csvRecord(['a;=1', 'a\t=1', 'a=1']), '"a;=1","a\t=1",a=1\r\n');
  assert.deepEqual(parseCsv(''), []);
});

test('CSV that is not complete, or has other line ends, is refused', () => {
  for (const text of ['a', 'a,b', 'a\n', 'a\r', '"a', '"a"b\r\n', 'a"b\r\n', 'a,', 'a\r\nb'])
    assert.equal(typeof parseCsv(text), 'string', JSON.stringify(text));
});

test('no cell begins as a formula, and numbers stay numbers', () => {
  for (const text of ['=1', '+1', '-a', '-1+1', '@a', '\ta', '\ra', '\na', '\uFF1D1', '\uFEFF=1', '-1e5', '-'])
    assert.equal(withoutFormula(text), `'${text}`);
  for (const text of [' =1', '\u00A0=1', ' \u200B\0@a', ' -1']) assert.equal(withoutFormula(text), `'${text}`);
  for (const text of ['', 'a=1', '-1', '-1.50', '1', ' 1', ' a=1', "'=1"]) assert.equal(withoutFormula(text), text);
});

test('a cell has the text of a value, and the JSON of others', () => {
  assert.equal(cellText('"a\\n"'), 'a\n');
  assert.equal(cellText('-1'), '-1');
  assert.equal(cellText('["a"]'), '["a"]');
  assert.equal(cellText('null'), null);
  assert.equal(cellText(null), null);
});
