import type { VersionContract } from '../../contract/contract.ts';
import type { BodyContract, UploadContract } from '../../contract/endpoint.ts';
import { formType } from '../../contract/forms.ts';
import { sampleBytes, sampleFile } from '../../contract/samples/bytes.ts';
import type { BytesContract, ContractType, MemberContract, ObjectContract } from '../../contract/types.ts';
import { BOUNDARY } from '../../http/multipart.ts';
import { once } from '../oracle/once.ts';
import { isForm, isParts } from '../target/request-body.ts';
import type { Base, Mutation, Situation } from './candidate.ts';
import {
  type BodyPath,
  bytesOf,
  type Content,
  contentAt,
  contentText,
  type Draft,
  formText,
  isList,
  isObject,
  withContent,
  withHeader,
} from './draft.ts';
import { lookedUpBy } from './finds.ts';
import { referenceVariants } from './references.ts';
import { variantsOf } from './values.ts';
import type { Variant } from './variant.ts';

/** Texts that are no JSON, or none of UTF-8. */
const MALFORMED: ReadonlyArray<readonly [string, string | Buffer]> = [
  ['is empty', ''],
  ['is nothing but a space', ' '],
  ['ends too early', '{"unfinished": '],
  ['has a comma at its end', '{"a": 1,}'],
  ['has a comment', '{} // none'],
  ['has a name without quotes', '{a: 1}'],
  ['has single quotes', "{'a': 1}"],
  ['has NaN', '{"a": NaN}'],
  ['has a number that begins with 0', '{"a": 01}'],
  ['has a number that begins with +', '{"a": +1}'],
  ['is two values', '{}{}'],
  ['has a control character in a text', '{"a": "\n"}'],
  ['has half an escape', '{"a": "\\u12"}'],
  ['is a form', 'a=1&b=2'],
  ['is XML', '<a/>'],
  ['is nested very deeply', '['.repeat(30_000)],
  ['begins with a byte order mark', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('{}')])],
  ['is of UTF-16', Buffer.from('{"a": 1}', 'utf16le')],
  ['is no UTF-8', Buffer.concat([Buffer.from('{"a": "'), Buffer.from([0xff]), Buffer.from('"}')])],
];

const NO_OBJECTS: readonly string[] = ['null', '[]', '[{}]', '"{}"', '1', 'true'];

/** Mutations of a body: of each member, and of the whole. */
export function bodyMutations(situation: Situation, { draft }: Base): Mutation[] {
  const { body } = situation.endpoint;
  if (!body) return unread(situation, draft);
  if (body.bytes) return ofBytes(body, body.bytes);
  if (isParts(draft.headers)) return ofParts(situation, formType(body.type), draft);
  if (isForm(draft.headers)) return ofForm(situation, formType(body.type), draft);
  return [...memberMutations(situation, body.type, [], draft), ...wholes(body.type, draft)];
}

const mutation = (aspect: string, what: string, valid: boolean, change: Mutation['change']): Mutation => ({
  aspect,
  what,
  valid,
  change,
});

const withBody =
  (body: Draft['body']): Mutation['change'] =>
  (draft) => ({ ...draft, body });

/** Mutations of a body that is bytes: of each media type, with first bytes of another, and without any. */
function ofBytes({ mediaTypes }: BodyContract, upload: UploadContract): Mutation[] {
  const isChecked = upload.firstBytes === 'checked';
  const typed = mediaTypes.map((mediaType) =>
    mutation('bytes', `the body is of ${mediaType}`, true, (draft) =>
      withHeader({ ...draft, body: sampleBytes(upload, mediaType, 10) }, 'Content-Type', mediaType),
    ),
  );
  return [
    ...typed,
    mutation('bytes', 'the body is a page of HTML', !isChecked, withBody(Buffer.from('<!DOCTYPE html><script>'))),
    mutation('bytes', 'the body is empty', !isChecked, withBody(Buffer.alloc(0))),
    mutation('bytes', 'the body has bytes that are no text', !isChecked, withBody(Buffer.from([0xff, 0xfe, 0, 0x80]))),
  ];
}

