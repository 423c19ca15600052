import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { DocumentEditing, EditGiven, EditOptions } from '../console/editing.ts';
import { ConsoleError } from '../console/problem.ts';
import type { EditAnswer, Preview, SavedAnswer } from '../console/protocol.ts';
import { TextAnalyses } from '../lsp/text-analyses.ts';
import type { Plan } from '../plan/step.ts';
import { MigrationTrial, type PreviewRequest } from './preview.ts';
import { joined, type Reloading } from './reloading.ts';
import { entityTagOf, type FileContent, ReadError, readContent, rewritten, withLf, writeContent } from './text-file.ts';
import { UnfinishedWrite } from './unfinished-write.ts';
import { WriteError } from './write-whole.ts';

/** The most characters of a document that can be edited in the console. */
const MOST_CHARACTERS = 2_000_000;

const CHANGED =
  'The file has been changed by somebody else since you opened it. Nothing was written: your text is still here, and the other one is in the file.';

/** Edits of the served document's file, which operators make in the console. The path is that of the command line. */
export class Editing implements DocumentEditing {
  readonly analyses: TextAnalyses;
  private readonly file: string;
  private readonly asked: Omit<PreviewRequest, 'plan' | 'text' | 'isAccepting'>;
  private readonly served: () => string;
  private readonly trial = new MigrationTrial();
  private readonly unfinished: UnfinishedWrite;
  private server: Pick<Reloading, 'serve'> | null = null;

  /** `asked`: the options of a preview; `served`: the text of the served document. */
  constructor(file: string, asked: Omit<PreviewRequest, 'plan' | 'text' | 'isAccepting'>, served: () => string) {
    this.file = file;
    this.asked = asked;
    this.served = served;
    this.analyses = new TextAnalyses(basename(file));
    this.unfinished = new UnfinishedWrite(asked.place.data);
  }

  /** Sets what serves saved documents. The service runs then, and no other process has its data directory. */
  follow(server: Pick<Reloading, 'serve'>): void {
    this.server = server;
    this.unfinished.end();
  }

  read(): EditAnswer {
    const content = this.content();
    const text = withLf(content.raw);
    return {
      name: this.file,
      text,
      etag: entityTagOf(content),
      readOnly: readOnlyReason(this.file, text),
      isServed: text === withLf(this.served()),
    };
  }

  /** Between the comparison of the tags and the rename, this process does nothing else. */
  async save(text: string, etag: string, given: EditGiven): Promise<SavedAnswer> {
    if (!text.isWellFormed()) throw new ConsoleError('wrong use', 'The text has half of a surrogate pair.');
    const before = this.content();
    if (entityTagOf(before) !== etag) throw new ConsoleError('changed', CHANGED);
    const readOnly = readOnlyReason(this.file, text);
    if (readOnly !== null) throw new ConsoleError('refused', readOnly);
    const now = { ...before, raw: rewritten(before.raw, withLf(text)) };
    try {
      writeContent(this.file, now, this.unfinished.begin);
    } catch (error) {
      throw error instanceof WriteError ? new ConsoleError('refused', sentence(error.message)) : error;
    } finally {
      this.unfinished.end();
    }
    return this.serve(entityTagOf(now), given);
  }

  async serveAgain(etag: string, given: EditGiven): Promise<SavedAnswer> {
    if (entityTagOf(this.content()) !== etag) throw new ConsoleError('changed', CHANGED);
    return this.serve(etag, given);
  }

  get preview(): Preview | null {
    return this.trial.current;
  }

  beginPreview(text: string, answers: EditOptions, plan: Plan): void {
    this.trial.begin({ ...this.asked, answers: joined(this.asked.answers, answers), text, isAccepting: true, plan });
  }

  end(): void {
    this.trial.end();
    this.analyses.end();
  }

  private async serve(etag: string, given: EditGiven): Promise<SavedAnswer> {
    if (!this.server) throw new ConsoleError('unavailable', 'The service starts. Try again in a moment.');
    return { etag, outcome: await this.server.serve(given) };
  }

  private content(): FileContent {
    try {
      return readContent(this.file);
    } catch (error) {
      throw error instanceof ReadError ? new ConsoleError('refused', sentence(error.message)) : error;
    }
  }
}

/** The reason why a file cannot be replaced; null if it can. The super-user may write everywhere, so modes count too. */
function readOnlyReason(file: string, text: string): string | null {
  if (text.length > MOST_CHARACTERS)
    return 'The document has more than 2,000,000 characters. Edit it in another editor.';
  try {
    const path = realpathSync(file);
    if ((statSync(path).mode & 0o222) === 0) return `“${file}” is read-only.`;
    accessSync(path, constants.W_OK);
    accessSync(dirname(path), constants.W_OK);
    return null;
  } catch {
    return `“${file}” can’t be written by this process, or the folder of the file can’t.`;
  }
}

/** Adds a capital letter and a full stop. */
const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;
