import type { RatePer } from './limits.ts';
import type { BeforeStep } from './step.ts';

/**
 * The order of the steps before the transaction, with reasons. Parts add their steps in any order: this list alone
 * decides. It follows the stages in which the language checks a request for the conditions of errors.
 */
const BEFORE: ReadonlyArray<{ readonly do: BeforeStep['do']; readonly why: string }> = [
  { do: 'limit', why: 'an address is counted before anything is done for it; a caller as soon as it is known' },
  { do: 'authenticate', why: 'who asks decides what may be asked, so nothing of the request is looked at before' },
  { do: 'require scope', why: 'what a caller may not do is refused before the request is read' },
  { do: 'choose version', why: 'the names in parameters, body and answer are those of the version' },
  { do: 'check sunset', why: 'what is no longer there is said before anything of the request is judged' },
  { do: 'negotiate', why: 'an answer that cannot be accepted is not worked for' },
  { do: 'read body', why: 'its size and media type are checked before it is parsed' },
  { do: 'refuse body', why: 'a body that nothing reads would be accepted and ignored' },
  { do: 'read parameters', why: 'parameters and body are validated together, so that one answer lists all faults' },
  { do: 'validate body', why: 'only values that are allowed reach the steps' },
  { do: 'read page', why: 'the page is asked for by parameters that have been read' },
  { do: 'claim key', why: 'the validated body decides whether a request is the same as an earlier one' },
];

/** The properties of the three stages, which explain their order: only `inside` has a transaction. */
export const STAGES: Readonly<Record<'before' | 'inside' | 'after', string>> = {
  before: 'reads nothing and writes nothing of the service’s rows, but for the caller’s own',
  inside: 'one serializable transaction, with one now()',
  after: 'the answer is sent once the change is durable',
};

/**
 * Puts the steps before the transaction in order. Rates per caller, and of requests without one, follow the
 * authentication.
 */
export function orderBefore(steps: readonly BeforeStep[], rates: readonly { per: RatePer }[]): BeforeStep[] {
  const rank = (step: BeforeStep): number => {
    const place = BEFORE.findIndex((one) => one.do === step.do);
    if (step.do !== 'limit' || rates[step.rate]?.per === 'address') return place;
    return BEFORE.findIndex((one) => one.do === 'authenticate') + 0.5;
  };
  return steps
    .map((step, i) => ({ step, i }))
    .sort((a, b) => rank(a.step) - rank(b.step) || a.i - b.i)
    .map((one) => one.step);
}