/** Mutations that add a body where none is read. */
function unread({ endpoint }: Situation, draft: Draft): Mutation[] {
  const valid = endpoint.unreadBody === 'ignored';
  if (draft.body !== undefined) return [];
  const bodies: ReadonlyArray<readonly [string, Draft['body']]> = [
    ['a body that is an empty object, where none is read', {}],
    ['a body with members, where none is read', { unexpected: true }],
    ['a body that is no JSON, where none is read', Buffer.from('nonsense')],
    ['a body of one space, where none is read', Buffer.from(' ')],
  ];
  return bodies.map(([what, body]) => mutation('body', what, valid, withBody(body)));
}

/** Mutations of the members of an object at a place of the body. */
function memberMutations(situation: Situation, type: ObjectContract, path: BodyPath, draft: Draft): Mutation[] {
  const out: Mutation[] = [];
  const here = contentAt(draft.body, path);
  if (path.length && !isObject(here)) return [];
  for (const member of type.members) {
    const at = [...path, member.name];
    const good = contentAt(draft.body, at);
    const aspect = `body ${at.join('.')}`;
    for (const { value, what, valid } of variantsAt(situation, member, good))
      out.push(mutation(aspect, `${at.join('.')} ${what}`, valid, (one) => withContent(one, at, value)));
    out.push(...within(situation, member.type, at, draft));
  }
  const unknown = (name: string, value: Content): Mutation =>
    mutation('body unknown', `has the unknown member ${[...path, name].join('.')}`, type.unknown === 'ignored', (one) =>
      withContent(one, [...path, name], value),
    );
  out.push(unknown('unexpected', true), unknown('__proto__', {}));
  const [first] = type.members;
  if (first) out.push(unknown(first.name.toUpperCase(), 'x'));
  if (path.length === 0) out.push(...identityMembers(situation, type, unknown));
  return out;
}

/** Fields of the resource that this request does not take are unknown members like others. */
function identityMembers(
  { contract }: Situation,
  type: ObjectContract,
  unknown: (name: string, value: Content) => Mutation,
): Mutation[] {
  const resource = type.members.find((one) => one.field !== null)?.field?.split('.')[0];
  const taken = new Set(type.members.map((one) => one.name));
  const fields = contract.resources.find((one) => one.name === resource)?.fields ?? [];
  return fields.filter((one) => !taken.has(one.name) && !one.name.includes('.')).map((one) => unknown(one.name, 'x'));
}

function within(situation: Situation, type: ContractType, at: BodyPath, draft: Draft): Mutation[] {
  if (type.kind === 'object') return memberMutations(situation, type, at, draft);
  const held = contentAt(draft.body, at);
  if (type.kind !== 'list' || type.of.kind !== 'object' || !isList(held) || held.length === 0) return [];
  return memberMutations(situation, type.of, [...at, 0], draft);
}

function variantsAt(situation: Situation, member: MemberContract, good: Content | undefined): Variant[] {
  const { random, known, endpoint } = situation;
  const patch = endpoint.body?.patch ?? false;
  const out: Variant[] = [
    { value: undefined, what: 'is left out', valid: member.presence === 'optional' || patch },
    { value: null, what: 'is null', valid: member.nullable },
  ];
  if (member.refersTo !== null) out.push(...referenceVariants(situation, member.refersTo, member.type));
  const field = member.field ?? lookedUpBy(situation, member.name);
  if (field !== null && member.type.kind === 'text') out.push(...takenTexts(situation, field));
  if (answersCsv(situation.version)) out.push(...csvTexts(member.type));
  return [...out, ...variantsOf(member.type, { random, now: known.now, good })];
}

const csvKnown = new WeakMap<VersionContract, boolean>();

/** Whether any endpoint answers with CSV. */
const answersCsv = (version: VersionContract): boolean =>
  once(csvKnown, version, () => version.endpoints.some(({ answers }) => answers.at(-1)?.body?.type.kind === 'csv'));

/** Texts that CSV quotes, or that a spreadsheet would compute. */
function csvTexts(type: ContractType): Variant[] {
  if (type.kind !== 'text' || type.pattern !== null || type.format !== null || type.oneOf !== null) return [];
  const { min, max } = type;
  const texts: ReadonlyArray<readonly [string, string]> = [
    ['=1+1', 'is a formula'],
    ['@A1', 'begins as a formula'],
    ['a,"b"', 'holds a comma and quotes'],
    ['a\r\nb', 'holds a line end'],
    ['-5', 'is a negative number'],
  ];
  return texts.map(([value, what]) => ({
    value,
    what,
    valid: value.length >= (min ?? 0) && value.length <= (max ?? value.length),
  }));
}

