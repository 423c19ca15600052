import type { Socket } from 'node:net';

/** The two members of Node's HTTP parser that are used here. The parser reads a socket by itself, past its `data` event. */
interface Parser {
  /** The bytes that are being read, while a callback of the parser runs. */
  getCurrentBuffer?(): Buffer | undefined;
  /** Called with each piece once it has been read. */
  [ON_EXECUTE]?: ((result: unknown) => void) | undefined;
}

/** The callback's number, `HTTPParser.kOnExecute`, which Node exports nowhere. */
const ON_EXECUTE = 5;

/** The bytes of the first head of a connection, in however many pieces they come: Node keeps none of them. */
export class FirstHead {
  private readonly pieces: Buffer[] = [];
  private readonly parser: Parser | undefined;
  private readonly onExecute: ((result: unknown) => void) | undefined;

  constructor(socket: Socket) {
    const { parser } = socket as { readonly parser?: Parser };
    this.parser = parser;
    this.onExecute = parser?.[ON_EXECUTE];
    const { onExecute } = this;
    if (!parser || !onExecute) return;
    parser[ON_EXECUTE] = (result) => {
      const piece = parser.getCurrentBuffer?.();
      if (piece) this.pieces.push(piece);
      return onExecute(result);
    };
  }

  /** All bytes of the head, while its last piece is being read; null where they can't be had. */
  bytes(): Buffer | null {
    const last = this.parser?.getCurrentBuffer?.();
    return last ? Buffer.concat([...this.pieces, last]) : null;
  }

  /** Called once the head is whole: nothing that comes after it is kept. */
  end(): void {
    if (this.parser && this.onExecute) this.parser[ON_EXECUTE] = this.onExecute;
  }
}
