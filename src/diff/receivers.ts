import { describedVersions, versionText } from '../parts/events/stranded.ts';
import type { Plan } from '../plan/step.ts';
import { type Difference, difference } from './compare.ts';

/**
 * What becomes of receivers where the versions of the document change: those that the operator has registered keep the
 * version that they were registered for, and those that are rows are told in the current one.
 */
export function receivers(old: Plan, next: Plan): Difference[] {
  // A webhook that comes or goes, or receivers of another kind, are told by themselves.
  if (!old.webhook || !next.webhook || Boolean(old.webhook.receivers) !== Boolean(next.webhook.receivers)) return [];
  return old.webhook.receivers ? rows(old, next) : registered(old, next);
}

const currentOf = ({ versions }: Plan): string => versions?.current ?? '';

function registered(old: Plan, next: Plan): Difference[] {
  const known = describedVersions(next);
  const [was, is] = [currentOf(old), currentOf(next)];
  return describedVersions(old).flatMap((version) => {
    const who = `receivers that were registered for ${versionText(version)}`;
    if (!known.includes(version)) {
      const mend = `\`receivers FILE change --waiting --version ${is || 'none'}\``;
      return [difference('versions', `${who} wait, since it is not described any more, until ${mend}`, true)];
    }
    if (version === was && was !== is) return [difference('versions', `${who} are told in its names as before`, false)];
    return [];
  });
}

/** The names that the old document's current version has in the new one say whether payloads become others by it. */
function rows(old: Plan, next: Plan): Difference[] {
  const [was, is] = [currentOf(old), currentOf(next)];
  if (was === is) return [];
  const names = next.versions?.older.find(({ name }) => name === was)?.names ?? {};
  const text = `receivers that are rows are told in ${versionText(is)}, and were told in ${versionText(was)}`;
  return [difference('versions', text, Object.keys(names).length > 0)];
}
