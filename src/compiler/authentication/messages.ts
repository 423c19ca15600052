import { AUTHENTICATION, AUTHENTICATION_VALUES } from '../../language/authentication.ts';
import { questionsOf } from '../../language/statement.ts';
import { bullet, graded, row } from '../../syntax/diagnostic.ts';

/** Findings about statements without effect: neither errors nor open questions. */
const STANDINGS = { idle: ['neverIssued', 'realmUnused', 'unacceptedUnused', 'scopeUnused', 'claimUnused'] } as const;

export const authenticationDiagnostics = graded('authentication', STANDINGS, {
  ...AUTHENTICATION_VALUES,
  ...questionsOf(AUTHENTICATION),
  unheaded: {
    severity: 'error',
    what: () =>
      'This bullet belongs to a scheme, but comes before the first heading of a scheme. Move it below a `###` heading with the name of the scheme.',
    why: 'A service may have several schemes.',
    write: (p) => p.heading || null,
  },
  scopeUnnamed: {
    severity: 'question',
    what: () => 'Which name does this scope have? The cell under “Scope” is blank.',
    why: 'Endpoints name the scope that they need.',
    puts: { column: 'Scope' },
  },
  scopeUnexplained: {
    severity: 'question',
    what: () => 'What does this scope let the caller do?',
    why: 'The person who issues a key has to know.',
    puts: { column: 'Lets the caller' },
  },
  tokensOnly: {
    severity: 'error',
    what: (p) =>
      `“${p.key}” is a bullet of token schemes, and “${p.scheme}” ${p.kind === 'API key' ? 'issues API keys' : 'is HTTP Basic'}. Remove it.`,
    why: 'A statement without effect hides a mistake.',
    puts: 'removal',
  },
  issuedByNobody: {
    severity: 'error',
    what: (p) =>
      `${p.kind} cannot be issued by ${p.by}. The operator or steps issue API keys; steps or an issuer issue a JWT; an issuer issues OAuth 2 access tokens.`,
    why: 'Nobody would have valid credentials.',
  },
  keptForm: {
    severity: 'error',
    what: (p) =>
      p.kind === 'API key'
        ? 'An API key is issued and revoked, and the service stores its hash: end with “kept as a hash”.'
        : p.kind === 'HTTP Basic'
          ? 'HTTP Basic carries the user name and the password of a row, which nobody issues. Name the resource of these rows.'
          : 'A token can be neither revoked nor stored: write “issued by”, without “revoked” and “kept as a hash”.',
    why: 'The service stores nothing of a token by which it could revoke the token.',
    write: (p) =>
      p.kind === 'API key'
        ? bullet('Credentials', 'issued and revoked by steps, each for one Customer, kept as a hash')
        : p.kind === 'HTTP Basic'
          ? bullet('Credentials', `user name and password of one ${p.resource}`)
          : bullet('Credentials', 'issued by steps, each for one Customer'),
  },
  neverIssued: {
    severity: 'error',
    what: (p) => `The credentials of “${p.scheme}” are issued by steps, and no step issues them. Add an Issue step.`,
    why: 'Nobody could ever call with this scheme.',
    write: (p) => `1. Issue \`token\`: ${p.scheme} for \`customer\`.`,
  },
  keysOfIssuer: {
    severity: 'error',
    what: (p) => p.what ?? '',
    why: 'The key that signs tokens is secret. Only the key that verifies them can be published, and with HS256 the two are the same.',
    write: (p) => p.write ?? null,
  },
  lifetimeForm: {
    severity: 'error',
    what: (p) =>
      p.by === 'steps'
        ? 'Steps issue these tokens. “Lifetime” takes a length of time, such as “1 hour”.'
        : 'An issuer issues these tokens. “Lifetime” takes “as the token says”, or a maximum, such as “at most 1 hour”.',
    why: 'The service decides how long its own tokens are valid. For the tokens of an issuer, it can only refuse those that are valid for too long.',
    write: (p) => (p.by === 'steps' ? bullet('Lifetime', '1 hour') : bullet('Lifetime', 'at most 1 hour')),
  },
  subjectUnique: {
    severity: 'error',
    what: (p) =>
      `Several rows of ${p.resource} can have the same ${p.field}. Name the identity, or a string or an integer that is unique.`,
    why: 'A token has one caller.',
    write: (p) => p.write ?? null,
  },
  bearerHeader: {
    severity: 'error',
    what: () => 'An OAuth 2 bearer token is sent in `Authorization` after `Bearer`.',
    why: 'RFC 6750, section 2.1.',
    write: () => bullet('Header', '`Authorization: Bearer {token}`'),
  },
  basicHeader: {
    severity: 'error',
    what: () => 'The credentials of HTTP Basic are sent in `Authorization` after `Basic`.',
    why: 'RFC 7617, section 2.',
    write: () => bullet('Header', '`Authorization: Basic {credentials}`'),
  },
  realm: {
    severity: 'question',
    what: (p) => `Which realm do the challenges of “${p.scheme}” name?`,
    why: 'A challenge of HTTP Basic has a realm, which browsers show to their users (RFC 7617, section 2).',
    write: () => bullet('Realm', '`orders`, charset UTF-8'),
  },
  realmUnused: {
    severity: 'error',
    what: (p) => `“Realm” is a bullet of HTTP Basic, and “${p.scheme}” is not. Remove it.`,
    why: 'A statement without effect hides a mistake.',
    puts: 'removal',
  },
  crossOriginBasic: {
    severity: 'question',
    what: (p) =>
      `Once its user has signed in, a browser sends the credentials of “${p.scheme}” by itself, also for a page of another origin. Are requests of such pages that write refused?`,
    why: 'Otherwise any page could act in the name of its visitor (cross-site request forgery).',
    write: () => bullet('Cross-origin writes', 'refused'),
  },
  scopesOfBasic: {
    severity: 'error',
    what: (p) =>
      `The credentials of “${p.scheme}” carry no scopes. Remove the table, write “Scopes: none”, and let Require read a field of the caller.`,
    why: 'HTTP Basic sends a user name and a password, and nothing else (RFC 7617).',
    write: () => bullet('Scopes', 'none'),
  },
  passwordOfBasic: {
    severity: 'error',
    what: (p) => `No field of ${p.resource} is a password. Add a field of the format password.`,
    why: 'The service compares the sent password with the password of the row.',
    write: () => row('password', 'string', 'password', '12 to 200 characters', 'request', 'always', 'no'),
  },
  userName: {
    severity: 'question',
    what: (p) => `Which field of ${p.resource} is the user name?`,
    why: 'HTTP Basic sends a user name, which has to find one row.',
    write: (p) => bullet('Caller', `${p.resource} whose ${p.field ?? 'email'} is the user name`),
  },
  userNameUnique: {
    severity: 'error',
    what: (p) =>
      `${p.resource}.${p.field} cannot be the user name. Name a string that is unique by itself and without a condition.`,
    why: 'A user name has one caller.',
  },
  userNameCase: {
    severity: 'error',
    what: (p) =>
      p.ignores
        ? `The unique rule of ${p.resource}.${p.field} distinguishes upper and lower case. Remove “, ignoring case”, or let the rule ignore case.`
        : `The unique rule of ${p.resource}.${p.field} ignores case, and so does the comparison with the user name. Add “, ignoring case”.`,
    why: 'The row is found by this rule.',
    write: (p) => (p.ignores ? null : `whose ${p.field} is the user name, ignoring case`),
  },
  subjectClaim: {
    severity: 'error',
    what: (p) =>
      `“${p.scheme}” issues tokens: a claim names the caller, and is compared exactly. Write “whose ${p.field} is claim” and the name of the claim.`,
    why: 'Only HTTP Basic sends a user name.',
    write: (p) => `whose ${p.field} is claim \`sub\``,
  },
  guessing: {
    severity: 'question',
    what: (p) =>
      `Requests to ${p.endpoint} can carry a password of “${p.scheme}”. How many may one address send, before the service verifies the password?`,
    why: 'Without a rate of each address, anybody can guess passwords, and each guess costs the service a hash.',
    write: () => row('Rate', '600 requests per minute', 'each address, before authentication'),
  },
  headerAndCookie: {
    severity: 'error',
    what: (p) => `The credentials of “${p.scheme}” are in a header and in a cookie. Remove one of the two bullets.`,
    why: 'A request carries its credentials in one place. For two places, state two schemes.',
  },
  cookieName: {
    severity: 'error',
    what: (p) => p.what ?? '',
    why: 'Browsers send a cookie named `__Host-…` only to the host that has set it, with TLS, and let no other host set it (RFC 6265bis, section 4.1.3).',
  },
  cookieMissing: {
    severity: 'question',
    what: (p) => `Which cookie carries the credentials of “${p.scheme}”?`,
    why: 'The scheme states which origins may write with its cookie.',
    write: () =>
      bullet('Cookie', '`__Host-session={key}`, HttpOnly, SameSite Lax, Max-Age 30 days, removed when refused'),
  },
  cookieUnsaid: {
    severity: 'question',
    what: (p) => `${p.question} the cookie of “${p.scheme}”? Write ${p.answers}.`,
    why: 'Ninefold has no defaults, and those of browsers differ (RFC 6265bis, section 5.7).',
    write: () =>
      bullet('Cookie', '`__Host-session={key}`, HttpOnly, SameSite Lax, Max-Age 30 days, removed when refused'),
  },
  cookieIssued: {
    severity: 'error',
    what: (p) =>
      `No step issues the credentials of “${p.scheme}”, so no answer sets their cookie. Let steps issue them, or carry them in a header.`,
    why: 'A browser has the cookie from an answer.',
    write: () => bullet('Credentials', 'issued and revoked by steps, each for one Customer, kept as a hash'),
  },
  crossOrigin: {
    severity: 'question',
    what: (p) =>
      `A browser sends the cookie of “${p.scheme}” by itself, also for a page of another origin. Are requests of such pages that write refused?`,
    why: 'Otherwise any page could act in the name of its visitor (cross-site request forgery).',
    write: () => bullet('Cross-origin writes', 'refused'),
  },
  crossOriginUnused: {
    severity: 'error',
    what: (p) =>
      `“Cross-origin writes” is a bullet of HTTP Basic and of schemes with a cookie, and “${p.scheme}” has none. Remove it.`,
    why: 'Browsers send only cookies and credentials of HTTP Basic by themselves.',
    puts: 'removal',
  },
  crossOriginUnread: {
    severity: 'error',
    what: (p) =>
      p.kind === 'HTTP Basic'
        ? `“Browser origins” does not list ${p.origin}, so browsers keep its pages away. List the origin there, or remove it here.`
        : `“Browser origins” does not list ${p.origin} with credentials, so browsers send no cookie for its pages. List the origin there, or remove it here.`,
    why: 'A page of another origin sends cookies only where CORS allows credentials (Fetch Standard).',
  },
  scopesTwice: {
    severity: 'error',
    what: (p) => p.what ?? '',
    why: 'The table states which scopes there are, and the bullet which claim of a JWT lists them. OAuth 2 access tokens list them in the claim `scope` (RFC 9068).',
  },
  typeFixed: {
    severity: 'error',
    what: (p) => p.what ?? '',
    why: 'The type of a token tells tokens of one use from those of another (RFC 8725, section 3.11).',
  },
  claimTaken: {
    severity: 'error',
    what: (p) =>
      `The claim “${p.claim}” says something of the token itself. Name another one, such as \`sub\` for the caller or \`scope\` for scopes.`,
    why: 'RFC 7519 gives the claims iss, aud, exp, nbf, iat and jti a meaning of their own.',
  },
  claimTwice: {
    severity: 'error',
    what: (p) =>
      `The claim “${p.claim}” lists the scopes, so it cannot name the caller. Name another claim, such as \`sub\`.`,
    why: 'A claim has one value.',
  },
  claimsOfKeys: {
    severity: 'error',
    what: (p) =>
      `${p.kind === 'API key' ? 'API keys have' : 'HTTP Basic has'} no claims. Remove this table from “${p.scheme}”, and read fields of the caller’s row instead, such as \`caller.name\`.`,
    why: 'Only a token says more than who sends it.',
  },
  claimsOfSteps: {
    severity: 'error',
    what: (p) =>
      `The tokens of “${p.scheme}” are issued by steps, which write no such claims. Remove this table, and read fields of the caller’s row instead, such as \`caller.name\`.`,
    why: 'The service knows what it could write into its own tokens from the row that they name.',
  },
  claimStated: {
    severity: 'error',
    what: (p) =>
      `The claim “${p.claim}” names the caller or lists the scopes. Remove this row: read \`caller\` or \`scopes\`.`,
    why: 'A fact has one name.',
  },
  claimElse: {
    severity: 'error',
    what: (p) =>
      `A claim is “always” there or “optional”. Where “${p.claim}” is absent, \`claims.${p.claim}\` is null: state the other value in the expression that reads it.`,
    why: 'The service does not add to a signed token.',
    write: () => 'optional',
  },
  claimType: {
    severity: 'error',
    what: (p) =>
      `The claim “${p.claim}” cannot be a row or a password. State the type of its JSON value, such as string.`,
    why: 'A token tells a value. To find a row by it, compare the value with a field.',
    write: () => 'string',
  },
  claimDiffers: {
    severity: 'error',
    what: (p) =>
      `The claim “${p.claim}” has another type or other allowed values on line ${p.line}. State it the same way.`,
    why: 'Expressions read a claim by its name, whatever the scheme of the token.',
  },
  claimUnused: {
    severity: 'error',
    what: (p) => `No expression reads the claim “${p.claim}”. Use it, or remove this row.`,
    why: 'A statement without effect hides a mistake.',
  },
  schemeUnsaid: {
    severity: 'question',
    what: (p) => `Which ${p.what} does the scheme “${p.scheme}” have?`,
    why: 'A scheme states how requests carry its credentials, who issues them, and what they allow.',
    write: (p) => p.write ?? null,
  },
  caller: {
    severity: 'question',
    what: (p) => `A request carries a credential of “${p.scheme}”. Which resource is its caller a row of?`,
    why: 'Expressions read the row as `caller`.',
    write: (p) => bullet('Caller', `${p.resource}`),
  },
  callerDiffers: {
    severity: 'error',
    what: (p) =>
      `“Caller” says ${p.caller}, and “Credentials” says that each key is for one ${p.credentials}. Both have to name the same resource.`,
    why: 'The caller is the row for which the key was issued.',
    write: (p) => bullet('Caller', `${p.credentials}`),
  },
  callersNever: {
    severity: 'error',
    what: (p) => `No ${p.resource} can call by “${p.scheme}”: this condition never holds. Correct it.`,
    why: 'Credentials are accepted while the condition holds.',
  },
  callersAlways: {
    severity: 'error',
    what: () => 'This condition always holds. Remove “while” and the condition.',
    why: 'A statement without effect hides a mistake.',
  },
  callersHidden: {
    severity: 'error',
    what: (p) =>
      `No ${p.resource} can call by “${p.scheme}”: this Visible hides every ${p.resource} from itself. Let each ${p.resource} see itself.`,
    why: 'A row that is hidden from itself is no caller: its credentials are not accepted.',
    write: (p) => p.write ?? null,
  },
  callersHiddenWithout: {
    severity: 'error',
    what: (p) =>
      `Credentials of “${p.scheme}” without ${p.scopes} are never accepted: this Visible hides their ${p.resource} from itself. Let each ${p.resource} see itself.`,
    why: 'A row that is hidden from itself is no caller: its credentials are not accepted.',
    write: (p) => p.write ?? null,
  },
  unaccepted: {
    severity: 'question',
    what: (p) => `${p.endpoint} accepts anonymous requests. Is a request with invalid credentials refused?`,
    why: 'Ninefold has no defaults. The bullet belongs under `## Authentication`, above the first scheme.',
    write: () => bullet('Unaccepted credentials where none are needed', 'refused'),
  },
  unacceptedUnused: {
    severity: 'error',
    what: () => 'This bullet has no effect: no endpoint says “Access: anyone”. Remove it.',
    why: 'The bullet concerns endpoints that accept anonymous requests.',
    puts: 'removal',
  },
  scopeUnused: {
    severity: 'error',
    what: (p) =>
      `No endpoint requires the scope “${p.scope}”, and no expression reads it. Use it under Access, or remove it.`,
    why: 'A scope without effect hides a mistake.',
  },
  originsDiffer: {
    severity: 'error',
    what: () => 'Two schemes state different browser origins. State them once, under `## Authentication`.',
    why: 'A preflight does not say which credentials the request will carry.',
    write: () => '- Browser origins, once, under `## Authentication`',
  },
  originsShown: {
    severity: 'error',
    what: (p) => `No answer carries the header ${p.name}. Remove it from “showing headers”.`,
    why: 'A statement without effect hides a mistake.',
  },
});
