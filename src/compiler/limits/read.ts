import { TABLES } from '../../language/columns.ts';
import type { Grammar } from '../../language/grammar.ts';
import { LIMIT_NAMES } from '../../language/keys.ts';
import { LIMIT, LIMIT_BULLETS, LIMITS, UNCOUNTED_AT } from '../../language/limits.ts';
import {
  type Cells,
  checkRowsAsProse,
  isBlank,
  readStatements,
  readTable,
  readValue,
  withLesson,
} from '../../language/read.ts';
import type { Section, Text } from '../../syntax/markdown.ts';
import { language } from '../../syntax/messages.ts';
import { type Located, located, refuse } from '../../syntax/names.ts';
import type { Notes } from '../../syntax/phrase.ts';
import { keysOf } from '../../text/own-members.ts';
import type { LimitName, Limits, LimitValue, OwnLimit, Rate, Uncounted } from '../statements/limits.ts';
import { limitsDiagnostics as d } from './messages.ts';

const COLUMNS = keysOf(TABLES.limit);

type Draft = { -readonly [K in keyof Limits]: Limits[K] } & { rates: Rate[]; uncounted: Uncounted[]; own: OwnLimit[] };

/** Reads `## Limits`. */
export function readLimits(section: Section | null, notes: Notes): Limits {
  const out: Draft = {
    rates: [],
    uncounted: [],
    requestSize: null,
    timeout: null,
    pageSize: null,
    wholeList: null,
    own: [],
    ...readStatements(section, 'limits', LIMIT_BULLETS, notes),
  };
  if (!section) return out;
  checkRowsAsProse(section, LIMIT_NAMES, notes);
  refuse(section, { steps: true, children: true }, 'among the limits', notes.findings);
  for (const table of section.tables)
    for (const cells of readTable(table, TABLES.limit, notes)) readLimit(cells, out, notes);
  return out;
}

function readLimit(cells: Cells<keyof typeof TABLES.limit>, out: Draft, notes: Notes): void {
  const { Limit: limit, Value: value, 'Applies to': applies, span } = cells;
  const column = COLUMNS.find((name) => isBlank(cells, name));
  if (column) notes.findings.push(d.report.blankCell(span, { column }));
  const name = limit && readValue(limit, notes, LIMIT)?.value;
  if (!name || !value || !applies) return;
  const read = <T>(cell: Text, grammar: Grammar<T>): Located<T> | null =>
    readValue(withLesson(cell, grammar.samples), notes, grammar);
  if (name === 'Rate') {
    const rate = read(value, LIMITS.Rate.value)?.value;
    if (rate === 'any number of requests') {
      const where = read(applies, UNCOUNTED_AT)?.value;
      if (where) out.uncounted.push({ ...where, span });
      return;
    }
    const where = read(applies, LIMITS.Rate.at)?.value;
    if (rate && where) out.rates.push({ ...rate, ...where, span });
    return;
  }
  const amount = read(value, LIMITS[name].value as Grammar<LimitValue<LimitName>>);
  const at = read(applies, LIMITS[name].at)?.value;
  if (amount && typeof amount.value !== 'number' && 'standard' in amount.value)
    if (amount.value.standard > amount.value.most) notes.findings.push(d.report.pageBounds(amount));
  if (!amount || !at) return;
  const { member } = LIMITS[name];
  if (at.length) out.own.push({ limit: name, value: amount.value, at, span } as OwnLimit);
  else if (out[member]) notes.findings.push(language.report.twice(span, { what: `“${name}”` }));
  else Object.assign(out, { [member]: located(span, amount.value) });
}
