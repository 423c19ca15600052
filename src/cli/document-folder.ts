import { realpathSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { DocumentFile } from './document-file.ts';
import { emptyForm } from './init.ts';
import type { Documents, OpenDocument } from './mcp/host.ts';
import { Refusal } from './mcp/refusal.ts';
import { ReadError } from './text-file.ts';
import { WriteError } from './write-whole.ts';

/** The files of one folder, and of the folders in it. No path and no link leads a call out of it. */
export class DocumentFolder implements Documents {
  private readonly root: string;

  constructor(root: string) {
    this.root = realpathSync(root);
  }

  open(file: string): OpenDocument {
    const path = this.existing(file, DOCUMENT);
    // The reasons name the file as the call did.
    const refusing = <T>(work: () => T): T => {
      try {
        return work();
      } catch (error) {
        if (!(error instanceof ReadError || error instanceof WriteError)) throw error;
        throw new Refusal(capital(error.message.replaceAll(path, file)));
      }
    };
    const document = refusing(() => new DocumentFile(path, file));
    return {
      compiled: document.compiled,
      write: (edit, after) =>
        refusing(() => {
          if (document.refresh()) throw new Refusal(`“${file}” has changed meanwhile. Nothing was written.`);
          document.write(edit, after);
        }),
    };
  }

  begin(file: string): void {
    const wanted = resolve(this.root, file);
    mustEnd(file, DOCUMENT);
    const folder = this.real(dirname(wanted));
    if (folder === null || !this.isBelow(folder))
      throw new Refusal(this.isBelow(wanted) ? `There is no folder for “${file}”.` : outside(file));
    try {
      // “wx” refuses in the same call that creates, also where a link stands.
      writeFileSync(join(folder, basename(wanted)), emptyForm(), { flag: 'wx' });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') throw new Refusal(`“${file}” exists already, and has not been changed.`);
      throw new Refusal(`“${file}” cannot be written (${code}).`);
    }
  }

  jsonPath(file: string): string {
    return this.existing(file, /\.json$/i);
  }

  /** The real path of a file in the folder. */
  private existing(file: string, ending: RegExp): string {
    const wanted = resolve(this.root, file);
    const path = this.real(wanted);
    if (path === null && this.isBelow(wanted)) {
      mustEnd(file, ending);
      throw new Refusal(`There is no file “${file}”. apply with begin: true writes the empty form of a document.`);
    }
    if (path === null || !this.isBelow(path)) throw new Refusal(outside(file));
    mustEnd(file, ending);
    if (!ending.test(path)) throw new Refusal(`“${file}” is a link to a file of another kind.`);
    // Opening a pipe would wait for a writer.
    if (!statSync(path).isFile()) throw new Refusal(`“${file}” is not a file.`);
    return path;
  }

  private real(path: string): string | null {
    try {
      return realpathSync(path);
    } catch {
      return null;
    }
  }

  private isBelow(path: string): boolean {
    const way = relative(this.root, path);
    return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  }
}

/** Documents are Markdown: no tool can show or replace another file, such as one with secrets. */
const DOCUMENT = /\.(?:md|markdown)$/i;

function mustEnd(file: string, ending: RegExp): void {
  if (ending.test(file)) return;
  throw new Refusal(
    ending === DOCUMENT
      ? `“${file}” is not a document: the name of a document ends in .md.`
      : `“${file}” is not a JSON file.`,
  );
}

const outside = (file: string): string =>
  `“${file}” is outside of the folder of this server. Name a file by its path in that folder, such as service.md.`;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
