import { Names } from '../json-schema.ts';
import { isReserved } from './words.ts';

/** Hands out the names of the types that a client declares, each once, and none that something else has there. */
export class ClientNames {
  private readonly names = new Names();

  /** `taken`: the text that is exported with them, whose every word stays its own. */
  constructor(taken: string) {
    for (const word of new Set(taken.match(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu) ?? [])) this.names.once(word);
  }

  type(preferred: string): string {
    return this.names.once(isReserved(preferred) ? `${preferred}Row` : preferred);
  }
}
