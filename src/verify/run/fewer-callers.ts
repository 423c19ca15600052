import type { ReplayableRequest } from '../session/replayable.ts';
import { Symbols } from '../session/symbols.ts';

/** A header with a caller's credentials, with symbolic keys in the place of values. */
type Header = readonly [name: string, value: string];

/**
 * Replaces one caller's credentials by another's, one such replacement at a time. Earlier callers are preferred, since
 * the requests that create them come first. A row that another caller could have created needs no caller of its own.
 */
export function* withFewerCallers(acts: readonly ReplayableRequest[]): Generator<ReplayableRequest[]> {
  const used = new Map<string, Header>();
  for (const { template } of acts)
    for (const header of template.headers) if (isCredentials(header)) used.set(header[1], header);
  const all = [...used.values()];
  for (const given of all.toReversed())
    for (const other of all)
      if (given !== other && given[0].toLowerCase() === other[0].toLowerCase())
        yield acts.map((act) => {
          const { template } = act;
          const headers = template.headers.map((one) => (one[1] === given[1] ? other : one));
          return { ...act, template: { ...template, headers } };
        });
}

const isCredentials = ([, value]: Header): boolean => Symbols.keysIn(value).some((key) => key.startsWith('credential'));
