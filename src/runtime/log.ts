import { acts, escaped, jsonText } from '../text/visible.ts';

export type Level = 'debug' | 'info' | 'warn' | 'error';

/** Says what happened, in fields. Callers pass names, counts and times; never a key, a secret, or a value of a request. */
export type Log = (level: Level, event: string, fields?: Readonly<Record<string, unknown>>) => void;

/**
 * Logs to a stream: as text where people read it, as JSON lines elsewhere. Lines of one turn of the event loop are written
 * together, at its end, or at once where one tells of trouble: a line for each request would cost a system call each.
 * `level` is the least level that is written.
 */
export function createLog(stream: NodeJS.WritableStream, options: { text: boolean; level: Level }): Log {
  const lines = new Lines(stream);
  const rank = LEVELS.indexOf(options.level);
  if (options.text) {
    return (level, event, fields = {}) => {
      if (LEVELS.indexOf(level) < rank) return;
      const rest = Object.entries(fields).map(
        ([key, value]) => `${key}=${typeof value === 'string' && !acts(value) ? value : jsonText(value)}`,
      );
      lines.add(`${new Date().toISOString()} ${level.padEnd(5)} ${[event, ...rest].join(' ')}\n`, isTrouble(level));
    };
  }
  let now = 0;
  let time = '';
  return (level, event, fields = {}) => {
    if (LEVELS.indexOf(level) < rank) return;
    const at = Date.now();
    if (at !== now) time = new Date(at).toISOString();
    now = at;
    lines.add(jsonLine(level, time, event, fields), isTrouble(level));
  };
}

/** One line of JSON. A request makes one, so that what needs no escape is written as it is, which takes a third of the time. */
function jsonLine(level: Level, time: string, event: string, fields: Readonly<Record<string, unknown>>): string {
  let line = `{"level":"${level}","time":"${time}"`;
  for (const key in fields) {
    const value = fields[key];
    const plain = typeof value === 'number' || (typeof value === 'string' && PLAIN.test(value));
    if (plain) line += typeof value === 'number' ? `,"${key}":${value}` : `,"${key}":"${value}"`;
    else if (value !== undefined) line += `,"${key}":${escaped(jsonText(value))}`;
  }
  return `${line},"event":"${event}"}\n`;
}

/** Text that stands in JSON as it is, and does nothing on a terminal. */
const PLAIN = /^[ !#-[\]-~]*$/;

const isTrouble = (level: Level): boolean => level === 'warn' || level === 'error';

/** Lines on their way to a stream. What is left is written as the process ends. */
class Lines {
  private readonly stream: NodeJS.WritableStream;
  private readonly written = (): void => this.write();
  private held = '';

  constructor(stream: NodeJS.WritableStream) {
    this.stream = stream;
  }

  add(line: string, now = false): void {
    if (this.held === '') {
      setImmediate(this.written);
      process.once('exit', this.written);
    }
    this.held += line;
    if (now) this.write();
  }

  write(): void {
    if (this.held === '') return;
    this.stream.write(this.held);
    this.held = '';
    process.off('exit', this.written);
  }
}

const LEVELS: readonly Level[] = ['debug', 'info', 'warn', 'error'];
