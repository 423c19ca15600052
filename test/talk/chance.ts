import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { mock } from 'node:test';
import { Random } from '../../src/verify/requests/random.ts';

/** When conversations begin: a Friday morning. */
export const START = Date.UTC(2026, 10, 20, 9);

/** Stands for what is slow on purpose: thousands of passwords are made and tried here. */
function soon(password: string, salt: Buffer, length: number, ...rest: unknown[]): void {
  const done = rest.at(-1) as (error: null, key: Buffer) => void;
  const key = crypto.createHash('sha512').update(salt).update(password).digest();
  setImmediate(() => done(null, Buffer.concat([key, key]).subarray(0, length)));
}

/**
 * Makes chance and the clock of this process its own, so that two services that are told the same say the same.
 * `again` starts both anew; `end` gives them back.
 */
export function foreseeable(): { again(): void; end(): void } {
  let random = new Random(1);
  const fill = <T extends NodeJS.ArrayBufferView>(view: T): T => {
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    for (let i = 0; i < bytes.length; i++) bytes[i] = random.int(0, 255);
    return view;
  };
  mock.timers.enable({ apis: ['Date'], now: START });
  const mocks = [
    mock.method(crypto, 'randomFillSync', fill as never) as { readonly mock: { restore(): void } },
    mock.method(crypto, 'randomBytes', ((size: number) => fill(Buffer.alloc(size))) as never),
    mock.method(crypto, 'randomUUID', (() => random.uuid()) as never),
    mock.method(crypto, 'scrypt', soon as never),
    // The time-outs of requests run by the monotonic clock: on a busy machine they would pass in the middle of a turn.
    mock.method(performance, 'now', () => Date.now() - START),
  ];
  syncBuiltinESMExports();
  return {
    again: () => {
      random = new Random(1);
      mock.timers.setTime(START);
    },
    end: () => {
      for (const one of mocks) one.mock.restore();
      mock.timers.reset();
      syncBuiltinESMExports();
    },
  };
}
