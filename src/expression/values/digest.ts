import { hash } from 'node:crypto';

/** 128 bits of a SHA-256, for entity tags. */
export const digestOf = (text: string): string => hash('sha256', text, 'base64url').slice(0, 22);
