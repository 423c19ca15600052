/** One attempt at a delivery, as it is stored. */
export interface Attempt {
  /** When it began, in milliseconds since the epoch. */
  readonly at: number;
  /** How long it took, in milliseconds, from the look-up of the name to the end of the answer. */
  readonly took: number;
  /** The status of the answer; null where there was none. */
  readonly status: number | null;
  /** How it ended, in the words of the log: `status 204`, or the reason of the failure. */
  readonly result: string;
  /** The beginning of the body of the answer. */
  readonly body: string;
  /** Whether the body goes on. */
  readonly isCut: boolean;
}

/** The most attempts of a delivery that are stored: the last ones. */
const ATTEMPTS_KEPT = 20;
/** The most characters of a body that are stored of each attempt. */
const CHARACTERS_KEPT = 500;
/** The most characters of a secret. */
const SECRET_LENGTH = 256;
/** The most bytes of a body that are read for them: no UTF-16 unit has more than three in UTF-8. */
const BYTES_READ = 3 * (CHARACTERS_KEPT + SECRET_LENGTH);

/** Secrets of webhooks and keys of callers, also where JSON has a backslash before a slash. */
const SECRETS = /whsec_[\w+/=\\-]+|\bnf_[A-Za-z0-9]{12}_[\w-]{43}/g;

/** A text without secrets: an ellipsis is in the place of each. */
export const withoutSecrets = (text: string): string => text.replace(SECRETS, '…');

/**
 * A text that was cut off, without characters at its end that may be a part of a secret, which is not found. The end can be
 * among the characters that are kept, because one replaces each secret.
 */
const withoutPart = (text: string): string =>
  text.slice(0, -SECRET_LENGTH) + text.slice(-SECRET_LENGTH).replace(/[\w+/=\\-]+$/, '');

/** Gathers the beginning of the body of an answer. */
export class AnswerStart {
  private readonly chunks: Buffer[] = [];
  private length = 0;

  /** Takes the bytes of a body as they come. */
  readonly read = (chunk: Buffer): void => {
    if (this.length < BYTES_READ) this.chunks.push(chunk.subarray(0, BYTES_READ - this.length));
    this.length += chunk.length;
  };

  /** Returns the stored part of the body, without secrets. `secrets` are those of the receiver. */
  kept(secrets: readonly string[]): Pick<Attempt, 'body' | 'isCut'> {
    // With `stream`, a character whose bytes are cut off is left out.
    const read = new TextDecoder().decode(Buffer.concat(this.chunks), { stream: true });
    const bare = secrets.map((secret) => secret.replace(/^whsec_/, '')).filter((secret) => secret !== '');
    const forms = bare.flatMap((secret) => [secret, secret.replaceAll('/', '\\/')]);
    const text = forms.reduce((all, secret) => all.replaceAll(secret, '…'), withoutSecrets(read));
    const isPart = this.length > BYTES_READ;
    const whole = isPart ? withoutPart(text) : text;
    return { body: whole.slice(0, CHARACTERS_KEPT).toWellFormed(), isCut: isPart || text.length > CHARACTERS_KEPT };
  }
}

/**
 * An attempt as it is stored, in few bytes, since most deliveries have one with an empty answer: the values at the end that
 * say nothing new are left out. The result is null where it is the status.
 */
type Stored = readonly [
  at: number,
  took: number,
  status?: number | null,
  body?: string,
  isCut?: 0 | 1,
  result?: string | null,
];

/** The stored attempts of a delivery, with another one after those before. */
export function attemptsWith(earlier: string | null, { at, took, status, result, body, isCut }: Attempt): string {
  const before = earlier === null ? [] : (JSON.parse(earlier) as Stored[]);
  const told = result === resultOf(status) ? null : result;
  const values: Stored = [at, took, status, body, isCut ? 1 : 0, told];
  const said = values.findLastIndex((value) => value !== null && value !== '' && value !== 0);
  return JSON.stringify([...before, values.slice(0, Math.max(2, said + 1))].slice(-ATTEMPTS_KEPT));
}

/** The attempts in a text as it is stored, the first one first. */
export const attemptsIn = (stored: string | null): readonly Attempt[] =>
  (stored === null ? [] : (JSON.parse(stored) as Stored[])).map(
    ([at, took, status = null, body = '', isCut = 0, result = null]) => ({
      at,
      took,
      status,
      result: result ?? resultOf(status),
      body,
      isCut: isCut === 1,
    }),
  );

const resultOf = (status: number | null): string => `status ${status}`;
