import type { AtOnce, Resumption, Stream } from '../statements/events.ts';
import type { Section } from '../syntax/markdown.ts';
import type { Notes, Phrase } from '../syntax/phrase.ts';
import { located, readBullets, readElse, refuse } from '../syntax/read.ts';
import { takeDuration } from '../syntax/units.ts';

/** Reads `### Stream`. */
export function readStream(section: Section, notes: Notes): Stream {
  const out: { -readonly [K in keyof Stream]: Stream[K] } = {
    format: null,
    data: null,
    resumption: null,
    retry: null,
    heartbeat: null,
    patience: null,
    atOnce: null,
    span: section.heading,
  };
  readBullets(
    section,
    'stream',
    {
      Format: (value, span) => {
        if (value.expect('server-sent events (WHATWG HTML)')) out.format = located(span, 'server-sent events');
      },
      Data: (value, span) => {
        const data = value.choose(['the payload', 'type, timestamp, data']);
        out.data = located(span, data && (data === 'the payload' ? 'payload' : 'envelope'));
      },
      Resumption: (value, span) => {
        out.resumption = located(span, value.take('none') ? 'none' : readResumption(value));
      },
      Retry: (value, span) => {
        out.retry = located(span, value.take('none') ? 'none' : value.expect('after') ? takeDuration(value) : null);
      },
      Heartbeat: (value, span) => {
        out.heartbeat = located(span, value.take('none') ? 'none' : value.expect('every') ? takeDuration(value) : null);
      },
      'Slow readers': (value, span) => {
        out.patience = located(span, value.expect('cut off after') ? takeDuration(value) : null);
      },
      'At once': (value, span) => {
        out.atOnce = located(span, readAtOnce(value));
      },
    },
    notes,
  );
  refuse(section, { tables: true, steps: true, children: true }, 'under “Stream”', notes.findings);
  return out;
}

/** `Last-Event-ID, for 24 hours, else events_gone` */
function readResumption(value: Phrase): Resumption | null {
  if (!value.expect('Last-Event-ID, for')) return null;
  const milliseconds = takeDuration(value);
  return milliseconds === null ? null : { milliseconds, code: readElse(value) };
}

/**
 * `any number`, or `5 for each caller, else too_many_streams`. What readers without a caller may have open stands
 * behind that, or alone: `20 for each address without a caller`, `any number for each address without a caller`.
 */
function readAtOnce(value: Phrase): AtOnce | 'any number' | null {
  if (value.take('any number')) return 'any number';
  const most = value.positive('“any number”, or a number of streams, from 1');
  if (most === null) return null;
  if (value.take(NOBODY)) return { caller: null, nobody: most, code: readElse(value) };
  if (!value.expect('for each caller')) return null;
  if (value.take(`, any number ${NOBODY}`)) return { caller: most, nobody: 'any number', code: readElse(value) };
  const more = /^\d/.test(value.peek(1)?.text ?? '') && value.mark(',');
  const nobody = more ? value.positive('a number of streams, from 1') : null;
  if (more && !value.expect(NOBODY)) return null;
  return { caller: most, nobody, code: readElse(value) };
}

const NOBODY = 'for each address without a caller';
