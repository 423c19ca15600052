import { acts, jsonOf, jsonText } from '../text/visible.ts';
import { Refusal } from './context/refusal.ts';

export type Level = 'debug' | 'info' | 'warn' | 'error';

/** Fields of a log line; undefined ones are left out. */
type Fields = Readonly<Record<string, unknown>>;

/**
 * Fields, or a function that returns them, called only where the level is logged: as an object, or as the members of a
 * JSON object.
 */
type Said = Fields | (() => Fields | string);

/** Logs an event. Callers pass names, counts and times; never a key, a secret, or a value of a request. */
export type Log = (level: Level, event: string, said?: Said) => void;

/** The event that may occur tens of thousands of times a second. */
export const REQUEST = 'request';

/** The longest time for which a request's line is buffered, in milliseconds, and the size of the buffer in bytes. */
const HELD_MS = 50;
const MOST_HELD = 32_768;
/** The most lines that are buffered as text: encoding each line by itself takes twice as long. */
const MOST_AS_TEXT = 32;
/** The most UTF-8 bytes of one UTF-16 code unit. */
const MOST_BYTES = 3;

/**
 * Returns a log that writes text for people, or JSON lines. `level` is the lowest level that is written. Warnings and
 * errors are written at once. Other lines of a turn of the event loop are written together, at its end, and those of
 * requests up to 50 ms later: a system call for each would cost more than the line itself. Lines keep their order.
 */
export function createLog(stream: NodeJS.WritableStream, options: { text: boolean; level: Level }): Log {
  const lines = new Lines(stream);
  const when = (level: Level, event: string): Written =>
    isTrouble(level) ? 'now' : event === REQUEST ? 'soon' : 'turn';
  const rank = LEVELS.indexOf(options.level);
  if (options.text) {
    return (level, event, said = {}) => {
      if (LEVELS.indexOf(level) < rank) return;
      const fields = fieldsOf(said);
      const told = typeof fields === 'string' ? (JSON.parse(`{${fields}}`) as Fields) : fields;
      const rest = Object.entries(told).flatMap(([key, value]) =>
        value === undefined ? [] : `${key}=${typeof value === 'string' && !acts(value) ? value : jsonText(value)}`,
      );
      lines.add(`${new Date().toISOString()} ${level.padEnd(5)} ${[event, ...rest].join(' ')}\n`, when(level, event));
    };
  }
  const opening = new Opening();
  return (level, event, said = {}) => {
    if (LEVELS.indexOf(level) < rank) return;
    lines.add(jsonLine(opening.now(level), event, fieldsOf(said)), when(level, event));
  };
}

/** The beginning of JSON lines, which is equal for thousands of lines in a second. */
class Opening {
  private at = 0;
  private level: Level | null = null;
  private text = '';

  /** Returns the beginning of a line that is written now. */
  now(level: Level): string {
    const at = Date.now();
    if (at !== this.at || level !== this.level)
      this.text = `{"level":"${level}","time":"${new Date(at).toISOString()}",`;
    this.at = at;
    this.level = level;
    return this.text;
  }
}

function jsonLine(opening: string, event: string, fields: Fields | string): string {
  const members = typeof fields === 'string' ? `${fields},` : membersOf(fields);
  return `${opening}${members}"event":"${event}"}\n`;
}

function membersOf(fields: Fields): string {
  let members = '';
  for (const [key, value] of Object.entries(fields))
    if (value !== undefined) members += `"${key}":${typeof value === 'string' ? jsonOf(value) : jsonText(value)},`;
  return members;
}

const fieldsOf = (said: Said): Fields | string => (typeof said === 'function' ? said() : said);

/** When a line is written: at once, at the end of the turn, or within `HELD_MS`. */
type Written = 'now' | 'turn' | 'soon';

const isTrouble = (level: Level): boolean => level === 'warn' || level === 'error';

/**
 * Lines that wait to be written to a stream. All but the last few are bytes: as text, they would keep thousands of
 * objects alive through the next garbage collection. The process writes the rest as it ends.
 */
class Lines {
  private readonly stream: NodeJS.WritableStream;
  private readonly written = (): void => this.write();
  private readonly held = Buffer.allocUnsafe(MOST_HELD);
  private size = 0;
  /** Text that follows the bytes. */
  private text = '';
  private lines = 0;
  private soon: NodeJS.Timeout | null = null;
  /** Whether the lines are written at the end of this turn. */
  private turn = false;

  constructor(stream: NodeJS.WritableStream) {
    this.stream = stream;
  }

  add(line: string, when: Written): void {
    const most = line.length * MOST_BYTES;
    if (most > MOST_HELD - this.size - this.text.length * MOST_BYTES) this.write();
    if (most > MOST_HELD) {
      this.stream.write(line);
      return;
    }
    if (this.size === 0 && this.lines === 0) process.once('exit', this.written);
    this.text += line;
    if (++this.lines === MOST_AS_TEXT) this.pack();
    if (when === 'now') this.write();
    else if (when === 'soon') this.soon ??= setTimeout(this.written, HELD_MS).unref();
    else if (!this.turn) {
      this.turn = true;
      setImmediate(this.written);
    }
  }

  write(): void {
    if (this.soon) clearTimeout(this.soon);
    this.soon = null;
    this.turn = false;
    process.off('exit', this.written);
    this.pack();
    if (this.size === 0) return;
    // The stream may keep the buffer until later.
    this.stream.write(Buffer.from(this.held.subarray(0, this.size)));
    this.size = 0;
  }

  /** Encodes the text into the buffer. */
  private pack(): void {
    this.size += this.held.write(this.text, this.size);
    this.text = '';
    this.lines = 0;
  }
}

const LEVELS: readonly Level[] = ['debug', 'info', 'warn', 'error'];

/** Returns the loggable parts of an error: its name and message, which hold no values of requests, and its stack. */
export function describeError(error: unknown): Record<string, unknown> {
  if (error instanceof Refusal) return { refused: error.outcome?.code ?? error.condition };
  if (!(error instanceof Error)) return { error: typeof error };
  return {
    error: error.name,
    message: error.message,
    stack: error.stack
      ?.split('\n')
      .slice(1, 6)
      .map((line) => line.trim()),
  };
}
