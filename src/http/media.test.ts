import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inProportion } from '../../test/growth.ts';
import { fc } from '../../test/seeded.ts';
import { accepts, mediaType } from './media.ts';

const JSON_TYPE = 'application/json';

describe('mediaType', () => {
  const cases: Array<[string, string | null]> = [
    [JSON_TYPE, JSON_TYPE],
    ['Application/JSON', JSON_TYPE],
    ['application/json;charset=utf-8', JSON_TYPE],
    ['application/json; charset=UTF-8', JSON_TYPE],
    ['application/json ;\tCharset="utf-8"', JSON_TYPE],
    ['application/json; charset="u\\tf-8"', JSON_TYPE],
    ['application/json;', JSON_TYPE],
    ['application/json ; ;; ', JSON_TYPE],
    ['application/json;a="x;charset=latin1"', JSON_TYPE],
    ['application/merge-patch+json; v=1', 'application/merge-patch+json'],
    ['application/problem+json', 'application/problem+json'],
    ["!#$%&'*+-.^_`|~09/z", "!#$%&'*+-.^_`|~09/z"],
    ['application/json; charset=latin1', null],
    ['application/json; charset=utf8', null],
    ['application/json; charset=utf-16', null],
    ['application/json; charset=utf-8; charset=latin1', null],
    ['application/json; charset=latin1; charset=utf-8', null],
    ['application/json; charset=""', null],
    ['application/json; charset=', null],
    ['application/json; charset', null],
    ['application/json; charset =utf-8', null],
    ['application/json; charset= utf-8', null],
    ['application/json; a="', null],
    ['application/json; a="\\"', null],
    ['application/json; a="x"y', null],
    ['application/json; a="\u0001"', null],
    ['application/json, application/json', null],
    ['application/json, text/plain', null],
    ['application/json charset=utf-8', null],
    ['application / json', null],
    ['application/json/x', null],
    ['application/', null],
    ['/json', null],
    ['application', null],
    ['json', null],
    ['', null],
    [' ', null],
    ['*/*', null],
    ['application/*', null],
    ['*/json', null],
    ['applicätion/json', null],
  ];
  for (const [header, expected] of cases) {
    test(JSON.stringify(header), () => assert.equal(mediaType(header), expected));
  }

  test('costs in proportion to its length', () => {
    inProportion((n) => mediaType(`a/b${' '.repeat(n)}x`), 1e5);
    inProportion((n) => mediaType(`a/b${' ;'.repeat(n)}x`), 1e5);
    inProportion((n) => mediaType(`a/b;c="${'\\"'.repeat(n)}`), 1e5);
  });
});

describe('accepts', () => {
  const cases: Array<[string | undefined, boolean]> = [
    [undefined, true],
    ['*/*', true],
    [JSON_TYPE, true],
    ['Application/Json', true],
    ['application/*', true],
    ['text/html', false],
    ['text/*', false],
    ['app/*', false],
    ['application/jso', false],
    ['application/json5', false],
    ['application/problem+json', false],
    ['application/json, text/plain, */*', true],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
    ['text/html, application/json', true],
    ['text/html, text/plain;q=0.5', false],
    // Weights, and the most specific range.
    ['application/json;q=0', false],
    ['application/json;q=0.000', false],
    ['application/json;q=0.001', true],
    ['application/json; Q=1.000', true],
    ['*/*;q=0', false],
    ['*/*;q=0, application/json', true],
    ['application/json;q=0, */*', false],
    ['*/*, application/json;q=0', false],
    ['application/*;q=0, */*', false],
    ['application/*;q=0, application/json;q=0.1, */*', true],
    ['application/json;q=0, application/*', false],
    ['application/json, application/json;q=0', true],
    ['application/json;q=0, application/json', true],
    ['text/html;q=0', false],
    // Parameters.
    ['application/json;charset=utf-8', true],
    ['application/json; charset="UTF-8"; q=0.2', true],
    ['application/json;charset=latin1', false],
    ['application/json;version=1', false],
    ['application/json;charset=utf-8;q=0, application/json', false],
    ['application/json;version=1;q=0, application/json', true],
    ['*/*;version=1', false],
    // Elements that are empty.
    ['', true],
    [' , ,', true],
    [', application/json,,', true],
    [',text/html,', false],
    // Malformed anywhere: disregarded.
    ['garbage', true],
    ['*', true],
    ['text/html, image/gif, *; q=.2', true],
    ['text/html; q=2', true],
    ['text/html; q=0.1234', true],
    ['text/html; q=', true],
    ['text/html; q=1; q=0', true],
    ['text/html; q="0"x', true],
    ['text/html text/plain', true],
    ['application/json;q=0, /', true],
    ['text/html;a="b', true],
  ];
  for (const [header, expected] of cases) {
    test(JSON.stringify(header) ?? 'missing', () => assert.equal(accepts(header, JSON_TYPE), expected));
  }

  test('a type offered with parameters', () => {
    const offered = 'application/json;version=2';
    assert.equal(accepts(offered, offered), true);
    assert.equal(accepts('application/json', offered), true);
    assert.equal(accepts('application/json; Version=2', offered), true);
    assert.equal(accepts('application/json; version="2", text/html', offered), true);
    assert.equal(accepts('application/json;version=1', offered), false);
    assert.equal(accepts('application/json;version=2;q=0, application/json', offered), false);
    assert.equal(accepts('application/json;q=0, application/json;version=2', offered), true);
    assert.equal(accepts('text/plain;a="b,c", application/json', offered), true);
    assert.equal(accepts('text/plain;charset=UTF-8', 'text/plain;charset=utf-8'), true);
  });

  test('agrees with a plain reading of 12.5.1', () => {
    const name = fc.constantFrom('*/*', 'application/*', JSON_TYPE, 'text/*', 'text/html');
    const list = fc.array(fc.tuple(name, fc.constantFrom('', ';q=0', ';q=0.5', ' ; q=1')), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(list, (ranges) => {
        const deciding = [JSON_TYPE, 'application/*', '*/*'].find((one) => ranges.some(([range]) => range === one));
        const expected = ranges.some(([range, weight]) => range === deciding && weight !== ';q=0');
        assert.equal(accepts(ranges.map((parts) => parts.join('')).join(', '), JSON_TYPE), expected);
      }),
    );
  });

  test('no header crashes either', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a*/;,="\\ q.01]{0,20}$/)), (header) => {
        assert.equal(typeof accepts(header, JSON_TYPE), 'boolean');
        const type = mediaType(header);
        assert.ok(type === null || mediaType(type) === type);
      }),
      { numRuns: 1000 },
    );
  });
});
