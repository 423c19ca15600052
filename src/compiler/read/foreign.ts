import { PARTS } from '../../plan/parts.ts';
import type { Finding } from '../../syntax/diagnostic.ts';
import type { Blocks } from '../../syntax/markdown.ts';
import { nearest } from '../../text/suggest.ts';
import { itemDiagnostics as d } from '../document/messages.ts';

/** How far into a text its kind shows. */
const LEAD = 4096;

/** The finding about a text that is something else than a document, such as an OpenAPI description; null otherwise. */
export function foreign(source: string, blocks: Blocks): Finding | null {
  const lead = source.slice(0, LEAD).replace(/^\uFEFF/, '');
  const at = {
    from: 0,
    to: lead.trimStart() === '' ? 0 : lead.search(/\S/) + (/\S[^\n]*/.exec(lead)?.[0].trimEnd().length ?? 0),
  };
  const version =
    /^\s*\{[\s\S]*?"(openapi|swagger)"\s*:\s*"([\d.]+)"/.exec(lead) ??
    /^["']?(openapi|swagger)["']?:\s*["']?([\d.]+)/m.exec(lead);
  if (version && hasNoPart(blocks))
    return d.report.openapi(at, { what: `${version[1] === 'swagger' ? 'Swagger' : 'OpenAPI'} ${version[2]}` });
  if (/^\s*[{[]/.test(lead) && hasNoPart(blocks)) return d.report.notMarkdown(at, { what: 'JSON' });
  if (!/^\s*#/m.test(lead) && /^(?:---\s*\n)?[\w"'-]+:(?:\s.*)?\n(?:[ \t-]|[\w"'-]+:)/.test(lead) && hasNoPart(blocks))
    return d.report.notMarkdown(at, { what: 'YAML' });
  return otherHeadings(blocks);
}

const headingsOf = ({ source, sections }: Blocks): string[] =>
  sections.map(({ heading }) => source.slice(heading.from, heading.to));

/** Whether none of the headings is one of the nine, or one of them with a mistake. */
const hasNoPart = (blocks: Blocks): boolean => {
  const names = PARTS.map(([, heading]) => heading);
  const lower = names.map((name) => name.toLowerCase());
  return !headingsOf(blocks).some((text) => nearest(text, names) !== null || lower.includes(text.toLowerCase()));
};

/** The finding about Markdown in headings of another kind of specification. */
function otherHeadings(blocks: Blocks): Finding | null {
  const [first] = blocks.sections;
  if (!first || blocks.sections.length < 2 || !hasNoPart(blocks)) return null;
  const all = headingsOf(blocks);
  const kind = KINDS.find(([, headings]) => all.some((one) => headings.test(one)))?.[0];
  const { from, to } = first.heading;
  return d.report.otherHeadings({ from, to }, { ...(kind && { kind }), found: all[0] ?? '' });
}

/** Kinds of specifications, and headings by which each is known. */
const KINDS: ReadonlyArray<readonly [kind: string, headings: RegExp]> = [
  [
    'a feature specification of Spec Kit',
    /^(?:User Scenarios|Success Criteria|Functional Requirements|Review & Acceptance)\b/,
  ],
  ['a specification of OpenSpec', /^(?:(?:ADDED|MODIFIED|REMOVED|RENAMED) Requirements|Requirements)$/],
];
