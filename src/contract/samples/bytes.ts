import type { FileContent } from '../../http/multipart.ts';
import { firstBytesOf } from '../../plan/files.ts';
import type { UploadContract } from '../endpoint.ts';
import type { BytesContract } from '../types.ts';

/** Bytes of a media type that a request may send: others for another number, as far as so many bytes are allowed. */
export function sampleBytes({ max }: Pick<UploadContract, 'max'>, mediaType: string, number: number): Buffer {
  const bytes = Buffer.concat([firstBytesOf(mediaType), Buffer.from(`sample ${number}\n`)]);
  return bytes.subarray(0, max);
}

/** A file that a part of a form may hold: another for another number. */
export function sampleFile(type: BytesContract, number: number): FileContent {
  const mediaType = type.mediaTypes[number % type.mediaTypes.length] ?? '';
  return { type: mediaType, latin1: sampleBytes(type, mediaType, number).toString('latin1') };
}
