import type { Contract } from '../contract/contract.ts';
import { versionText } from '../plan/receiver-versions.ts';
import { BREAKS, type Difference, difference, KEEPS, SERVICE, type Verdict } from './difference.ts';

/**
 * The effect of changed versions on receivers. Registered receivers keep the version of their registration. Rows that
 * are receivers get payloads in the current version.
 */
export function receivers(old: Contract, next: Contract): Difference[] {
  // An added or removed webhook, or another kind of receivers, is reported by the comparison of webhooks.
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

/** Payloads change if fields have other names in the old current version than in the new one. */
function rows(old: Contract, next: Contract): Difference[] {
  const [[was = ''], [is = '']] = [namesOf(old), namesOf(next)];
  if (was === is) return [];
  const renamed = next.versions.find(({ name }) => name === was)?.renamed ?? [];
  const text = `those that are rows are told in ${versionText(is)}, and were told in ${versionText(was)}`;
  return [receiverDifference(was, old, next, text, renamed.length > 0 ? BREAKS.missing : KEEPS.known)];
}
