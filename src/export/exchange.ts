import type { Json } from './json.ts';

/** A request that the service was sent, and what it answered. Exports show them as examples. */
export interface Exchange {
  /** The endpoint’s name in the contract. */
  readonly endpoint: string;
  readonly request: {
    /** What parameters were sent as, by their place and name: `path id`. */
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
