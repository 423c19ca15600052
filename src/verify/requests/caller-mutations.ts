import type { BasicContract, SchemeContract } from '../../contract/contract.ts';
import { credentialField } from '../../plan/callers.ts';
import { withOtherCharacter } from '../report/derived-value.ts';
import { admitted, withCredentials } from './bases.ts';
import type { Base, Mutation, Situation } from './candidate.ts';
import { withHeader } from './draft.ts';
import type { Credentials } from './known.ts';

/** Mutations of the caller of a request: other known credentials, none, and malformed ones. */
export function callerMutations(situation: Situation, { caller }: Base): Mutation[] {
  const { contract, known, endpoint } = situation;
  const out: Mutation[] = [];
  const seen = new Set<string>();
  for (const one of known.credentials) {
    const { scheme, resource, identity, scopes, claims, standing } = one;
    const kind = [scheme, resource, identity, scopes.join(), JSON.stringify(claims), standing].join(' ');
    if (one === caller || seen.has(kind)) continue;
    seen.add(kind);
    out.push(as(situation, one));
  }
  for (const scheme of contract.schemes)
    if (endpoint.access.schemes.length > 0 || scheme === contract.schemes[0])
      out.push(...malformed(scheme, caller?.scheme === scheme.name ? caller : null, contract.schemes));
  return out;
}

/** Credentials of each scheme that were accepted before and have ended. */
export function expired(situation: Situation): Mutation[] {
  const { contract, known } = situation;
  return contract.schemes.flatMap(({ name }) => {
    const one = known.credentials.findLast(({ scheme, standing }) => scheme === name && standing === 'expired');
    return one ? [as(situation, one)] : [];
  });
}

function as(situation: Situation, one: Credentials): Mutation {
  const scopes = one.scopes.length ? ` with ${one.scopes.join(', ')}` : ' without scopes';
  const told = JSON.stringify(one.claims);
  const claims = told === '{}' ? '' : ` and the claims ${told}`;
  const standing = one.standing === 'good' ? '' : ` (${one.standing})`;
  return {
    aspect: 'caller',
    what: `the credentials are those of ${one.resource} “${one.identity}”${scopes}${claims}${standing}`,
    valid: admitted(situation, one),
    change: (draft) => {
      const bare = situation.contract.schemes.reduce((made, { header }) => withHeader(made, header, null), draft);
      return withCredentials(bare, situation.contract.schemes, one);
    },
  };
}

function malformed(scheme: SchemeContract, caller: Credentials | null, schemes: readonly SchemeContract[]): Mutation[] {
  const mutation = (what: string, value: string | null, valid = false): Mutation => ({
    aspect: 'credentials',
    what,
    valid,
    change: (draft) => withHeader(draft, scheme.header, value),
  });
  const { name, header, word, kind, cookie, basic } = scheme;
  const [, before] = credentialField(scheme, '');
  const out = [
    mutation(`there are no credentials of ${name}`, null),
    mutation(`the credentials of ${name} are none that anybody has`, `${before}not-a-credential`),
    mutation(`the header ${header} is empty`, ''),
  ];
  const good = caller?.text;
  if (word !== null) {
    out.push(mutation(`the header ${header} has the word ${word} alone`, word));
    out.push(mutation(`the header ${header} has credentials of Basic`, 'Basic YTpi'));
    out.push(mutation(`the header ${header} has a word that nothing asks for`, `Nonsense ${good ?? 'x'}`));
    if (good !== undefined) {
      out.push(mutation(`the word ${word} stands in small letters`, `${word.toLowerCase()} ${good}`, true));
      out.push(mutation(`the word ${word} stands in large letters`, `${word.toUpperCase()} ${good}`, true));
      out.push(mutation('two spaces stand after the word', `${word}  ${good}`, true));
      out.push(mutation('no word stands before the credentials', good));
    }
  }
  if (cookie) for (const [what, value, valid] of cookies(cookie.name, good)) out.push(mutation(what, value, valid));
  if (good === undefined) return out;
  for (const other of schemes)
    if (word !== null && other.word !== null && other.word.toLowerCase() !== word.toLowerCase())
      out.push(
        mutation(`the word ${other.word} of ${other.name} stands before the credentials`, `${other.word} ${good}`),
      );
  out.push(mutation('the credentials lack their last character', before + good.slice(0, -1)));
  out.push(mutation('the credentials have one character more', `${before}${good}A`));
  out.push(mutation('one character of the credentials is another', before + withOtherCharacter(good)));
  out.push(mutation('the credentials stand there twice', `${before}${good}${cookie ? ';' : ','} ${before}${good}`));
  if (good !== good.toLowerCase())
    out.push(mutation('the credentials stand in small letters', before + good.toLowerCase()));
  if (basic) for (const [what, text, valid] of users(good, basic)) out.push(mutation(what, before + text, valid));
  if (kind === 'JWT') for (const [what, text] of forged(good)) out.push(mutation(what, before + text));
  return out;
}

