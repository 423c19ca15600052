import type { ContractFault } from '../../src/verify/contract/values.ts';

/** A fault as a sentence. */
export const faultText = ({ at, declared, actual }: ContractFault): string =>
  `${at}: the contract declares ${declared}, and the answer has ${actual}`;
