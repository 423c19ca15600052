import { TABLES } from '../../language/columns.ts';
import { PART_HEADINGS, PART_ITEMS, type PartName } from '../../plan/parts.ts';
import type { Finding } from '../../syntax/diagnostic.ts';
import { keysOf } from '../../text/own-members.ts';
import type { Compiled } from '../compile.ts';
import { cellTexts } from './cells.ts';
import { Declared } from './declared.ts';
import { fixedValues, isFreeText } from './legal-texts.ts';
import { OpenSentences } from './open-sentences.ts';
import { type Edit, Sites } from './sites.ts';
import { stepTexts } from './step-texts.ts';

type Place = NonNullable<Finding['span']>;

/**
 * The edits that may be right for a finding, its suggestion first. They are legal where they stand; whether they go with the
 * rest of the document is for its compilation to say.
 */
export class Candidates {
  private readonly sites: Sites;
  private readonly declared: Declared;
  private readonly compiled: Compiled;

  constructor(compiled: Compiled) {
    this.compiled = compiled;
    this.sites = new Sites(compiled.blocks);
    this.declared = new Declared(compiled.model);
  }

  /** Each answer with the edits that may state it: the first of them that is right is meant. */
  of(finding: Finding, span: Place): Array<readonly Edit[]> {
    const edits = this.answering(finding, span);
    const item = PART_ITEMS.find((one) => one.replaceAll(' ', '-') === finding.code);
    if (!item) return edits.map((edit) => [edit]);
    const { blocks, model } = this.compiled;
    const open = new OpenSentences(blocks.source, model.absences, item);
    if (!open.isOpen) return edits.map((edit) => [edit]);
    return [...edits.map((edit) => open.stating(edit)), open.none()];
  }

  private answering(finding: Finding, span: Place): Edit[] {
    const { puts, suggestion } = finding;
    if (typeof puts === 'object') return this.cells(finding, span, puts.column);
    if (puts === 'removal') return [this.sites.removal(span)];
    if (puts === 'out') return [{ from: span.from, to: span.to, text: '' }];
    if (puts === 'bullet') return [{ from: span.from, to: span.from, text: '- ' }];
    if (suggestion === null) return [];
    const texts = this.textsOf(finding, suggestion);
    switch (puts) {
      case 'heading':
        return texts.map((text) => this.sites.heading(text, this.partOf(finding, span)));
      case 'below':
        return this.below(finding, span);
      case 'here':
        return texts.map((text) => ({ from: span.from, to: span.to, text }));
      case 'end': {
        const end = this.sites.endOf(span);
        return end === null ? [] : texts.map((text) => ({ from: end, to: end, text }));
      }
      case 'statement':
        return this.statements(finding, span, texts);
      default:
        return [];
    }
  }

  /** The suggestion with names of the document in place of those that it only supposes. */
  private textsOf({ code, params }: Finding, suggestion: string): string[] {
    if (code === 'endpoints/request-missing') {
      const fields = this.declared.givenByRequests(params.resource ?? '');
      return fields.length ? [`- Request: ${params.resource} with ${fields.join(', ')}`] : [];
    }
    return suggestion.includes('…') ? [] : this.withCodes(suggestion);
  }

  /** Steps below a heading, or below a step. */
  private below(finding: Finding, span: Place): Edit[] {
    const step = this.sites.stepAt(span);
    const section = this.sites.sectionsAt(span)?.[0];
    if (!section) return [];
    return stepTexts(finding, section.heading, this.sites.textOf(section.heading), this.declared).map((text) =>
      step ? this.sites.stepBelow(step, text) : this.sites.step(section, text),
    );
  }

  /** A text with an error code, once with each code that the document declares; any other text as it is. */
  private withCodes(text: string): string[] {
    const [, before, code = ''] = /^(.*, else )(\w+)$/.exec(text) ?? [];
    if (before === undefined) return [text];
    const { codes } = this.declared;
    return (codes.includes(code) ? [code, ...codes] : codes).map((one) => before + one);
  }

