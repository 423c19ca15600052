import { hash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { problem } from './problems.ts';

/** A new key of 256 random bits, which is shown once. */
export const newKey = (): string => randomBytes(32).toString('base64url');

/** A key as it is stored. */
export const hashOf = (key: string): Buffer => hash('sha256', key, 'buffer');

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);
const COST = { N: 8192, r: 8, p: 10, maxmem: 64 * 1024 * 1024 };
const HASH_BYTES = 32;
/** How many passwords may wait to be hashed. */
const WAITING = 64;
let waiting = 0;

async function derived(password: string, salt: Buffer): Promise<Buffer> {
  if (waiting >= WAITING) throw problem('unavailable');
  waiting++;
  try {
    return await derive(password, salt, HASH_BYTES, COST);
  } finally {
    waiting--;
  }
}

/** A password as it is stored. */
export async function hashedPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  return `${salt.toString('base64')}.${(await derived(password, salt)).toString('base64')}`;
}

const NOBODYS = `${Buffer.alloc(16).toString('base64')}.${Buffer.alloc(HASH_BYTES).toString('base64')}`;

/** Whether a password is the stored one; takes as long where nothing is stored. */
export async function isPassword(password: string, stored: string | undefined): Promise<boolean> {
  const [salt = '', expected = ''] = (stored ?? NOBODYS).split('.');
  const given = await derived(password, Buffer.from(salt, 'base64'));
  return timingSafeEqual(given, Buffer.from(expected, 'base64')) && stored !== undefined;
}
