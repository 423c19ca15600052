/** One API version: the names of its fields, and the headers of its answers. */
export interface ApiVersion {
  /** Empty where the document has no versions. */
  readonly version: string;
  readonly headers: readonly string[];
  /** The media type of its answers, where that names the version; JSON’s own otherwise. */
  readonly mediaType: string;
  readonly retired: boolean;
  readonly sunset: number | null;
  /** The name of `Resource.field` on the wire; null where this version doesn't have it. */
  wire(resource: string, field: string): string | null;
}
