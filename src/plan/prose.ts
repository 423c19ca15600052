/** What a document says to people of the service, of a resource or of an endpoint. Nothing that runs depends on it. */
export interface Prose {
  readonly about: 'purpose' | 'domain' | 'resource' | 'endpoint';
  /** Of the resource or endpoint; empty for what the service is for. */
  readonly name: string;
  /** Markdown, as it is written. */
  readonly text: string;
  /** Where it begins. */
  readonly line: number;
}
