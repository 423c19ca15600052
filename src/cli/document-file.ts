import { type Compiled, compile } from '../compiler/compile.ts';
import type { Edit } from '../compiler/edits/sites.ts';
import { edited, type FileContent, readContent, withLf, writeContent } from './text-file.ts';

/**
 * A document in its file, with edits that are written at once. The document is compiled with LF at the end of each line
 * and without a byte order mark; the file keeps its line ends and its mark.
 */
export class DocumentFile {
  private readonly path: string;
  private content: FileContent;
  compiled: Compiled;

  /** `name`: how messages call the file, if not by its path. Throws `ReadError`. */
  constructor(path: string, name = path) {
    this.path = path;
    this.content = readContent(path);
    this.compiled = compile(name, withLf(this.content.raw));
  }

  /** Reads the file again, and returns whether it has changed. Throws `ReadError`. */
  refresh(): boolean {
    const now = readContent(this.path);
    if (now.raw === this.content.raw && now.isMarked === this.content.isMarked) return false;
    this.content = now;
    this.compiled = compile(this.compiled.name, withLf(now.raw));
    return true;
  }

  /** Writes an edit of the compiled text, of which `compiled` is the result. Returns the undo. Throws `WriteError`. */
  write(edit: Edit, compiled: Compiled): Undo {
    const before = { raw: this.content.raw, compiled: this.compiled };
    const raw = edited(this.content.raw, edit);
    this.replace(raw, compiled);
    return () => {
      if (this.content.raw !== raw) return false;
      this.replace(before.raw, before.compiled);
      return true;
    };
  }

  /** Writes edits, each of the text that the one before leaves. `compiled` is the result of all. Throws `WriteError`. */
  writeAll(edits: readonly Edit[], compiled: Compiled): void {
    this.replace(edits.reduce(edited, this.content.raw), compiled);
  }

  private replace(raw: string, compiled: Compiled): void {
    const now = { ...this.content, raw };
    writeContent(this.path, now);
    this.content = now;
    this.compiled = compiled;
  }
}

/** Takes an edit back; false where the document has changed since, and is left unchanged. */
export type Undo = () => boolean;
