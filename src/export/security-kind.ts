import type { BasicContract, CookieContract, SchemeContract } from '../contract/contract.ts';
import { typeText } from '../contract/words.ts';
import { codeSpan } from './code-span.ts';
import type { JsonObject } from './json.ts';

/**
 * How a scheme of credentials is described in OpenAPI, and in AsyncAPI, which has other words for a key in a header. A
 * word before the credentials is a scheme of HTTP only in the header Authorization, and tools know one of those: Bearer
 * (RFC 6750). With any other word, the value of the header is the word and the credentials together.
 */
export function securityKind(scheme: SchemeContract, key: JsonObject): JsonObject {
  const { description, ...kind } = kindOf(scheme, key);
  const texts = [description, ...tokenTexts(scheme)].filter((one) => typeof one === 'string' && one);
  return { ...kind, ...(texts.length ? { description: texts.join(' ') } : {}) };
}

/** The facts that the issuer of a token has to know. */
function tokenTexts({ token }: SchemeContract): string[] {
  if (!token) return [];
  const claims = token.claims.map(
    ({ name, type, required }) => `${codeSpan(name)} (${typeText(type)}${required ? '' : ', optional'})`,
  );
  return [
    `A JSON Web Token (RFC 7519) of the issuer ${codeSpan(token.issuer)} for the audience ${codeSpan(token.audience)}, signed with ${token.algorithm}.`,
    ...(claims.length ? [`Claims: ${claims.join(', ')}.`] : []),
  ];
}

function kindOf({ kind, header, word, cookie, basic }: SchemeContract, key: JsonObject): JsonObject {
  if (cookie) return { ...key, in: 'cookie', name: cookie.name, description: cookieText(cookie) };
  if (basic) return { type: 'http', scheme: 'basic', description: basicText(basic) };
  if (header.toLowerCase() === 'authorization' && word?.toLowerCase() === 'bearer')
    return { type: 'http', scheme: 'bearer', ...(kind === 'API key' ? {} : { bearerFormat: 'JWT' }) };
  const what = kind === 'API key' ? 'the key' : 'the token';
  const before =
    word === null
      ? {}
      : { description: `\`${header}: ${word} …\`. The value has to be the word “${word}”, a space, and then ${what}.` };
  return { ...key, name: header, ...before };
}

const othersOf = ({ origins }: CookieContract | BasicContract): string =>
  origins.length ? ` or of ${origins.map((one) => `\`${one}\``).join(', ')}` : '';

const basicText = (basic: BasicContract): string =>
  `The user name is the ${basic.userName}${basic.ignoresCase ? ', in upper or lower case' : ''}; both are UTF-8. A browser may send the credentials by itself. A request with a method other than GET and the header \`Origin\` is accepted only from pages of the service${othersOf(basic)}.`;

function cookieText(cookie: CookieContract): string {
  return `An answer sets the cookie, and a browser sends it by itself. A request that sends the cookie or asks for it, with a method other than GET, is accepted only from pages of the service${othersOf(cookie)}. The header \`Origin\` names the page; without this header, the request needs \`Sec-Fetch-Site: same-origin\`.`;
}
