import { pino } from 'pino';
import { acts, escaped, jsonText } from '../text/visible.ts';

export type Level = 'debug' | 'info' | 'warn' | 'error';

/** Says what happened, in fields. Callers pass names, counts and times; never a key, a secret, or a value of a request. */
export type Log = (level: Level, event: string, fields?: Readonly<Record<string, unknown>>) => void;

/**
 * Logs to a stream: as text where people read it, as JSON lines elsewhere.
 * `level` is the least level that is written.
 */
export function createLog(stream: NodeJS.WritableStream, options: { text: boolean; level: Level }): Log {
  if (options.text) {
    const rank = LEVELS.indexOf(options.level);
    return (level, event, fields = {}) => {
      if (LEVELS.indexOf(level) < rank) return;
      const rest = Object.entries(fields).map(
        ([key, value]) => `${key}=${typeof value === 'string' && !acts(value) ? value : jsonText(value)}`,
      );
      stream.write(`${new Date().toISOString()} ${level.padEnd(5)} ${[event, ...rest].join(' ')}\n`);
    };
  }
  const formatters = { level: (label: string) => ({ level: label }) };
  const logger = pino(
    { level: options.level, base: null, timestamp: pino.stdTimeFunctions.isoTime, messageKey: 'event', formatters },
    { write: (line: string) => stream.write(escaped(line)) },
  );
  return (level, event, fields = {}) => logger[level](fields, event);
}

const LEVELS: readonly Level[] = ['debug', 'info', 'warn', 'error'];
