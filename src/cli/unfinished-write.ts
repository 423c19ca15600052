import { lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The names that `writeWhole` gives its temporary files. */
const TEMPORARY = /\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.part$/;

/**
 * Names the temporary file of a write in a file of the data directory until the write has ended. A process that is killed
 * in between leaves both, and the next one removes them: the name is known, so that no file of somebody else is removed.
 */
export class UnfinishedWrite {
  private readonly note: string;

  constructor(folder: string) {
    this.note = join(folder, 'unfinished-write');
  }

  /** Names the temporary file that is created next. */
  readonly begin = (path: string): void => {
    this.tried(() => {
      mkdirSync(dirname(this.note), { recursive: true });
      writeFileSync(this.note, resolve(path));
    });
  };

  /** Removes the temporary file of a write that was killed. */
  end(): void {
    this.tried(() => {
      const path = readFileSync(this.note, 'utf8');
      if (TEMPORARY.test(path) && lstatSync(path, { throwIfNoEntry: false })?.isFile()) rmSync(path, { force: true });
      rmSync(this.note, { force: true });
    });
  }

  /** A document is written whether or not its temporary file can be named. */
  private tried(work: () => void): void {
    try {
      work();
    } catch {
      // There is no note, or the folder cannot be written.
    }
  }
}
