/** The signature algorithms of tokens (RFC 7518, section 3.1; RFC 8037). */
export const ALGORITHMS = ['HS256', 'HS384', 'HS512', 'RS256', 'PS256', 'ES256', 'EdDSA'] as const;

export type Algorithm = (typeof ALGORITHMS)[number];
