import type { Said } from '../../source/read.ts';

/** What the service does. Free text: it reaches the documentation, and nothing at run time depends on it. */
export interface Purpose {
  readonly purpose: Said<string> | null;
  readonly domain: Said<string> | null;
  /** Who says where the service lives. */
  readonly address: Said<'operator'> | null;
}
