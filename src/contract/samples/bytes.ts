import { firstBytesOf } from '../../plan/files.ts';
import type { UploadContract } from '../endpoint.ts';

/** Bytes of a media type that a request may send: others for another number, as far as so many bytes are allowed. */
export function sampleBytes({ max }: Pick<UploadContract, 'max'>, mediaType: string, number: number): Buffer {
  const bytes = Buffer.concat([firstBytesOf(mediaType), Buffer.from(`sample ${number}\n`)]);
  return bytes.subarray(0, max);
}
