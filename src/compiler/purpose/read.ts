import { PURPOSE_BULLETS, type Purpose } from '../../language/purpose.ts';
import { readStatements } from '../../language/read.ts';
import type { Section } from '../../syntax/markdown.ts';
import { refuse } from '../../syntax/names.ts';
import type { Notes } from '../../syntax/phrase.ts';

/** Reads `## What the service does`. */
export function readPurpose(section: Section | null, notes: Notes): Purpose {
  if (section) refuse(section, { tables: true, steps: true, children: true }, 'in this part', notes.findings);
  return readStatements(section, 'purpose', PURPOSE_BULLETS, notes);
}
