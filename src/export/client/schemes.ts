import type { Contract, SchemeContract } from '../../contract/contract.ts';
import { credentialField } from '../../plan/callers.ts';
import { Names } from '../json-schema.ts';
import { camel, comment, quote, withArticle } from './words.ts';

/** Names of the other options of a client, which credentials must not have. */
const OPTIONS = ['baseUrl', 'timeout', 'attempts', 'pause', 'longestPause', 'observe', 'fetch'];

/** Makes credentials of HTTP Basic (RFC 7617, section 2). */
const BASIC = [
  '/** The credentials of a user name, which must not contain a colon, and a password (RFC 7617). */',
  'export function basicCredentials(userName: string, password: string): string {',
  "  if (userName.includes(':')) throw new TypeError('A user name must not contain a colon');",
  "  const bytes = new TextEncoder().encode([userName, password].join(':'));",
  "  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));",
  '}',
  '',
];

/** The security schemes by the names of their options. */
export class Schemes {
  private readonly options: ReadonlyArray<readonly [option: string, scheme: SchemeContract]>;

  constructor({ schemes }: Contract) {
    const names = new Names();
    for (const one of OPTIONS) names.once(one);
    this.options = schemes.map((scheme) => [names.once(camel(scheme.name)), scheme]);
  }

  get any(): boolean {
    return this.options.length > 0;
  }

  /** Whether a scheme is HTTP Basic. */
  private get basic(): boolean {
    return this.options.some(([, { basic }]) => basic);
  }

  /** The options whose credentials an endpoint accepts; null if it accepts all, which is the default. */
  acceptedOptions(schemes: readonly string[]): readonly string[] | null {
    const accepted = this.options.filter(([, scheme]) => schemes.includes(scheme.name)).map(([option]) => option);
    return accepted.length === this.options.length ? null : accepted;
  }

  /** The option for the credentials of a scheme. */
  optionOf(name: string): string | undefined {
    return this.options.find(([, scheme]) => scheme.name === name)?.[0];
  }

  /** The credentials of schemes in the example of creating a client. */
  example(schemes: readonly string[] | null): string[] {
    return this.options
      .filter(([, { name }]) => schemes === null || schemes.includes(name))
      .map(([option, { basic }]) => `${option}: ${basic ? "basicCredentials('…', '…')" : "'…'"}`);
  }

  declarations(): string[] {
    if (!this.any) return [];
    return [
      `/** A key or a token${this.basic ? ', or what `basicCredentials` returns' : ''}, or a function that returns one for each request. */`,
      'export type Credential = string | (() => string | Promise<string>);',
      '',
      ...(this.basic ? BASIC : []),
      '/** The credentials of the caller. If there are several, each request carries the first that its endpoint accepts. */',
      'export interface Credentials {',
      ...this.options.flatMap(([option, scheme]) => [
        ...comment([aboutOf(scheme)], '  '),
        `  readonly ${option}?: Credential;`,
      ]),
      '}',
      '',
      '/** The header of each credential, and the text before the credential. */',
      'const SCHEMES: Readonly<Record<keyof Credentials, readonly [header: string, before: string]>> = {',
      ...this.options.map(([option, scheme]) => {
        const [header, before] = credentialField(scheme, '');
        return `  ${option}: [${quote(header)}, ${quote(before)}],`;
      }),
      '};',
      '',
    ];
  }
}

function aboutOf(scheme: SchemeContract): string {
  const { name, kind, caller, cookie, scopes } = scheme;
  const form = `\`${credentialField(scheme, '…').join(': ')}\`${cookie ? ', which browsers send by themselves' : ''}`;
  const listed = scopes.length ? ` Its scopes: ${scopes.map((one) => one.name).join(', ')}.` : '';
  return `${name} (${kind}) of ${withArticle(caller, 'a')}, sent as ${form}.${listed}`;
}
