import type { Completion, CompletionsAnswer, HoverAnswer, TextPlace } from '../../protocol.ts';
import { post } from '../app/api.ts';

/** The words and names that a place allows; none where the service does not answer. */
export const completionsAt = async (text: string, at: TextPlace, signal: AbortSignal): Promise<readonly Completion[]> =>
  post<CompletionsAnswer>('/edit/completions', { text, ...at }, {}, signal).then(
    ({ completions }) => completions,
    () => [],
  );

/** The explanation of a place; null where there is none. */
export const explanationAt = async (text: string, at: TextPlace): Promise<string | null> =>
  post<HoverAnswer>('/edit/hover', { text, ...at }).then(
    (answer) => answer.text,
    () => null,
  );
