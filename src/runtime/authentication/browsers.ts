import { addVary, header } from '../../http/headers.ts';
import type { BrowsersPlan } from '../../plan/callers.ts';
import type { Answer, Incoming } from '../http/message.ts';

/** The CORS headers for pages of other origins (the CORS protocol of the Fetch Standard, section 3.3). */
export class Browsers {
  private readonly plan: BrowsersPlan;
  private readonly shown: string;

  constructor(plan: BrowsersPlan) {
    this.plan = plan;
    this.shown = plan.shown.join(', ');
  }

  /**
   * The answer to a preflight: the methods that the path takes and the request headers that its endpoints read, and
   * nothing else. Null where the request is no preflight, or one from an origin that isn’t stated.
   */
  preflight(incoming: Incoming, methods: readonly string[], requestHeaders: readonly string[]): Answer | null {
    const { rawHeaders } = incoming;
    if (incoming.method !== 'OPTIONS' || !this.allows(incoming)) return null;
    if (header(rawHeaders, 'access-control-request-method') === undefined) return null;
    const headers = ['Access-Control-Allow-Methods', methods.join(', ')];
    if (requestHeaders.length) headers.push('Access-Control-Allow-Headers', requestHeaders.join(', '));
    headers.push('Access-Control-Max-Age', String(this.plan.kept));
    return { status: 204, headers, body: null };
  }

  /** Adds the headers that let the page of an allowed origin read the answer. */
  addHeaders(incoming: Incoming, headers: string[]): void {
    const { origins, credentials } = this.plan;
    if (origins !== 'any') addVary(headers, 'Origin');
    if (origins !== 'any' && !this.allows(incoming)) return;
    headers.push('Access-Control-Allow-Origin', origins === 'any' ? '*' : header(incoming.rawHeaders, 'origin')!);
    if (credentials) headers.push('Access-Control-Allow-Credentials', 'true');
    if (this.shown && incoming.method !== 'OPTIONS') headers.push('Access-Control-Expose-Headers', this.shown);
  }

  /** Whether the request comes from an origin that is stated: compared as text, as browsers write it. */
  private allows({ rawHeaders }: Incoming): boolean {
    const origin = header(rawHeaders, 'origin');
    return origin !== undefined && (this.plan.origins === 'any' || this.plan.origins.includes(origin));
  }
}