/** Texts that rows have already, in the same and in other letters: a rule may require unique values. */
function takenTexts({ rows, random }: Situation, field: string): Variant[] {
  const dot = field.indexOf('.');
  const own = field.slice(dot + 1);
  const texts = rows.of(field.slice(0, dot)).flatMap((row) => {
    const value = rows.value(row, own);
    return typeof value === 'string' && value !== '' ? [value] : [];
  });
  const some = random.some([...new Set(texts)], 3);
  return some.flatMap((text) => [
    { value: text, what: `is “${text}”, as a row has it`, valid: true },
    { value: text.toUpperCase(), what: `is “${text}” in large letters, as a row has it in others`, valid: true },
    { value: text.toLowerCase(), what: `is “${text}” in small letters, as a row has it in others`, valid: true },
    { value: ` ${text} `, what: `is “${text}”, as a row has it, between spaces`, valid: true },
  ]);
}

/** Forms that are malformed. */
const MALFORMED_FORMS: ReadonlyArray<readonly [string, Buffer]> = [
  ['ends with a percent sign', Buffer.from('a=%')],
  ['has an escape of one digit', Buffer.from('a=%4')],
  ['has an escape that is not hexadecimal', Buffer.from('a=%4g')],
  ['has an escape that is no UTF-8', Buffer.from('a=%ff')],
  ['has an escape of a surrogate', Buffer.from('%ed%a0%80=a')],
  ['is no UTF-8', Buffer.from([0x61, 0x3d, 0xff])],
  ['begins with a byte order mark', Buffer.from('\ufeff')],
];

/** Mutations of a form: of each value, which is a text or a list of texts, and of the whole. */
function ofForm(situation: Situation, type: ObjectContract, draft: Draft): Mutation[] {
  const out = type.members.flatMap((member) => ofPair(situation, member, draft));
  const append = (what: string, pair: string): void => {
    out.push(mutation('body', what, true, (one) => inForm(one, (text) => `${text}&${pair}`)));
  };
  const unknown = (name: string): void => {
    const change = (one: Draft): Draft => inForm(one, (text) => `${text}&${name}=x`);
    out.push(mutation('body unknown', `has the unknown name ${name}`, type.unknown === 'ignored', change));
  };
  for (const name of ['unexpected', '__proto__', 'constructor']) unknown(name);
  const [first] = type.members;
  if (first) unknown(first.name.toUpperCase());
  if (first) unknown(`${first.name}[]`);
  for (const [what, bytes] of MALFORMED_FORMS)
    out.push(mutation('body', `the form ${what}`, false, (one) => ({ ...one, body: bytes })));
  const optional = type.members.every((one) => one.presence === 'optional');
  out.push(mutation('body', 'the form is empty', optional, withBody(Buffer.alloc(0))));
  out.push(mutation('body', 'the form is JSON', false, withBody(Buffer.from(contentText(draft.body as Content)))));
  out.push(mutation('body', 'there is no body', false, withBody(undefined)));
  append('the form has empty pairs', '&');
  const written = (what: string, change: (text: string) => string): void => {
    out.push(mutation('body', what, true, (one) => inForm(one, change)));
  };
  written('spaces are %20', (text) => text.replaceAll('+', '%20'));
  written('escapes have small letters', (text) => text.replace(/%../g, (one) => one.toLowerCase()));
  written('letters are escaped', (text) =>
    text.replace(/(?<!%|%.)[a-z]/g, (one) => `%${one.charCodeAt(0).toString(16)}`),
  );
  written('values are not escaped', (text) => text.replace(/%(?!26|2B|25)[0-7]./g, decodeURIComponent));
  written('the pairs are in the opposite order', (text) => text.split('&').reverse().join('&'));
  return out;
}

/** The draft with the text of its form changed. */
function inForm(draft: Draft, change: (text: string) => string): Draft {
  return isObject(draft.body) ? { ...draft, body: Buffer.from(change(formText(draft.body))) } : draft;
}

