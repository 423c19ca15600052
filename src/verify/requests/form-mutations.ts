import { gzipSync } from 'node:zlib';
import { type FileContent, isFileContent, WHOLE_FORM } from '../../http/multipart.ts';
import { FORM_TYPE, JSON_TYPE, MERGE_PATCH_TYPE, MULTIPART_TYPE } from '../../plan/media-types.ts';
import { isForm } from '../target/request-body.ts';
import type { Base, Mutation, Situation } from './candidate.ts';
import { bytesOf, type Draft, isObject, withContent, withHeader } from './draft.ts';

/** No body longer than this is made. */
const LONGEST_BYTES = 4 * 1024 * 1024;

/** The form of a body: its media type, its encoding, its size. */
export function formMutations(situation: Situation, { draft }: Base): Mutation[] {
  return [...mediaTypes(situation), ...encodings(situation), ...sizes(situation, draft)];
}

function mediaTypes({ endpoint, version }: Situation): Mutation[] {
  const { body } = endpoint;
  if (!body) return [];
  const isParts = body.mediaTypes[0] === MULTIPART_TYPE;
  const own = isParts ? WHOLE_FORM : (body.mediaTypes[0] ?? version.mediaType);
  const fine = [
    ...(isParts ? [own] : body.mediaTypes),
    `${own}; charset=utf-8`,
    `${own};charset="UTF-8"`,
    // A boundary is compared exactly.
    isParts ? own.replace(MULTIPART_TYPE, 'Multipart/FORM-data') : own.toUpperCase(),
    `${own}; a=b`,
  ];
  const bad = [
    ...['text/plain'].filter((one) => !body.mediaTypes.includes(one)),
    'text/json',
    'application/xml',
    ...[FORM_TYPE].filter((one) => !body.mediaTypes.includes(one)),
    'multipart/form-data; boundary=x',
    ...(isParts ? [MULTIPART_TYPE, `${own}; boundary=x`, `${MULTIPART_TYPE}; boundary="a "`] : []),
    'application/*',
    `${own}; charset=latin1`,
    `${own}; charset=utf-16`,
    `${own};`,
    `${own}, ${own}`,
    'json',
    '',
    ...[JSON_TYPE, MERGE_PATCH_TYPE, 'application/problem+json'].filter((one) => !body.mediaTypes.includes(one)),
  ];
  const of = (value: string | null, valid: boolean): Mutation => ({
    aspect: 'media type',
    what: value === null ? 'Content-Type is left out' : `Content-Type is ${JSON.stringify(value)}`,
    valid,
    change: (draft) => withHeader(draft, 'Content-Type', value),
  });
  return [...fine.map((one) => of(one, true)), of(null, false), ...bad.map((one) => of(one, one === `${own};`))];
}

function encodings({ endpoint }: Situation): Mutation[] {
  if (!endpoint.body) return [];
  const of = (value: string, valid: boolean, zip = false): Mutation => ({
    aspect: 'encoding',
    what: `Content-Encoding is ${JSON.stringify(value)}${zip ? ', and the body is compressed so' : ''}`,
    valid,
    change: (draft) => {
      const said = withHeader(draft, 'Content-Encoding', value);
      const bytes = bytesOf(draft);
      return zip && bytes ? { ...said, body: gzipSync(bytes) } : said;
    },
  });
  return [
    of('identity', true),
    of('gzip', false, true),
    of('gzip', false),
    of('br', false),
    of('nonsense', false),
    of('', true),
  ];
}

/** Bodies of exactly so many bytes, which are filled with white space, or with the separators of a form. */
function sizes({ endpoint }: Situation, draft: Draft): Mutation[] {
  const most = endpoint.limits.requestSize?.bytes;
  if (most === undefined || most > LONGEST_BYTES) return [];
  const of = (length: number, what: string, valid: boolean): Mutation => ({
    aspect: 'size',
    what: `the body has ${length} bytes, ${what}`,
    valid,
    change: (sent) => {
      const one = withLongest(sent, endpoint);
      const bytes = bytesOf(one) ?? Buffer.alloc(0);
      return bytes.length > length
        ? one
        : {
            ...one,
            body: Buffer.concat([bytes, Buffer.alloc(length - bytes.length, isForm(one.headers) ? '&' : ' ')]),
          };
    },
  });
  const read = endpoint.body !== null || (endpoint.unreadBody === 'ignored' && draft.body === undefined);
  return [of(most, 'its most', read), of(most + 1, 'one more than its most', false)];
}

/** The draft with the longest files of a form: all else of a body has a limit of its own. */
function withLongest(draft: Draft, { body }: Situation['endpoint']): Draft {
  let out = draft;
  for (const { name, type } of body?.type.members ?? []) {
    const content = isObject(out.body) ? out.body[name] : undefined;
    if (type.kind !== 'bytes' || !isFileContent(content)) continue;
    const { type: mediaType, latin1 }: FileContent = content;
    out = withContent(out, [name], { type: mediaType, latin1: latin1.padEnd(type.max, ' ') });
  }
  return out;
}
