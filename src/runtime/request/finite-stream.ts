import type { Snapshot } from '../../store/store.ts';
import type { RowsAnswer } from '../endpoints/rows.ts';
import type { Answer, Outlet, Streaming } from '../http/message.ts';

/** The largest number of snapshots at once: each keeps a state of the database, and on PostgreSQL a connection. */
const MOST_AT_ONCE = 8;

/** The number of rows in the first piece, which is soon sent, and the bounds of later ones. */
const FIRST_ROWS = 20;
const MOST_ROWS = 500;
const PIECE_CHARACTERS = 64 * 1024;

/** The patience of a write after the deadline: the timer of the answer ends it first, and reports it. */
const LATER_MS = 1000;

/** Answers are sent in the order of their requests while all places are taken. */
export class Places {
  private free = MOST_AT_ONCE;
  private readonly waiting: Array<() => void> = [];

  async take(): Promise<void> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  give(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.free++;
  }
}

/** An answer that took longer than the time-out of its endpoint. */
export class BrokenOff extends Error {
  constructor() {
    super('The time-out passed before the whole body was sent, and the answer was broken off.');
  }
}

/** An answer whose whole body has been read; no body where it is null, or an endless stream. */
export interface GatheredAnswer extends Answer {
  readonly bytes: Buffer | null;
}

/** Reads the rows or the bytes of an answer into its body, for clients in this process. `body` is the bytes as UTF-8. */
export async function gathered(answer: Answer): Promise<GatheredAnswer> {
  const { stream, ...rest } = answer;
  if (!stream?.finite) return { ...answer, bytes: answer.body === null ? null : Buffer.from(answer.body) };
  const pieces: Buffer[] = [];
  const write = async (piece: string | Buffer): Promise<boolean> => {
    pieces.push(Buffer.from(piece));
    return true;
  };
  await stream.run({ write, gone: new Promise(() => {}) });
  const bytes = Buffer.concat(pieces);
  return { ...rest, body: bytes.toString(), bytes };
}

/**
 * Returns an answer that sends the rows of a snapshot. At the deadline, and where the rows cannot be read to their end,
 * `run` rejects, and the client learns that the body is incomplete. `ended` is called once, in every case.
 */
export function rowStream(snapshot: Snapshot<RowsAnswer>, deadline: number, ended: () => void): Answer {
  const { rows, ...answer } = snapshot.value;
  const end = (): void => {
    snapshot.close();
    ended();
  };
  const send = async (out: Outlet): Promise<void> => {
    let text = rows.head;
    for (let most = FIRST_ROWS; ; ) {
      const next = await snapshot.next(most);
      for (const row of next) text += rows.write(row);
      if (text !== '' && !(await out.write(text, deadline + LATER_MS - Date.now()))) return;
      if (next.length === 0) return;
      most = Math.max(1, Math.min(MOST_ROWS, Math.ceil((PIECE_CHARACTERS * next.length) / Math.max(1, text.length))));
      text = '';
    }
  };
  return { ...answer, stream: sentUntil(deadline, send, end) };
}

/** Returns an answer that sends the bytes of a file, in the same way. */
export function fileStream(
  { file: _, ...answer }: Answer,
  pieces: AsyncIterable<Buffer>,
  deadline: number,
  ended: () => void,
): Answer {
  const send = async (out: Outlet): Promise<void> => {
    for await (const piece of pieces) if (!(await out.write(piece, deadline + LATER_MS - Date.now()))) return;
  };
  return { ...answer, stream: sentUntil(deadline, send, ended) };
}

/** A body that `send` writes until a deadline, after which its connection is reset. */
function sentUntil(deadline: number, send: (out: Outlet) => Promise<void>, ended: () => void): Streaming {
  let over = false;
  const end = (): void => {
    if (over) return;
    over = true;
    ended();
  };
  return {
    finite: true,
    drop: end,
    run: async (out) => {
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        out.breakOff?.();
        end();
      }, deadline - Date.now());
      try {
        await send(out);
      } catch (error) {
        if (!late) throw error;
      } finally {
        clearTimeout(timer);
        end();
      }
      if (late) throw new BrokenOff();
    },
  };
}
