import type { Plan } from '../../plan/step.ts';
import type { EventStream } from './event-stream.ts';
import type { Exchange, NoAnswer, Request } from './exchange.ts';
import type { Target } from './target.ts';

/**
 * Wraps a target for a document that refuses requests for other hosts (421, RFC 9110, section 15.5.20): each request
 * then has the host of `serviceUrl`, whatever address the implementation has.
 */
export function hosted(target: Target, { errors }: Plan, serviceUrl: string): Target {
  return errors.conditions['host not served'] ? new Hosted(target, new URL(serviceUrl).host) : target;
}

class Hosted implements Target {
  private readonly target: Target;
  private readonly host: string;

  constructor(target: Target, host: string) {
    this.target = target;
    this.host = host;
  }

  get sent(): number {
    return this.target.sent;
  }

  get gone(): string | null {
    return this.target.gone;
  }

  get silence(): string | null {
    return this.target.silence;
  }

  reach(): Promise<NoAnswer | null> {
    return this.target.reach();
  }

  send(request: Request): Promise<Exchange> {
    return this.target.send(this.named(request));
  }

  race(requests: readonly Request[]): Promise<Exchange[]> {
    return this.target.race(requests.map((one) => this.named(one)));
  }

  follow(request: Request): Promise<EventStream | Exchange> {
    return this.target.follow(this.named(request));
  }

  private named(request: Request): Request {
    if (request.headers.some(([name]) => name.toLowerCase() === 'host')) return request;
    return { ...request, headers: [['Host', this.host], ...request.headers] };
  }
}