/** Mutations of one value of a form. Values that differ only in JSON are one. */
function ofPair(situation: Situation, member: MemberContract, draft: Draft): Mutation[] {
  const { name, type } = member;
  const aspect = `body ${name}`;
  const out = variedPair(situation, member, draft);
  const pair = new URLSearchParams([[name, 'x']]).toString();
  const isRepeatable = type.kind === 'list' || type.kind === 'set';
  const twice = (one: Draft): Draft =>
    inForm(one, (text) => {
      const own = text.split('&').find((each) => each.startsWith(`${encodeURIComponent(name)}=`)) ?? `${pair}&${pair}`;
      return `${text}&${own}`;
    });
  if (!isRepeatable) out.push(mutation(aspect, `${name} is given twice`, false, twice));
  out.push(mutation(aspect, `${name} is given without a value`, false, (one) => withContent(one, [name], '')));
  return out;
}

/** Mutations of one value of a form, each with another text. */
function variedPair(situation: Situation, member: MemberContract, draft: Draft): Mutation[] {
  const { name } = member;
  const out: Mutation[] = [];
  const texts = new Set<string>();
  for (const { value, what, valid } of variantsAt(situation, member, contentAt(draft.body, [name]))) {
    if (value === null || (isList(value) && value.some((one) => one === null))) continue;
    const text = value === undefined ? '' : formText({ [name]: value });
    if (texts.has(text)) continue;
    texts.add(text);
    out.push(mutation(`body ${name}`, `${name} ${what}`, valid, (one) => withContent(one, [name], value)));
  }
  return out;
}

