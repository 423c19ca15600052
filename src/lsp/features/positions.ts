import type { Position, Range } from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { Edit } from '../../compiler/edits/sites.ts';
import type { Span } from '../../syntax/span.ts';

/** The places of one text, as offsets and as positions of the protocol: lines and UTF-16 units from 0. */
export class Positions {
  readonly text: string;
  private readonly document: TextDocument;

  constructor(text: string) {
    this.text = text;
    this.document = TextDocument.create('', 'markdown', 0, text);
  }

  offset(position: Position): number {
    return this.document.offsetAt(position);
  }

  range({ from, to }: Span): Range {
    return { start: this.document.positionAt(from), end: this.document.positionAt(to) };
  }

  edit({ from, to, text }: Edit): { readonly range: Range; readonly newText: string } {
    return { range: this.range({ from, to }), newText: text };
  }
}
