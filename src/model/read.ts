import { readAuthentication } from '../parts/authentication/read.ts';
import { readEndpoints } from '../parts/endpoints/read.ts';
import { readErrors } from '../parts/errors/read.ts';
import { readEvents } from '../parts/events/read.ts';
import { readLimits } from '../parts/limits/read.ts';
import { readPurpose } from '../parts/purpose/read.ts';
import { readResources } from '../parts/resources/read.ts';
import { readStates } from '../parts/states/read.ts';
import { readVersioning } from '../parts/versioning/read.ts';
import { language } from '../source/language.ts';
import type { Blocks, Section } from '../source/markdown.ts';
import { type Notes, Phrase } from '../source/phrase.ts';
import type { Span } from '../source/span.ts';
import type { Model } from './model.ts';
import { unfolded } from './nested.ts';
import { PARTS, type PartName } from './parts.ts';
import { readSentences } from './sentences.ts';

/** Reads the blocks of a document into the model. Never throws: what it can't read is in the findings. */
export function readModel(blocks: Blocks, notes: Notes): { model: Model; parts: Map<PartName, Span> } {
  const sections = new Map<PartName, Section>();
  for (const section of blocks.sections) {
    const part = readPartHeading(section, notes);
    if (!part) continue;
    if (sections.has(part)) {
      const what = `The part “${PARTS.find(([name]) => name === part)![1]}”`;
      notes.findings.push(language.report.twice(section.heading, { what }));
    } else sections.set(part, section);
  }
  const at = (part: PartName): Section | null => sections.get(part) ?? null;
  const { title, source } = blocks;
  if (title) notes.marks.push({ from: title.from, to: title.to, role: 'free' });
  const named =
    title && title.from < title.to
      ? { text: source.slice(title.from, title.to), from: title.from, to: title.to }
      : null;
  const model: Model = {
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
    sayings: [...sections].flatMap(([part, section]) => readSentences(part, section, notes)),
  };
  return {
    model: unfolded(model, notes),
    parts: new Map([...sections].map(([part, section]) => [part, section.heading])),
  };
}

function readPartHeading(section: Section, notes: Notes): PartName | null {
  if (section.level !== 2) {
    notes.findings.push(
      language.report.unexpected(section.heading, { what: 'This heading', where: 'before the first part' }),
    );
    return null;
  }
  const phrase = new Phrase(section.heading, notes);
  const name = phrase.choose(PARTS.map(([, heading]) => heading));
  if (!phrase.end() || !name) return null;
  return PARTS.find(([, heading]) => heading === name)![0];
}
