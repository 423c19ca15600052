import { catalogue } from '../../source/diagnostic.ts';

export const authenticationDiagnostics = catalogue('authentication', {
  unheaded: {
    severity: 'error',
    what: () => 'This speaks of one scheme, and stands above the heading of any.',
    why: 'A service may have several schemes. Each has a heading of the third level, which is its name, and its bullets stand under it.',
    write: (p) => p.heading || null,
  },
  header: {
    severity: 'error',
    what: (p) => `“${p.found}” does not say where the ${p.holds ?? 'key'} stands.`,
    why: 'The header and the scheme in it have to be exact (RFC 9110, section 11).',
    write: (p) => `\`Authorization: Bearer {${p.holds ?? 'key'}}\``,
  },
  headerTaken: {
    severity: 'error',
    what: (p) => `The header ${p.name} has a meaning of its own.`,
    why: 'HTTP or the language reads it already.',
    write: () => '`X-API-Key: {key}`',
  },
  scopeUnnamed: {
    severity: 'question',
    what: () => 'This scope has no name.',
    why: 'Endpoints name the scope they need.',
  },
  scopeUnexplained: {
    severity: 'question',
    what: () => 'What does this scope let the caller do?',
    why: 'Whoever hands out a key has to know.',
  },
  keysAddress: {
    severity: 'error',
    what: (p) => `“${p.found}” is not an address that keys can be trusted from.`,
    why: 'Whoever can answer for the address can sign tokens: it begins with `https`, or is on this very machine.',
    write: () => '- Keys: from `https://id.example/keys`, kept 10 minutes',
  },
  tokensOnly: {
    severity: 'error',
    what: (p) => `“${p.key}” speaks of tokens, and “${p.scheme}” has API keys.`,
    why: 'It would be a statement without effect.',
  },
  issuedByNobody: {
    severity: 'error',
    what: (p) => `${p.kind} are not issued by ${p.by}.`,
    why: 'API keys are issued by the operator or by steps; a JWT by steps or by its issuer; an OAuth 2 access token by its issuer.',
  },
  keptForm: {
    severity: 'error',
    what: (p) => (p.kind === 'API key' ? 'What is kept of an API key?' : 'A token is good until its time is over.'),
    why: 'An API key is issued and revoked, and kept as a hash. A token is issued, and nothing of it is kept by which it could be revoked.',
    write: (p) =>
      p.kind === 'API key'
        ? '- Credentials: issued and revoked by steps, each for one Customer, kept as a hash'
        : '- Credentials: issued by steps, each for one Customer',
  },
  neverIssued: {
    severity: 'error',
    what: (p) => `No step issues credentials of “${p.scheme}”.`,
    why: 'Nobody could ever have one.',
    write: (p) => `1. Issue \`token\`: ${p.scheme} for \`customer\`.`,
  },
  keysOfIssuer: {
    severity: 'error',
    what: (p) => p.what ?? '',
    why: 'What signs a token has to be a secret; what only tells whether it is sound may be published, and a shared secret is both.',
    write: (p) => p.write ?? null,
  },
  lifetimeForm: {
    severity: 'error',
    what: (p) =>
      p.by === 'steps'
        ? 'Steps issue these tokens: how long is one good?'
        : 'The issuer says how long its tokens are good.',
    why: 'Of tokens from elsewhere it can be said what is taken at most, and of those from here how long they are good.',
    write: (p) => (p.by === 'steps' ? '- Lifetime: 1 hour' : '- Lifetime: at most 1 hour'),
  },
  subjectUnique: {
    severity: 'error',
    what: (p) => `Several rows of ${p.resource} may have the same ${p.field}.`,
    why: 'A token stands for one caller.',
    write: (p) => p.write ?? null,
  },
  bearerHeader: {
    severity: 'error',
    what: () => 'OAuth 2 bearer tokens stand in `Authorization` after `Bearer`.',
    why: 'RFC 6750, section 2.1.',
    write: () => '- Header: `Authorization: Bearer {token}`',
  },
  scopesTwice: {
    severity: 'error',
    what: (p) => p.what ?? '',
    why: 'What scopes there are stands in the table, and where a token lists them in the bullet; OAuth 2 access tokens list them in `scope` (RFC 9068).',
  },
  schemeUnsaid: {
    severity: 'question',
    what: (p) => `Which ${p.what} has “${p.scheme}”?`,
    why: 'Of each scheme it is said how its credentials are sent, who issues them, and how far they reach.',
    write: (p) => p.write ?? null,
  },
  caller: {
    severity: 'question',
    what: (p) => `Which row is the caller of “${p.scheme}”?`,
    why: 'Expressions speak of `caller`.',
    write: (p) => `- Caller: ${p.resource}`,
  },
  callerDiffers: {
    severity: 'error',
    what: (p) => `The caller is ${p.caller}, yet each key is for one ${p.credentials}.`,
    why: 'A key stands for the row it was issued for.',
    write: (p) => `- Caller: ${p.credentials}`,
  },
  unaccepted: {
    severity: 'question',
    what: (p) => `What becomes of credentials that are not accepted, at ${p.endpoint}?`,
    why: 'An endpoint that anyone may call takes requests without credentials. One that brings some has to be told whether they hold.',
    write: () => '- Unaccepted credentials where none are needed: refused',
  },
  unacceptedUnused: {
    severity: 'error',
    what: () => 'Every endpoint needs credentials.',
    why: 'The statement speaks of endpoints that anyone may call.',
  },
  scopeUnused: {
    severity: 'error',
    what: (p) => `No endpoint and no rule asks for the scope “${p.scope}”.`,
    why: 'A scope that opens nothing is a statement without effect.',
  },
  origins: {
    severity: 'question',
    what: () => 'May pages of other origins call the service from a browser?',
    why: 'Browsers ask before they send, and no answer is given that the document doesn’t state.',
    write: () => '- Browser origins: none',
  },
  origin: {
    severity: 'error',
    what: (p) => `“${p.found}” is not an origin as browsers write it.`,
    why: 'An origin is `http` or `https`, a host in lower case, and a port unless it is the usual one; it is compared as text.',
    write: (p) => p.origin || '`https://app.example`',
  },
  originsAny: {
    severity: 'error',
    what: () => 'Credentials that browsers send of their own accord would go to any page that asks.',
    why: 'The Fetch Standard refuses an answer for any origin where credentials are included.',
    write: () => 'any, without credentials',
  },
  originsDiffer: {
    severity: 'error',
    what: () => 'Another scheme says otherwise which pages may call.',
    why: 'A browser that asks beforehand does not say yet which credentials it will send.',
    write: () => '- Browser origins, once, under `## Authentication`',
  },
  originsShown: {
    severity: 'error',
    what: (p) => `No answer carries the header ${p.name}.`,
    why: 'Showing it would be a statement without effect.',
  },
});
