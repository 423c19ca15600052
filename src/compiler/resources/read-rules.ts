import { readBullets } from '../../language/read.ts';
import type { Section } from '../../syntax/markdown.ts';
import { located, type Name, readElse, refuseLookalikes, refuseRepeats, takeName } from '../../syntax/names.ts';
import type { Notes, Phrase } from '../../syntax/phrase.ts';
import type { Span } from '../../syntax/span.ts';
import type { DerivedField, OverlapRule, Resource, Shown, UniqueRule } from '../statements/resources.ts';
import { readType } from './read-values.ts';

type Rules = Omit<Resource, 'name' | 'fields'>;
type Lists = 'derived' | 'uniques' | 'keeps' | 'views' | 'holds' | 'overlaps' | 'removedWith' | 'cleared';
type Draft = { [K in Exclude<keyof Rules, Lists>]: Rules[K] } & { [K in Lists]: Array<Rules[K][number]> };

/** Reads the bullets under a resource: what is computed of it, how it is shown, and what always holds. */
export function readRules(section: Section, notes: Notes): Rules {
  const out: Draft = {
    shown: null,
    visible: null,
    derived: [],
    uniques: [],
    keeps: [],
    views: [],
    holds: [],
    overlaps: [],
    removedWith: [],
    cleared: [],
  };
  const VISIBLE = '“everyone”, or a condition in inline code such as `owner == caller`';
  const expression = (value: Phrase) => value.code('expression', 'a condition in inline code');
  readBullets(
    section,
    'resource',
    {
      'Derived ': (value, span, key) => {
        const name = takeName(key, 'declaration', 'the name of a derived field');
        const derived = name && readDerived(value, name, span, notes);
        if (derived) out.derived.push(derived);
      },
      Shown: (value, span) => {
        const shown = value.take('never') ? [] : readShown(value);
        // What is not understood says nothing: least of all that the resource is never shown.
        out.shown = located(span, value.failed ? null : shown);
      },
      'Shown as ': (value, span, key) => {
        const name = takeName(key, 'declaration', 'the name of a view');
        if (name) out.views.push({ name, members: readShown(value), span });
      },
      Visible: (value, span) => {
        out.visible = located(span, value.take('everyone') ? 'everyone' : value.code('expression', VISIBLE));
      },
      Unique: (value, span) => out.uniques.push({ ...readUnique(value), span }),
      Holds: (value, span) => {
        const test = expression(value);
        if (test) out.holds.push({ test, code: readElse(value), span });
      },
      'No overlap': (value, span) => {
        const rule = readOverlap(value);
        if (rule) out.overlaps.push({ ...rule, span });
      },
      'Removed with': (value, span) => out.removedWith.push({ fields: readFields(value), span }),
      'Cleared with': (value, span) => out.cleared.push({ fields: readFields(value), span }),
      Keeps: (value, span) => out.keeps.push({ fields: readFields(value), code: readElse(value), span }),
    },
    notes,
    ['Unique', 'Keeps', 'Derived ', 'Shown as ', 'Holds', 'No overlap'],
  );
  for (const [rules, what] of [
    [out.keeps, '“Keeps” for '],
    [out.removedWith, '“Removed with” for '],
    [out.cleared, '“Cleared with” for '],
  ] as const)
    refuseRepeats(
      rules.flatMap((rule) => rule.fields),
      notes.findings,
      what,
    );
  const views = out.views.map((view) => view.name);
  refuseRepeats(views, notes.findings, 'The view ');
  refuseLookalikes(views, notes.findings, 'The view ');
  return out;
}

/** ``full_name: string, `owner.login + "/" + name` `` */
function readDerived(value: Phrase, name: Name, span: Span, notes: Notes): DerivedField | null {
  const type = readType(value, notes, true);
  if (!type || !value.mark(',')) {
    if (type) value.fail('a comma, then an expression in inline code');
    return null;
  }
  const code = value.code('expression', 'an expression in inline code');
  return code && { name, type, value: code, span };
}

function readShown(value: Phrase): Shown[] {
  const members: Shown[] = [];
  do {
    const field = takeName(value, 'use', 'a field');
    if (!field) break;
    members.push({ field, as: value.take('as') ? takeName(value, 'use', 'a field or a view of the reference') : null });
  } while (value.mark(','));
  refuseRepeats(
    members.map((member) => member.field),
    value.findings,
  );
  return members;
}

/** ``customer and sku while `status == "draft"`, else code``, `owner and name ignoring case` */
function readUnique(value: Phrase): Omit<UniqueRule, 'span'> {
  const ignoringCase: Name[] = [];
  const fields = readTogether(value, (field) => {
    if (value.take('ignoring case')) ignoringCase.push(field);
  });
  const condition = value.take('while') ? value.code('expression', 'a condition in inline code') : null;
  return { fields, ignoringCase, condition, code: readElse(value) };
}

/** Names joined by “and”, each with what may follow it. */
function readTogether(value: Phrase, follow: (field: Name) => void = () => {}): Name[] {
  const fields: Name[] = [];
  do {
    const field = takeName(value, 'use', 'a field');
    if (field) {
      fields.push(field);
      follow(field);
    }
  } while (!value.failed && value.take('and'));
  refuseRepeats(fields, value.findings);
  return fields;
}

/** `` `starts` to `ends` by room while `status == "confirmed"`, else code`` */
function readOverlap(value: Phrase): Omit<OverlapRule, 'span'> | null {
  const start = value.code('expression', 'when it starts, in inline code');
  const end = start && value.expect('to') ? value.code('expression', 'when it ends, in inline code') : null;
  if (!start || !end) return null;
  const by = value.take('by') ? readTogether(value) : [];
  const condition = value.take('while') ? value.code('expression', 'a condition in inline code') : null;
  return { start, end, by, condition, code: readElse(value) };
}

/** Names joined by commas, up to `, else`. */
function readFields(value: Phrase): Name[] {
  const names: Name[] = [];
  while (!value.failed) {
    // Two words in a row: the first is `else`, or was meant to be.
    if (names.length && value.peek(1)?.kind === 'word') value.expect('else');
    const name = takeName(value, 'use', 'a field');
    if (name) names.push(name);
    if (value.peek()?.text !== ',' || value.peek(1)?.text === 'else') break;
    value.mark(',');
  }
  return names;
}
