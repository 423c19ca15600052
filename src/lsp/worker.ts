import { parentPort } from 'node:worker_threads';
import { Analyses, type Feature, RenameError, type Where } from './analyses.ts';

/** A message of the server to the worker: a text that changed or was closed, or a question with its number. */
export type ToWorker =
  | { readonly do: 'change'; readonly uri: string; readonly text: string }
  | { readonly do: 'close'; readonly uri: string }
  | { readonly do: 'ask'; readonly id: number; readonly feature: Feature; readonly uri: string; readonly where: Where };

/** The answer to a question by its number, or why there is none. */
export type FromWorker =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly problem: string; readonly refused: boolean };

const analyses = new Analyses();

parentPort?.on('message', (message: ToWorker) => {
  if (message.do === 'change') analyses.change(message.uri, message.text);
  else if (message.do === 'close') analyses.close(message.uri);
  else parentPort?.postMessage(answer(message));
});

function answer({ id, feature, uri, where }: Extract<ToWorker, { do: 'ask' }>): FromWorker {
  try {
    return { id, result: analyses.ask(feature, uri, where) };
  } catch (error) {
    return { id, problem: (error as Error).message, refused: error instanceof RenameError };
  }
}
