import { spawnSync } from 'node:child_process';

/** strace, as a process beside the service, which stays a child of the test. */
export const STRACE = ['strace', '-D', '-f', '-qq', '-e', 'signal=none'];

const tried = spawnSync('strace', ['-f', '-o', '/dev/null', '-e', 'trace=fsync', 'true'], { encoding: 'utf8' });
const why = tried.error
  ? 'there is no strace here'
  : tried.status === 0
    ? null
    : `strace may not trace: ${tried.stderr.trim()}`;

/** Why tests that look at system calls, or have them fail, can't be run; false where they can. */
export const skip = why ?? false;
