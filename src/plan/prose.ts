/** Prose about the service, a resource or an endpoint, for people. It has no effect. */
export interface Prose {
  readonly about: 'purpose' | 'domain' | 'resource' | 'endpoint';
  /** The name of the resource or endpoint; empty for the purpose of the service. */
  readonly name: string;
  /** The Markdown source. */
  readonly text: string;
  /** The line on which the text begins. */
  readonly line: number;
}
