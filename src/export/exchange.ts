import type { Json } from './json.ts';

/** A request and its response. Exports show exchanges as examples. */
export interface Exchange {
  /** The endpoint’s name in the contract. */
  readonly endpoint: string;
  readonly request: {
    /** The values of parameters, by place and name: `path id`. */
    readonly parameters: ReadonlyMap<string, string>;
    readonly body: Json | undefined;
  };
  readonly answer: {
    readonly status: number;
    /** Null for a success. */
    readonly code: string | null;
    /** Names are lower case. */
    readonly headers: ReadonlyMap<string, string>;
    readonly body: Json | undefined;
  };
}