  /** The statements of which each answers the finding, in the section where they belong. */
  private statements(finding: Finding, span: Place, texts: readonly string[]): Edit[] {
    const { asks } = finding;
    const part = this.partOf(finding, span);
    if (!asks || !part) return [];
    switch (asks.kind) {
      case 'bullet':
        return this.bullets(finding, span, asks.name, texts, part);
      case 'row':
        return texts.flatMap((text) => this.row(finding, span, text, part));
      case 'step': {
        const [section] = this.sites.sectionsAt(span) ?? [];
        if (!section) return [];
        const others = stepTexts(finding, section.heading, this.sites.textOf(section.heading), this.declared);
        return [...texts, ...others].map((text) => this.sites.step(section, text));
      }
    }
  }

  private bullets({ endpoints }: Finding, span: Place, key: string, texts: readonly string[], part: PartName): Edit[] {
    const several = (endpoints?.length ?? 0) > 1;
    if (!this.sites.part(part)) return texts.map((text) => this.sites.newPart(part, text));
    return this.sites.homesOf(key, part, span, several).flatMap((section) => {
      const place = this.sites.placeOf(section);
      // A text in the document's own words is an example.
      if (!place || isFreeText(place, key)) return [];
      const values = fixedValues(place, key).map((value) => `- ${key}: ${value}`);
      return [...texts, ...values].map((text) => this.sites.bullet(section, text));
    });
  }

  private row({ endpoints }: Finding, span: Place, text: string, part: PartName): Edit[] {
    const kind = ROWS[part];
    const several = (endpoints?.length ?? 0) > 1;
    const isLocal = LOCAL.has(part) && !(part === 'endpoints' && several);
    const section = isLocal ? this.sites.sectionsAt(span)?.[0] : this.sites.part(part);
    if (!kind) return [];
    if (!section) return isLocal ? [] : [this.sites.newPart(part, text)];
    const cells = text
      .slice(2, -2)
      .split(' | ')
      .map((cell) => cell.trim());
    return this.rowsLike(kind, cells).map((row) => this.sites.row(section, kind, row));
  }

  /** A row, or for a parameter of a path one for each type and code that it may have. */
  private rowsLike(kind: keyof typeof TABLES, cells: readonly string[]): Array<readonly string[]> {
    const [name = '', at, type = ''] = cells;
    if (kind !== 'parameter' || at !== 'path') return [cells];
    const { codes, identities } = this.declared;
    const types = [...new Set([type, ...identities])].filter((one) => identities.includes(one));
    return codes.flatMap((code) => [
      ...types.map((one) => [name, at, one, 'any', 'always', code]),
      [name, at, 'string', 'at most 100 characters', 'always', code],
    ]);
  }

  /** The possible cells of a column in the row of the finding, or in each row of the section that it is about. */
  private cells(finding: Finding, span: Place, column: string): Edit[] {
    const { suggestion, part, asks } = finding;
    const about = this.sites.rowAt(span);
    if (!about) return this.sites.rowsOf(span).flatMap((row) => this.cells(finding, row, column));
    const whole = asks && suggestion !== null ? this.statements(finding, span, [suggestion]) : [];
    const tables = keysOf(TABLES).filter((table) => column in TABLES[table] && PART_OF[table] === part);
    const texts = new Set(tables.flatMap((table) => cellTexts(table, column, this.declared, about)));
    const first = suggestion === null || asks ? [] : this.textsOf(finding, suggestion);
    return [...[...first, ...texts].flatMap((text) => this.sites.cell(span, column, text)), ...whole];
  }

  private partOf({ part, asks }: Finding, span: Place): PartName | null {
    if (part in PART_HEADINGS) return part as PartName;
    return asks?.name === 'Address' ? 'purpose' : this.sites.partAt(span);
  }
}

/** The tables to which the rows of suggestions belong. */
const ROWS: { readonly [P in PartName]?: keyof typeof TABLES } = {
  resources: 'field',
  states: 'transition',
  endpoints: 'parameter',
  events: 'event',
  errors: 'error',
  limits: 'limit',
};

/** The parts of the tables. */
const PART_OF: Readonly<Record<keyof typeof TABLES, PartName>> = {
  field: 'resources',
  transition: 'states',
  parameter: 'endpoints',
  takes: 'endpoints',
  gives: 'endpoints',
  scope: 'authentication',
  claim: 'authentication',
  event: 'events',
  error: 'errors',
  payload: 'errors',
  limit: 'limits',
  version: 'versioning',
};

/** The parts whose tables are below headings of their own. */
const LOCAL: ReadonlySet<PartName> = new Set(['resources', 'states', 'endpoints']);
