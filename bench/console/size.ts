import { gzipSync } from 'node:zlib';
import { bundlePage } from '../../src/console/bundle.ts';

/** A file of the page, and what it weighs. */
interface Weighed {
  readonly name: string;
  readonly bytes: number;
  readonly zipped: number;
}

/** Every file of the page as it is built, each gzipped by itself, as a server would send it. */
export async function pageSizes(): Promise<Weighed[]> {
  const files = [...(await bundlePage())];
  return files.map(([name, { body }]) => ({ name, bytes: body.length, zipped: gzipSync(body, { level: 9 }).length }));
}
