// An example of the text that the exporter writes from a document. With it, the files beside this one can be checked
// without a document. Nothing of this file is exported.

/** The payload of a refusal. */
export interface Problem {
  readonly title: string;
  readonly status: number;
  readonly code: string;
}

export const STATUS = { not_found: 404, rate_exceeded: 429 } as const;

export type Code = keyof typeof STATUS;

export const AGAIN: Partial<Record<Code, 'always' | 'idempotent'>> = { rate_exceeded: 'always' };

export const codeIn = (problem: Partial<Problem>): unknown => problem.code;

export const HEADERS: Readonly<Record<string, string>> = { Accept: 'application/json' };

type Credential = string | (() => string | Promise<string>);

export interface Credentials {
  readonly apiKey?: Credential;
}

export const SCHEMES: Readonly<Record<keyof Credentials, readonly [header: string, before: string]>> = {
  apiKey: ['Authorization', 'Bearer '],
};

export const BODY_TYPE = 'application/json';

/** The heartbeat interval and the reconnection time of streams, in milliseconds. */
export const HEARTBEAT: number | undefined = 15_000;
export const RETRY: number | undefined = 3_000;

/** Events of webhooks. */
export interface WebhookEvent {
  readonly type: string;
}

/** The headers with the signature and the signed values of a webhook. */
export const SIGNED_HEADERS: Readonly<Record<string, RegExp>> = {
  'X-Signature': /^t=(?<seconds>\d+),v1=(?<signature>[0-9a-f]{64}(?:,v1=[0-9a-f]{64})?)$/,
};

/** The text that HMAC-SHA256 signs. Values of the headers, and the body, replace the names in braces. */
export const SIGNED_TEXT = '{seconds}.{body}';
