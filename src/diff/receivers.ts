import type { Contract } from '../contract/contract.ts';
import { versionText } from '../plan/receiver-versions.ts';
import { BREAKS, type Difference, difference, KEEPS, SERVICE, type Verdict } from './difference.ts';

/**
 * What becomes of receivers where the versions of the document change: those that the operator has registered keep the
 * version that they were registered for, and those that are rows are told in the current one.
 */
export function receivers(old: Contract, next: Contract): Difference[] {
  // A webhook that comes or goes, or receivers of another kind, are told by themselves.
  if (!old.webhook || !next.webhook || Boolean(old.webhook.receivers) !== Boolean(next.webhook.receivers)) return [];
  return old.webhook.receivers ? rows(old, next) : registered(old, next);
}

const namesOf = ({ versions }: Contract): string[] => versions.map(({ name }) => name ?? '');

function receiverDifference(
  version: string,
  old: Contract,
  next: Contract,
  text: string,
  verdict: Verdict,
): Difference {
  const linesOf = ({ versions, versioning }: Contract) =>
    versions.find(({ name }) => (name ?? '') === version)?.lines ?? versioning?.lines ?? [];
  return difference({ ...SERVICE, of: 'receivers', lines: [linesOf(old), linesOf(next)] }, text, verdict);
}

function registered(old: Contract, next: Contract): Difference[] {
  const known = namesOf(next);
  const [[was = ''], [is = '']] = [namesOf(old), known];
  return namesOf(old).flatMap((version) => {
    const who = `those that were registered for ${versionText(version)}`;
    if (!known.includes(version)) {
      const mend = `\`receivers FILE change --waiting --version ${is || 'none'}\``;
      const text = `${who} wait, since it is not described any more, until ${mend}`;
      return [receiverDifference(version, old, next, text, BREAKS.untold)];
    }
    if (version === was && was !== is)
      return [receiverDifference(version, old, next, `${who} are told in its names as before`, KEEPS.known)];
    return [];
  });
}

/** The names that the old document's current version has in the new one say whether payloads become others by it. */
function rows(old: Contract, next: Contract): Difference[] {
  const [[was = ''], [is = '']] = [namesOf(old), namesOf(next)];
  if (was === is) return [];
  const renamed = next.versions.find(({ name }) => name === was)?.renamed ?? [];
  const text = `those that are rows are told in ${versionText(is)}, and were told in ${versionText(was)}`;
  return [receiverDifference(was, old, next, text, renamed.length > 0 ? BREAKS.missing : KEEPS.known)];
}
