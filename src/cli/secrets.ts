import { readFileSync } from 'node:fs';
import type { Algorithm } from '../plan/callers.ts';
import { KeyError, type Secrets } from '../runtime/authentication/signing-keys.ts';
import { whyOf } from '../store/paths.ts';

/** The environment variable that holds a scheme's key, such as NINEFOLD_KEY_SESSION; with `_FILE` after it, the file that does. */
export function keyVariable(scheme: string): string {
  return `NINEFOLD_KEY_${scheme.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`;
}

/** Finds the keys of schemes in the environment, or in files that it names: never in the document. */
export function secretsIn(env: Readonly<Record<string, string | undefined>>): Secrets {
  return (scheme, algorithm) => {
    const name = keyVariable(scheme);
    const file = env[`${name}_FILE`];
    if (env[name] && file)
      throw new KeyError(`${name} and ${name}_FILE both give the key of “${scheme}”. Set only one of them.`);
    if (env[name]) return env[name];
    if (!file)
      throw new KeyError(
        `The scheme “${scheme}” needs its key: set ${name}, or ${name}_FILE to a file that holds it (${making(algorithm)} makes one).`,
      );
    try {
      return readFileSync(file, 'utf8');
    } catch (error) {
      throw new KeyError(
        `The key of “${scheme}” can’t be read: “${file}”, which ${name}_FILE names: ${whyOf(error) ?? (error as Error).message}.`,
      );
    }
  };
}

/** A command that makes a key for an algorithm. */
function making(algorithm: Algorithm): string {
  if (algorithm.startsWith('HS')) return 'openssl rand -base64 64';
  if (algorithm === 'ES256') return 'openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256';
  return algorithm === 'EdDSA'
    ? 'openssl genpkey -algorithm ed25519'
    : 'openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048';
}
