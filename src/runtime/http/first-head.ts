import type { Socket } from 'node:net';

/**
 * The members of Node's HTTP parser that are used here. The parser reads its socket directly, without the `data` event.
 */
interface Parser {
  /** The bytes that are being parsed; available while a callback of the parser runs. */
  getCurrentBuffer?(): Buffer | undefined;
  /** Called after each piece has been parsed. */
  [ON_EXECUTE]?: ((result: unknown) => void) | undefined;
}

/** The callback's number, `HTTPParser.kOnExecute`, which Node doesn't export. */
const ON_EXECUTE = 5;

/** Collects the bytes of a connection's first head, in any number of pieces, since Node doesn't keep them. */
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

  /** Returns all bytes of the head while its last piece is being parsed; null where they are not available. */
  bytes(): Buffer | null {
    const last = this.parser?.getCurrentBuffer?.();
    return last ? Buffer.concat([...this.pieces, last]) : null;
  }

  /** Ends the collection once the head is complete. */
  end(): void {
    if (this.parser && this.onExecute) this.parser[ON_EXECUTE] = this.onExecute;
  }
}
