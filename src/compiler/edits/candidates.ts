import { TABLES } from '../../language/columns.ts';
import { PART_HEADINGS, PART_ITEMS, type PartItem, type PartName, partAndItem } from '../../plan/parts.ts';
import type { Finding } from '../../syntax/diagnostic.ts';
import type { Section } from '../../syntax/markdown.ts';
import { keysOf } from '../../text/own-members.ts';
import type { Compiled } from '../compile.ts';
import { isOfItem } from '../document/messages.ts';
import { cellTexts } from './cells.ts';
import { Declared } from './declared.ts';
import { fixedValues, isFreeText, samplesOfBullet, samplesOfColumn } from './legal-texts.ts';
import { capital, OpenSentences } from './open-sentences.ts';
import { type Edit, Sites } from './sites.ts';
import { stepTexts } from './step-texts.ts';

type Place = NonNullable<Finding['span']>;

/**
 * A text that somebody wrote as the answer to a finding, and its form. A bullet, row, step or heading is whole, and may
 * have several lines. `cell`, `here` and `end`: as `puts` of the finding says.
 */
export interface OwnText {
  readonly form: 'bullet' | 'row' | 'step' | 'heading' | 'cell' | 'here' | 'end';
  readonly text: string;
}

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
    const open = this.openSentences(finding);
    if (open) return [...edits.map((edit) => open.stating(edit)), open.none()];
    return [...edits.map((edit) => [edit]), this.none(finding)];
  }

  /** The sentence that there is no such thing, where no sentence leaves the item open. */
  private none(finding: Finding): Edit[] {
    const asked = itemOf(finding);
    if (!asked) return [];
    const [part, item] = partAndItem(asked);
    return [this.sites.sentence(part, `${capital(item)}: none.`)];
  }

  /** The edits that may put a text where the answer to a finding belongs: the first of them that is right is meant. */
  puttingOwn(finding: Finding, span: Place, text: OwnText): Edit[] {
    const edits = this.ownEdits(finding, span, text);
    const open = this.openSentences(finding);
    return open ? edits.flatMap((edit) => open.stating(edit)) : edits;
  }

  /** Samples of the value or cell for which a finding asks. */
  formsOf(finding: Finding, span: Place): readonly string[] {
    const { puts, asks } = finding;
    if (typeof puts === 'object')
      return [...new Set(this.tablesOf(finding, puts.column).flatMap((table) => samplesOfColumn(table, puts.column)))];
    const part = this.partOf(finding, span);
    if (asks?.kind !== 'bullet' || !part) return [];
    const homes = this.homesOf(finding, span, asks.name, part);
    const places = new Set(homes.flatMap((section) => this.sites.placeOf(section) ?? []));
    return [...new Set([...places].flatMap((place) => samplesOfBullet(place, asks.name)))];
  }

  /** The columns of each table that the part of a finding may have. */
  tablesOfPart({ part }: Finding): ReadonlyArray<readonly string[]> {
    return keysOf(TABLES).flatMap((table) => (PART_OF[table] === part ? [keysOf(TABLES[table])] : []));
  }

  private tablesOf({ part }: Finding, column: string): Array<keyof typeof TABLES> {
    return keysOf(TABLES).filter((table) => column in TABLES[table] && PART_OF[table] === part);
  }

  /** The sentences that leave open the item for which a question asks; null where there are none. */
  private openSentences(finding: Finding): OpenSentences | null {
    const item = itemOf(finding);
    const { blocks, model } = this.compiled;
    const open = item && new OpenSentences(blocks.source, model.absences, item);
    return open?.isOpen ? open : null;
  }

  private ownEdits(finding: Finding, span: Place, { form, text }: OwnText): Edit[] {
    const part = this.partOf(finding, span);
    switch (form) {
      case 'cell':
        return typeof finding.puts === 'object' ? this.sites.cell(span, finding.puts.column, text) : [];
      case 'here':
        return [{ from: span.from, to: span.to, text }];
      case 'end': {
        const end = this.sites.endOf(span);
        return end === null ? [] : [{ from: end, to: end, text }];
      }
      case 'heading':
        return [this.sites.heading(text, part)];
      case 'bullet': {
        const [, key = ''] = /^- ([^:]+):/.exec(text) ?? [];
        if (!part) return [];
        const homes = [...this.homesOf(finding, span, key, part), ...this.sites.homesBelow(key, part)];
        return [...new Set(homes)].map((section) => this.sites.bullet(section, text));
      }
      case 'row':
        return part ? this.ownRows(finding, span, text, part) : [];
      case 'step': {
        const step = finding.puts === 'below' ? this.sites.stepAt(span) : null;
        const [section] = this.sites.sectionsAt(span) ?? [];
        if (step) return [this.sites.stepBelow(step, text)];
        // A part has no steps: they belong below its headings.
        const sections = section?.level === 2 ? section.children.filter(({ steps }) => steps.length === 0) : [section];
        return sections.flatMap((one) => (one ? [this.sites.step(one, text)] : []));
      }
    }
  }

  private homesOf({ endpoints }: Finding, span: Place, key: string, part: PartName): Section[] {
    return this.sites.homesOf(key, part, span, (endpoints?.length ?? 0) > 1);
  }

  /** In the section of the finding, or in each section below its part that may have such rows; or in the part itself. */
  private ownRows(finding: Finding, span: Place, text: string, part: PartName): Edit[] {
    const kind = ROWS[part];
    const section = this.rowsSection(finding, span, part);
    if (!kind || !section) return [];
    const sections = LOCAL.has(part) && section.level === 2 ? section.children : [section];
    const places = new Set([...sections, this.sites.part(part) ?? section]);
    return [...places].map((one) => this.sites.rowsAsTyped(one, kind, text));
  }

  /** The section whose table takes a new row. */
  private rowsSection({ endpoints }: Finding, span: Place, part: PartName): Section | null {
    const several = (endpoints?.length ?? 0) > 1;
    const isLocal = LOCAL.has(part) && !(part === 'endpoints' && several);
    return (isLocal ? this.sites.sectionsAt(span)?.[0] : this.sites.part(part)) ?? null;
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
        // A question about an item has no text to replace: the suggestion describes a cell.
        return isOfItem(finding) ? [] : texts.map((text) => ({ from: span.from, to: span.to, text }));
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

  private bullets(finding: Finding, span: Place, key: string, texts: readonly string[], part: PartName): Edit[] {
    if (!this.sites.part(part)) return texts.map((text) => this.sites.newPart(part, text));
    return this.homesOf(finding, span, key, part).flatMap((section) => {
      const place = this.sites.placeOf(section);
      // A text in the document's own words is an example.
      if (!place || isFreeText(place, key)) return [];
      const values = fixedValues(place, key).map((value) => `- ${key}: ${value}`);
      return [...texts, ...values].map((text) => this.sites.bullet(section, text));
    });
  }

  private row(finding: Finding, span: Place, text: string, part: PartName): Edit[] {
    const kind = ROWS[part];
    const section = this.rowsSection(finding, span, part);
    if (!kind) return [];
    if (!section) return this.sites.part(part) ? [] : [this.sites.newPart(part, text)];
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
    const { suggestion, asks } = finding;
    const about = this.sites.rowAt(span);
    if (!about) return this.sites.rowsOf(span).flatMap((row) => this.cells(finding, row, column));
    const whole = asks && suggestion !== null ? this.statements(finding, span, [suggestion]) : [];
    const texts = new Set(
      this.tablesOf(finding, column).flatMap((table) => cellTexts(table, column, this.declared, about)),
    );
    const first = suggestion === null || asks ? [] : this.textsOf(finding, suggestion);
    return [...[...first, ...texts].flatMap((text) => this.sites.cell(span, column, text)), ...whole];
  }

  private partOf({ code, part, asks, params }: Finding, span: Place): PartName | null {
    if (part in PART_HEADINGS) return part as PartName;
    const declaring = code === 'language/unknown-name' ? DECLARING[params.kind ?? ''] : undefined;
    if (declaring) return declaring;
    return asks?.name === 'Address' ? 'purpose' : this.sites.partAt(span);
  }
}

/** The item for which a question asks. */
const itemOf = ({ code }: Finding): PartItem | undefined => PART_ITEMS.find((one) => one.replaceAll(' ', '-') === code);

/** The parts that declare names of some kinds: a row that declares a missing name belongs there. */
const DECLARING: Readonly<Record<string, PartName>> = {
  'error code': 'errors',
  event: 'events',
  'webhook event': 'events',
};

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
