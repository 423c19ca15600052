import { installOnce } from '../../install-once.ts';

/** Installs the tools that judge exports, unless those of this very lock file are there. */
export const installTools = (): void => installOnce(import.meta.dirname, 'the tools that judge exports');
