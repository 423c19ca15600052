import { pino } from 'pino';
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
  if (options.text) {
    const rank = LEVELS.indexOf(options.level);
    return (level, event, fields = {}) => {
      if (LEVELS.indexOf(level) < rank) return;
      const rest = Object.entries(fields).map(
        ([key, value]) => `${key}=${typeof value === 'string' && !acts(value) ? value : jsonText(value)}`,
      );
      lines.add(`${new Date().toISOString()} ${level.padEnd(5)} ${[event, ...rest].join(' ')}\n`, isTrouble(level));
    };
  }
  const formatters = { level: (label: string) => ({ level: label }) };
  const logger = pino(
    { level: options.level, base: null, timestamp: pino.stdTimeFunctions.isoTime, messageKey: 'event', formatters },
    { write: (line: string) => lines.add(escaped(line)) },
  );
  return (level, event, fields = {}) => {
    logger[level](fields, event);
    if (isTrouble(level)) lines.write();
  };
}

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
