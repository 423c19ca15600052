import { problemType } from '../plan/problem-type.ts';
import type { ErrorsContract } from './contract.ts';

/** The type of the problem details of a code; null where problems have no type. */
export function problemTypeOf({ payload, codes }: ErrorsContract, code: string): string | null {
  const template = payload?.problemType ?? null;
  return template === null ? null : problemType(template, code, codes.find((one) => one.code === code)?.more);
}
