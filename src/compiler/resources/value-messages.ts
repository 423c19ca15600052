import type { Entry } from '../../syntax/diagnostic.ts';
import { bullet } from '../../syntax/diagnostic.ts';

/** Findings about the allowed values and formats of fields and parameters, and about passwords. */
export const VALUES = {
  lengthOfFormat: {
    severity: 'error',
    what: (p) =>
      `No ${p.format} is so short: the shortest has ${p.shortest} characters. Allow ${p.shortest} or more characters in ${p.field}.`,
    why: 'No value would be allowed.',
  },
  setBeyond: {
    severity: 'error',
    what: (p) =>
      `${p.field} is a set of at least ${p.min} items, and its items have only ${p.different} different values. Lower the minimum, or allow more values.`,
    why: 'No value would be allowed: the items of a set differ.',
  },
  badPattern: {
    severity: 'error',
    what: (p) =>
      `This pattern cannot be used: ${p.reason}. Patterns have RE2 syntax, without backreferences and look-around.`,
    why: 'The service matches patterns in linear time, so no value can take long.',
  },
  patternNever: {
    severity: 'error',
    what: (p) => `No ${p.what} matches this pattern: ${p.reason}. Correct the pattern, or the format.`,
    why: 'No request could send such a value.',
  },
  patternSize: {
    severity: 'error',
    what: (p) =>
      `This pattern has ${p.size} steps when its repetitions are written out; at most ${p.most} are allowed. Lower its repetition counts.`,
    why: 'The time to match a value grows with its length times the number of steps.',
  },
  formatOfType: {
    severity: 'error',
    what: (p) =>
      `${p.field} is ${p.type}, which cannot have the format “${p.format}”. ${p.format === 'password' || p.format === 'secret' ? `Only a field of the type string is a ${p.format}.` : 'Only strings have a format.'} Write “none”, or change the type.`,
    why: 'No other value could have this format.',
    write: () => 'none',
  },
  allowedOfType: {
    severity: 'error',
    what: (p) => `${p.field} is ${p.type}, which cannot have the allowed values “${p.allowed}”. Allowed: ${p.fits}.`,
    why: 'The service could not enforce them.',
  },
  valueOfFormat: {
    severity: 'error',
    what: (p) =>
      `“${p.value}” does not have the format “${p.format}”, so ${p.field} cannot be “${p.value}”. Remove the value, or write “none” under “Format”.`,
    why: 'The service could not enforce the format and allow the value.',
  },
  stringBound: {
    severity: 'question',
    what: (p) => `How many characters may ${p.field} have?`,
    why: 'A string needs a maximum length, “one of …”, a pattern, or a format that bounds it.',
    write: () => 'at most 200 characters',
    puts: { column: 'Allowed values' },
  },
  bytesBounds: {
    severity: 'question',
    what: (p) => `How many bytes may ${p.field} have, and of which media types may they be?`,
    why: 'Bytes need a largest number, and each media type that a request may send.',
    write: () => 'at most 10 MiB, image/png, image/jpeg, first bytes checked',
    puts: { column: 'Allowed values' },
  },
  firstBytes: {
    severity: 'question',
    what: (p) =>
      `A client says that ${p.field} is an image, and sends other bytes. Are the first bytes compared with the stated media type?`,
    why: 'The header Content-Type says what the client claims.',
    write: () => ', first bytes checked',
  },
  firstBytesUnknown: {
    severity: 'error',
    what: (p) =>
      `The first bytes of ${p.found} cannot be checked. They can be checked for ${p.all}. Write “first bytes not checked”, or leave this type out.`,
    why: 'Other types have no fixed first bytes.',
  },
  bytesGivenBy: {
    severity: 'error',
    what: (p) => `${p.field} holds bytes, which only a request can give. Write “request” under “Given by”.`,
    why: 'No expression computes bytes, and the operator’s commands take none.',
    write: () => 'request',
  },
  bytesUnique: {
    severity: 'error',
    what: (p) =>
      `${p.field} holds bytes, which cannot be unique by themselves. Write “no”, and a rule about \`sha256\`: “Unique: …”.`,
    why: 'A unique rule compares values, such as the digest of the bytes.',
    write: () => 'no',
  },
  integerBounds: {
    severity: 'question',
    what: (p) => `What are the smallest and the largest value of ${p.field}?`,
    why: 'An integer needs both bounds.',
    write: () => '0 to 1000',
    puts: { column: 'Allowed values' },
  },
  keyBounds: {
    severity: 'question',
    what: (p) => `How many characters may the keys of ${p.field} have?`,
    why: 'Clients choose the keys of a map, so the keys need a bound.',
    write: () => 'at most 20 items, keys 1 to 40 characters, each …',
    puts: { column: 'Allowed values' },
  },
  keysOfNone: {
    severity: 'error',
    what: (p) => `${p.field} has no keys: only a map has keys. Remove “keys …”.`,
    why: 'A statement without effect hides a mistake.',
  },
  eachOfReferences: {
    severity: 'error',
    what: (p) => `The items of ${p.field} are references, which have no allowed values. Remove “, each …”.`,
    why: 'Any row of the resource may be an item.',
  },
  itemCount: {
    severity: 'question',
    what: (p) => `How many items may ${p.field} have?`,
    why: 'Without a bound, only the memory of the machine would limit the list.',
    write: () => 'at most 20 items',
    puts: { column: 'Allowed values' },
  },
  itemBounds: {
    severity: 'question',
    what: (p) => `How many items may ${p.field} have, and which values may an item have?`,
    why: 'Without a bound, only the memory of the machine would limit the list.',
    write: () => 'at most 20 items, each 1 to 50 characters',
    puts: { column: 'Allowed values' },
  },
  passwordHash: {
    severity: 'question',
    what: () => 'With which scrypt parameters does the service hash passwords?',
    why: 'Ninefold has no defaults. Greater parameters make a stolen hash harder to guess, and a login slower.',
    write: () => bullet('Passwords', 'scrypt (RFC 7914), N 131072, r 8, p 1'),
  },
  passwordWeak: {
    severity: 'error',
    what: () =>
      'These scrypt parameters are too weak. N is a power of 2 from 8192, r is 8 or more, and N × r × p is at least 8192 × 8 × 10.',
    why: 'The bound is the weakest set of parameters that OWASP recommends.',
    write: () => bullet('Passwords', 'scrypt (RFC 7914), N 131072, r 8, p 1'),
  },
  passwordHeavy: {
    severity: 'error',
    what: () =>
      'These scrypt parameters are too large. A hash may take at most 256 MiB of memory (128 × N × r bytes), and at most 64 times the work of the weakest allowed parameters.',
    why: 'Each login computes a hash.',
    write: () => bullet('Passwords', 'scrypt (RFC 7914), N 131072, r 8, p 1'),
  },
  passwordLength: {
    severity: 'error',
    what: (p) =>
      `The allowed values of the password ${p.field} are a minimum and a maximum of characters, and nothing else.`,
    why: 'Rules about the characters of a password make it easier to guess. Without a maximum length, hashing a password could take any amount of time.',
    write: () => '12 to 200 characters',
  },
  passwordUse: {
    severity: 'error',
    what: (p) => `${p.field} is a ${p.is}, which cannot ${p.use}. Remove it here.`,
    why: 'The service stores only the hash of a password or a secret. A request can send one, and Authenticate can verify it.',
  },
  passwordSecond: {
    severity: 'error',
    what: (p) => `${p.field} is a second ${p.is}. A resource has at most one.`,
    why: 'Authenticate verifies the password, or the secret, of the row.',
  },
  secretLength: {
    severity: 'error',
    what: (p) =>
      `The allowed values of the secret ${p.field} are a minimum and a maximum of characters, and nothing else. A secret has 43 characters: the minimum is at most 43, and the maximum at least 43.`,
    why: 'The service draws a secret of 256 random bits, as 43 characters of base64url. The bounds are those of a text that a request may send.',
    write: () => '1 to 200 characters',
  },
  secretGiven: {
    severity: 'error',
    what: (p) => `${p.field} is a secret, and its one source is “steps”: the step Issue draws it. Write “steps”.`,
    why: 'A text that somebody else has chosen could be guessed.',
    write: () => 'steps',
  },
  secretPresence: {
    severity: 'error',
    what: (p) => `${p.field} is a secret, which a row has once Issue has drawn it. Write “optional”.`,
    why: 'A row is created before its secret is drawn. No request with a secret matches a row without one.',
    write: () => 'optional',
  },
} satisfies Record<string, Entry>;