/** Cookies that are empty, and, with good credentials, in other spellings and among other cookies. */
function cookies(
  name: string,
  good: string | undefined,
): Array<readonly [what: string, value: string, valid: boolean]> {
  const out: Array<readonly [string, string, boolean]> = [
    [`the cookie ${name} is empty`, `${name}=`, false],
    [`the cookie ${name} has no value`, name, false],
  ];
  if (good === undefined) return out;
  return [
    ...out,
    ['the value of the cookie is in quotes', `${name}="${good}"`, false],
    ['the name of the cookie is in other letters', `${name.toUpperCase()}=${good}`, false],
    ['a second cookie of the name is empty', `${name}=${good}; ${name}=`, false],
    ['a second cookie of the name comes first', `${name}=x; ${name}=${good}`, false],
    ['other cookies stand around the cookie', `a=1; ${name}=${good}; b="2"`, true],
    ['a cookie without a name has the text of the cookie', `=${name}=${good}`, false],
  ];
}

/** Credentials of HTTP Basic that resemble good ones: another user name or password, and other forms (RFC 7617). */
function users(
  good: string,
  { ignoresCase }: BasicContract,
): Array<readonly [what: string, text: string, valid: boolean]> {
  const plain = Buffer.from(good, 'base64');
  const text = plain.toString();
  const colon = text.indexOf(':');
  const [name, password] = [text.slice(0, colon), text.slice(colon + 1)];
  const of = (what: string, given: string | Buffer, valid = false) =>
    [what, Buffer.from(given).toString('base64'), valid] as const;
  return [
    of('the last character of the password is another', text.slice(0, -1) + (text.endsWith('x') ? 'y' : 'x')),
    of('the password has one character more', `${text}x`),
    of('the password is in large letters', `${name}:${password.toUpperCase()}`),
    of('the password is in small letters', `${name}:${password.toLowerCase()}`),
    of('the password is empty', `${name}:`),
    of('a space stands after the password', `${text} `),
    of('the user name is in large letters', `${name.toUpperCase()}:${password}`, ignoresCase),
    of('the user name is in small letters', `${name.toLowerCase()}:${password}`, ignoresCase),
    of('the user name has one character more', `${name}x:${password}`),
    of('the user name is empty', `:${password}`),
    of('there is no colon', `${name}${password}`),
    of('two colons stand after the user name', `${name}::${password}`),
    of('the password has a control character', `${name}:${password}\u0001`),
    of('a byte order mark stands before the user name', `\ufeff${text}`),
    of('the credentials are not in UTF-8', Buffer.concat([plain, Buffer.from([0xe4])])),
    of('a second pair stands after a line break', `${text}\n${text}`),
    ...(/^[!-~]+$/.test(text) ? [['the credentials stand there without base64', text, false] as const] : []),
    ['the credentials are in base64 without padding', good.replaceAll('=', ''), !good.endsWith('=')],
    ['the credentials have stray padding', `${good}====`, false],
  ];
}

/** Tokens that nobody has signed (RFC 8725, section 2.1, 3.2). */
function forged(token: string): Array<readonly [string, string]> {
  const [head = '', payload = '', signature = ''] = token.split('.');
  const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
  return [
    ['the token says that it is not signed', `${none}.${payload}.`],
    ['the token says that it is not signed and has a signature', `${none}.${payload}.${signature}`],
    ['the token lacks its signature', `${head}.${payload}.`],
    ['the token lacks a part', `${head}.${payload}`],
    ['the token has another payload', `${head}.${Buffer.from('{"sub":"1"}').toString('base64url')}.${signature}`],
  ];
}
