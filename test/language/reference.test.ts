import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { AUTHENTICATION, SCHEME, SCOPE } from '../../src/language/authentication.ts';
import { ENDPOINT, ENDPOINTS, PARAMETER } from '../../src/language/endpoints.ts';
import { ERROR, ERRORS, PAYLOAD_MEMBER } from '../../src/language/errors.ts';
import { NOTIFIED_BY, PAYLOAD, STREAM, TRIGGER, WEBHOOK } from '../../src/language/events.ts';
import type { AnyGrammar } from '../../src/language/grammar.ts';
import { HANDLER } from '../../src/language/handlers.ts';
import { LIMIT, LIMIT_BULLETS, LIMITS, UNCOUNTED_AT } from '../../src/language/limits.ts';
import { PURPOSE_BULLETS } from '../../src/language/purpose.ts';
import { FIELD, RESOURCE, RESOURCES } from '../../src/language/resources.ts';
import { SCHEDULE } from '../../src/language/schedules.ts';
import { MACHINE, STATES, TRANSITION } from '../../src/language/states.ts';
import { VERSION, VERSIONING } from '../../src/language/versioning.ts';
import { type Notes, Phrase } from '../../src/syntax/phrase.ts';

type Keyed = Readonly<Record<string, { readonly value: AnyGrammar }>>;

/** The statements that a page describes in tables, each list in the order of its table. */
const PAGES: Readonly<Record<string, readonly Keyed[]>> = {
  purpose: [PURPOSE_BULLETS],
  resources: [RESOURCES, FIELD, RESOURCE],
  states: [{ ...STATES, ...MACHINE }, TRANSITION],
  endpoints: [ENDPOINTS, ENDPOINT, PARAMETER],
  handlers: [HANDLER],
  schedules: [SCHEDULE],
  authentication: [AUTHENTICATION, SCHEME, { Scope: { value: SCOPE } }],
  events: [
    { When: { value: TRIGGER }, Payload: { value: PAYLOAD }, 'Notified by': { value: NOTIFIED_BY } },
    WEBHOOK,
    STREAM,
  ],
  errors: [ERRORS, ERROR, { Type: PAYLOAD_MEMBER.Type, Value: PAYLOAD_MEMBER.Value }],
  limits: [
    LIMIT_BULLETS,
    { Limit: { value: LIMIT } },
    ...Object.values(LIMITS).map(({ value, at }) => ({ Value: { value }, 'Applies to': { value: at } })),
    { 'Applies to': { value: UNCOUNTED_AT } },
  ],
  versioning: [VERSIONING, VERSION],
};

interface Described {
  readonly key: string;
  /** The values in the second cell that are shown whole. */
  readonly values: readonly string[];
}

/** The rows of the tables of a page whose first column is `Bullet` or `Column`. */
function describedIn(page: string): Described[] {
  const text = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'language', `${page}.md`), 'utf8');
  return text.split('\n\n').flatMap((block) => {
    const [head = '', , ...rows] = block.split('\n');
    if (!/^\| (?:Bullet|Column) \|/.test(head)) return [];
    return rows.flatMap((row) => {
      const [, keys = '', shown = ''] = row.replaceAll('\\|', '\u0000').split('|');
      const values = shown.replaceAll('\u0000', '|').split(' · ').flatMap(wholeValue);
      return keys.split(' · ').map((key) => ({ key: key.trim(), values }));
    });
  });
}

/** The value that an alternative of a cell is, where it is one span of inline code and no part of a value. */
function wholeValue(alternative: string): string[] {
  const [, marks = '', shown] = /^(`+) ?(.*?) ?\1$/.exec(alternative.trim()) ?? [];
  return shown === undefined || shown.split(/(`+)/).includes(marks) || /…|^,|<|^[NM] | [NM]\b/.test(shown)
    ? []
    : [shown];
}

function isRead(grammar: AnyGrammar, text: string): boolean {
  const notes: Notes = { findings: [], marks: [] };
  const phrase = new Phrase({ source: text, from: 0, to: text.length, inTable: false }, notes);
  return grammar.read(phrase) !== undefined && phrase.end() && notes.findings.length === 0;
}

for (const [page, lists] of Object.entries(PAGES))
  test(`docs/language/${page}.md has a row for each statement, and the values that it shows are understood`, () => {
    const rows = describedIn(page);
    for (const list of lists)
      for (const key of Object.keys(list))
        assert.ok(
          rows.some((row) => row.key === key.trim()),
          key,
        );
    for (const { key, values } of rows) {
      const grammars = lists.flatMap((list) => list[key]?.value ?? []);
      for (const value of grammars.length ? values : [])
        assert.ok(
          grammars.some((grammar) => isRead(grammar, value)),
          `${key}: ${value}`,
        );
    }
  });