/** Heads of parts that a form cannot have, or that it has in another way. */
const HEADS: ReadonlyArray<readonly [what: string, change: (text: string) => string, valid: boolean]> = [
  ['the last boundary is missing', (text) => text.replace(`--${BOUNDARY}--`, ''), false],
  ['the boundary is another', (text) => text.replaceAll(BOUNDARY, `${BOUNDARY}x`), false],
  ['a part has no name', (text) => text.replace(/; name="[^"]*"/, ''), false],
  ['a part has two names', (text) => text.replace('; name="', '; name="x"; name="'), false],
  ['a part is an attachment', (text) => text.replace('form-data;', 'attachment;'), false],
  ['a part has no head', (text) => text.replace(/(?<=\r\n)Content-Disposition[\s\S]*?\r\n(?=\r\n)/, ''), false],
  ['a name is in the encoding of RFC 8187', (text) => text.replace('; name=', "; filename*=UTF-8''x; name="), false],
  ['lines end without a carriage return', (text) => text.replaceAll('\r\n', '\n'), false],
  ['a part is in base64', (text) => withField(text, 'Content-Transfer-Encoding: base64'), false],
  ['a part is in 8bit', (text) => withField(text, 'Content-Transfer-Encoding: 8bit'), true],
  ['a part has another header field', (text) => withField(text, 'X-Other: x'), true],
  ['something comes before the first boundary', (text) => `before\r\n${text}`, true],
  ['something comes after the last boundary', (text) => `${text}after`, true],
  ['spaces follow a boundary', (text) => text.replace(BOUNDARY, `${BOUNDARY} \t`), true],
];

const withField = (text: string, field: string): string =>
  text.replace('Content-Disposition', `${field}\r\nContent-Disposition`);

/** Mutations of a form of several parts: of each value and file, and of the heads of parts. */
function ofParts(situation: Situation, type: ObjectContract, draft: Draft): Mutation[] {
  const inBytes = (one: Draft, change: (text: string) => string): Draft => {
    const bytes = bytesOf(one);
    return bytes ? { ...one, body: Buffer.from(change(bytes.toString('latin1')), 'latin1') } : one;
  };
  const out = type.members.flatMap((member) =>
    member.type.kind === 'bytes' ? ofFile(member, member.type) : variedPair(situation, member, draft),
  );
  for (const [what, change, valid] of HEADS) out.push(mutation('body', what, valid, (one) => inBytes(one, change)));
  for (const { name, type: of } of type.members) {
    const isRepeatable = of.kind === 'list' || of.kind === 'set';
    const twice = (one: Draft): Draft => {
      const content = contentAt(one.body, [name]);
      return content === undefined || isList(content) ? one : withContent(one, [name], [content, content]);
    };
    if (!isRepeatable) out.push(mutation(`body ${name}`, `${name} is given twice`, false, twice));
  }
  const [first] = type.members;
  for (const name of ['unexpected', '__proto__', first?.name.toUpperCase() ?? 'x', `${first?.name}[]`])
    out.push(
      mutation('body unknown', `has the unknown part ${name}`, type.unknown === 'ignored', (one) =>
        withContent(one, [name], 'x'),
      ),
    );
  out.push(
    mutation(
      'body',
      'the form is empty',
      type.members.every((one) => one.presence === 'optional'),
      withBody({}),
    ),
  );
  out.push(mutation('body', 'the form is JSON', false, withBody(Buffer.from(contentText({ a: 1 })))));
  out.push(mutation('body', 'there is no body', false, withBody(undefined)));
  return out;
}

/** Mutations of a file in a form: of each media type, with first bytes of another, too long, empty, and left out. */
function ofFile({ name, presence }: MemberContract, type: BytesContract): Mutation[] {
  const isChecked = type.firstBytes === 'checked';
  const aspect = `body ${name}`;
  const put = (what: string, valid: boolean, value: Content | undefined): Mutation =>
    mutation(aspect, `${name} ${what}`, valid, (one) => withContent(one, [name], value));
  const [mediaType = ''] = type.mediaTypes;
  const latin1 = sampleBytes(type, mediaType, 3).toString('latin1');
  return [
    ...type.mediaTypes.map((one, i) => put(`is of ${one}`, true, { ...sampleFile(type, i) })),
    put('is of another type', false, { type: 'application/x-other', latin1 }),
    put('is of a type in another charset', false, { type: `${mediaType}; charset=latin1`, latin1 }),
    put('is a page of HTML', !isChecked, { type: mediaType, latin1: '<!DOCTYPE html><script>' }),
    put('is empty', !isChecked, { type: mediaType, latin1: '' }),
    put('has lines that look like boundaries', true, {
      type: mediaType,
      latin1: `${latin1}\r\n--x\r\n--${BOUNDARY.slice(1)}\r\n`,
    }),
    ...(type.max < LONGEST_FILE
      ? [put('is longer than it may be', false, { type: mediaType, latin1: latin1.padEnd(type.max + 1) })]
      : []),
    put('is left out', presence === 'optional', undefined),
  ];
}

/** No file longer than this is made. */
const LONGEST_FILE = 1024 * 1024;

/** Mutations of the body as a whole. */
function wholes(type: ObjectContract, { body }: Draft): Mutation[] {
  const out: Mutation[] = [mutation('body', 'there is no body', false, withBody(undefined))];
  for (const [what, text] of MALFORMED)
    out.push(mutation('body', `the body ${what}`, false, withBody(Buffer.isBuffer(text) ? text : Buffer.from(text))));
  for (const text of NO_OBJECTS) out.push(mutation('body', `the body is ${text}`, false, withBody(Buffer.from(text))));
  const optional = type.members.every((one) => one.presence === 'optional');
  out.push(mutation('body', 'the body is an empty object', optional, withBody({})));
  if (!isObject(body)) return out;
  const [name = 'unexpected'] = Object.keys(body);
  const escaped = `"\\u${(name.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}${name.slice(1)}":`;
  const raw = (what: string, made: (text: string, first: string) => string, valid: boolean): void => {
    const change = (draft: Draft): Draft => {
      if (!isObject(draft.body)) return draft;
      const first = Object.hasOwn(draft.body, name) ? contentText(draft.body[name] ?? null) : 'null';
      return { ...draft, body: Buffer.from(made(contentText(draft.body), first)) };
    };
    out.push(mutation('body', what, valid, change));
  };
  const quoted = `${JSON.stringify(name)}:`;
  raw(`the body has ${name} twice`, (text, first) => `{${quoted}${first},${text.slice(1)}`, false);
  raw(
    `the body has ${name} twice, once with an escape`,
    (text, first) => `{${escaped}${first},${text.slice(1)}`,
    false,
  );
  raw(`the body has ${name} with an escape in its name`, (text) => text.replace(quoted, () => escaped), true);
  raw('the body has white space around it', (text) => `\r\n\t ${text} \n`, true);
  raw('the body has something after its end', (text) => `${text}x`, false);
  raw('the body lacks its last brace', (text) => text.slice(0, -1), false);
  out.push(
    mutation('body', 'the members stand in the opposite order', true, (draft) =>
      isObject(draft.body) ? { ...draft, body: Object.fromEntries(Object.entries(draft.body).reverse()) } : draft,
    ),
  );
  return out;
}
