import { pipeline } from 'node:stream/promises';
import { contentDisposition } from '../http/disposition.ts';
import type { AdminResponse } from '../runtime/admin/admin.ts';
import type { ConsoleError } from './problem.ts';
import type { Problem } from './protocol.ts';
import type { FileAnswer } from './route.ts';

/** Headers of every response: other origins may not load it, frame it, or be loaded by it. */
const GUARDS: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

const NOT_KEPT = 'no-store';
/** `Cache-Control` of files whose names contain a hash of their content. */
export const KEPT = 'private, max-age=31536000, immutable';

/** The status and headers of a response. */
interface Head {
  readonly status: number;
  readonly type: string;
  readonly cache?: string;
  readonly more?: Readonly<Record<string, string>>;
}

/** Writes the status and headers of a response, including the common ones. */
export function writeHead(response: AdminResponse, { status, type, cache = NOT_KEPT, more = {} }: Head): void {
  response.writeHead(status, { ...GUARDS, 'Content-Type': type, 'Cache-Control': cache, ...more });
}

/** Sends a complete response; a response to HEAD has no body. */
export function send(response: AdminResponse, head: Head, body: string | Uint8Array): void {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  writeHead(response, { ...head, more: { 'Content-Length': String(bytes.length), ...head.more } });
  response.end(bytes);
}

/** Sends data. */
export function sendJson(response: AdminResponse, answer: unknown, status = 200): void {
  send(response, { status, type: 'application/json' }, JSON.stringify(answer));
}

/**
 * Sends a file for the browser to save. Its bytes may be anything that a caller of the service has sent: the media type
 * is that of bytes without a meaning, and if a browser showed the file nevertheless, it would be of no origin and could
 * run nothing.
 */
export async function sendDownload(response: AdminResponse, { name, size, pieces }: FileAnswer): Promise<void> {
  const more = {
    'Content-Disposition': contentDisposition('attachment', name),
    'Content-Length': String(size),
    'Content-Security-Policy': "default-src 'none'; sandbox",
  };
  writeHead(response, { status: 200, type: 'application/octet-stream', more });
  await pipeline(pieces, response).catch(() => response.destroy());
}

/** Sends an error response to the page. */
export function sendProblem(response: AdminResponse, { kind, message, refusal, status }: ConsoleError): void {
  const problem: Problem = { kind, error: message, refusal };
  sendJson(response, problem, status);
}

/** Sends a page with a message to a browser without a session. */
export function sendNote(response: AdminResponse, status: number, note: string): void {
  const text = note.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
  send(
    response,
    { status, type: 'text/html; charset=utf-8' },
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>Ninefold console</title><h1>Ninefold console</h1><p>${text}</p></html>\n`,
  );
}
