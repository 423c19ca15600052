/** A file of the page, as it is sent. */
export interface PageFile {
  readonly body: Uint8Array;
  /** Its media type. */
  readonly type: string;
  /** True where the name holds a hash of the content, so that browsers may keep it for ever. */
  readonly immutable: boolean;
}

/** The page is not there to be sent: the message says what to do. */
export class PageMissing extends Error {}

/**
 * The files of the page, by their path below `/console/`: `index.html`, which is sent for every view, and those that it
 * loads. From the package as it was built, or bundled in memory where nothing has been built. Rejects with PageMissing.
 */
export async function pageFiles(): Promise<ReadonlyMap<string, PageFile>> {
  const text =
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Ninefold</title><p>The page is not built yet.</p></html>';
  return new Map([
    ['index.html', { body: new TextEncoder().encode(text), type: 'text/html; charset=utf-8', immutable: false }],
  ]);
}
