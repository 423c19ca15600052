import { segmentText } from '../../../text/path-segment.ts';
import { shortIdentity } from '../parts/words.ts';

/** A change, for a table of changes. */
interface ActWords {
  readonly verb: string;
  /** The changed thing. */
  readonly of: string;
  /** The row that was changed; null where it was none, is gone, or has an identity that is not noted whole. */
  readonly row: { readonly resource: string; readonly id: string } | null;
}

/** The verbs of changes whose paths have none. */
const ADDS: Readonly<Record<string, string>> = { rows: 'add', keys: 'issue', receivers: 'register' };

/** The nouns of the things that changes of a view change. */
const NOUNS: Readonly<Record<string, string>> = {
  keys: 'key',
  receivers: 'receiver',
  deliveries: 'event',
  edit: 'document',
  try: 'request',
};

/** The words of a change that was noted, such as `/rows/Order/ID/move place`. */
export function actOf(what: string): ActWords {
  const [path = '', ...about] = what.split(' ');
  const [view = '', ...parts] = path.split('/').slice(1).map(segmentText);
  if (view === 'rows') return rowAct(parts, about, what.includes('…'));
  const verb = parts.pop() ?? ADDS[view] ?? view;
  return { verb, of: [NOUNS[view] ?? view, ...parts, ...about].join(' '), row: null };
}

function rowAct([resource = '', changed, did]: readonly string[], about: readonly string[], isCut: boolean): ActWords {
  // The identity of a row that was added comes after the path; a refused one has none.
  const id = changed ?? (about.length > 0 ? about.join(' ') : undefined);
  const verb = did === undefined ? 'add' : [did, ...about].join(' ');
  if (id === undefined) return { verb, of: resource, row: null };
  return { verb, of: `${resource} ${shortIdentity(id)}`, row: did === 'remove' || isCut ? null : { resource, id } };
}
