/** The nine parts in document order: their names, and the headings they stand under. */
export const PARTS = [
  ['purpose', 'What the service does'],
  ['resources', 'Resources and their fields'],
  ['states', 'States and transitions'],
  ['endpoints', 'Endpoints'],
  ['authentication', 'Authentication'],
  ['events', 'Events'],
  ['errors', 'Errors'],
  ['limits', 'Limits'],
  ['versioning', 'Versioning'],
] as const;

export type PartName = (typeof PARTS)[number][0];
