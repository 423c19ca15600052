import { PARTS, type PartName } from '../../plan/parts.ts';
import type { Blocks, Section } from '../../syntax/markdown.ts';
import { language } from '../../syntax/messages.ts';
import { type Notes, Phrase } from '../../syntax/phrase.ts';
import { LineIndex, type Span } from '../../syntax/span.ts';
import { readAuthentication } from '../authentication/read.ts';
import { readEndpoints } from '../endpoints/read.ts';
import { readErrors } from '../errors/read.ts';
import { readEvents } from '../events/read.ts';
import { readLimits } from '../limits/read.ts';
import { readPurpose } from '../purpose/read.ts';
import { readResources } from '../resources/read.ts';
import type { Model, Paragraphs } from '../statements/model.ts';
import { readStates } from '../states/read.ts';
import { readVersioning } from '../versioning/read.ts';
import { readSentences } from './absence-sentences.ts';
import { unfolded } from './dotted-names.ts';
import { checkMisplaced } from './misplaced.ts';

/** Reads the blocks of a document into the model. Never throws: what it can't read is in the findings. */
export function readModel(blocks: Blocks, notes: Notes): { model: Model; parts: Map<PartName, Span> } {
  const sections = new Map<PartName, Section>();
  for (const section of blocks.sections) {
    const known = readPartHeading(section, notes);
    if (!known) continue;
    const [part, heading] = known;
    if (sections.has(part))
      notes.findings.push(language.report.twice(section.heading, { what: `The part “${heading}”` }));
    else sections.set(part, section);
  }
  const at = (part: PartName): Section | null => sections.get(part) ?? null;
  const { title, source } = blocks;
  if (title) notes.marks.push({ from: title.from, to: title.to, role: 'free' });
  const named =
    title && title.from < title.to
      ? { text: source.slice(title.from, title.to), from: title.from, to: title.to }
      : null;
  const model: Model = {
    lines: new LineIndex(source),
    title: named,
    purpose: readPurpose(at('purpose'), notes),
    resources: readResources(at('resources'), notes),
    states: readStates(at('states'), notes),
    endpoints: readEndpoints(at('endpoints'), notes),
    authentication: readAuthentication(at('authentication'), notes),
    events: readEvents(at('events'), notes),
    errors: readErrors(at('errors'), notes),
    limits: readLimits(at('limits'), notes),
    versioning: readVersioning(at('versioning'), notes),
    prose: readProse(blocks),
    absences: [...sections].flatMap(([part, section]) => readSentences(part, section, notes)),
  };
  checkMisplaced(blocks, model.absences, notes);
  return {
    model: unfolded(model, notes),
    parts: new Map([...sections].map(([part, section]) => [part, section.heading])),
  };
}

function readPartHeading(section: Section, notes: Notes): (typeof PARTS)[number] | null {
  if (section.level !== 2) {
    notes.findings.push(
      language.report.unexpected(section.heading, { what: 'This heading', where: 'before the first part' }),
    );
    return null;
  }
  const phrase = new Phrase(section.heading, notes);
  const name = phrase.choose(PARTS.map(([, heading]) => heading));
  if (!phrase.end() || !name) return null;
  return PARTS.find(([, heading]) => heading === name) ?? null;
}

/** The prose below each heading: it is for people, and nothing that runs depends on it. */
function readProse({ sections }: Blocks): Paragraphs[] {
  const below = ({ heading, paragraphs, children }: Section): Paragraphs[] => {
    const [first] = paragraphs;
    const last = paragraphs.at(-1);
    const text = paragraphs.map(({ source, from, to }) => source.slice(from, to)).join('\n\n');
    const all = first && last ? [{ heading, text, span: { from: first.from, to: last.to } }] : [];
    return [...all, ...children.flatMap(below)];
  };
  return sections.flatMap(below);
}
