import { parse } from './numbers.ts';
import { ConnectionError } from './result.ts';

/** The rows of an answer, one after the other. Throws a `ConnectionError` where the answer is cut off. */
export async function* rowsOf<Row>(response: Response): AsyncGenerator<Row> {
  const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      text += decoder.decode(value, { stream: !done });
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      // #if exact
      for (const line of lines) yield parse(line) as Row;
      // #else
      // for (const line of lines) yield JSON.parse(line) as Row;
      // #end
      if (done) break;
    }
  } catch (error) {
    throw new ConnectionError('The answer was cut off before its last row', 1, undefined, error);
  } finally {
    // A caller may stop before the last row.
    reader.cancel().catch(() => {});
  }
}
