import type { Contract } from '../../contract/contract.ts';
import type { Plan } from '../../plan/step.ts';
import { baseUrl } from '../../text/address.ts';
import { type Subject, subjectAt } from '../../verify/session/subject.ts';
import { loadSetup } from '../../verify/setup/load.ts';
import { hosted } from '../../verify/target/hosted.ts';
import { HttpTarget } from '../../verify/target/http-target.ts';
import { AddressError, placeOf } from '../../verify/target/loopback.ts';
import { startOwnService } from './own-service.ts';

/** The service cannot be tested, because its address does not answer. */
export class Unreachable extends Error {}

interface Options {
  readonly url?: string;
  readonly setup?: string;
  readonly serviceUrl?: string;
  readonly store?: string;
  readonly allowRemote?: boolean;
  /** How long to wait for an answer, in milliseconds. */
  readonly timeout: number;
}

interface About {
  readonly plan: Plan;
  readonly contract: Contract;
  readonly options: Options;
}

/** The tested service, and its address. */
interface Tested {
  readonly subject: Subject;
  readonly url: string;
}

/**
 * Runs `work` with the tested service: one that is started for the document, or the one at an address. Afterwards, the
 * service is stopped, or closed by its setup.
 */
export async function withTested(about: About, work: (tested: Tested) => Promise<void>): Promise<void> {
  if (about.options.url === undefined) await withOwn(about, work);
  else await withOther(about, about.options.url, work);
}

async function withOwn(about: About, work: (tested: Tested) => Promise<void>): Promise<void> {
  const { plan, options } = about;
  const { store, setup } = options;
  if (setup !== undefined)
    throw new AddressError('--setup is for a service at --url. The document’s own service needs none.');
  const own = await startOwnService(plan, {
    ...(store !== undefined && { store }),
    ...(options.serviceUrl !== undefined && { serviceUrl: addressOf(options.serviceUrl) }),
  });
  try {
    const target = new HttpTarget(await placeOf(own.url, false), { milliseconds: options.timeout });
    await work({ subject: subjectAt(about, hosted(target, plan, own.serviceUrl), own), url: own.url });
  } finally {
    await own.stop();
  }
}

async function withOther(about: About, url: string, work: (tested: Tested) => Promise<void>): Promise<void> {
  const { plan, options } = about;
  const place = await placeOf(url, options.allowRemote ?? false);
  const serviceUrl = plan.address.url ?? addressOf(options.serviceUrl ?? url);
  const target = new HttpTarget(place, { milliseconds: options.timeout });
  const away = await target.reach();
  if (away) throw new Unreachable(`${away.detail} Start the service, or name its address with --url.`);
  const setup = options.setup === undefined ? {} : await loadSetup(options.setup, url, plan);
  try {
    await work({ subject: subjectAt(about, hosted(target, plan, serviceUrl), { setup, serviceUrl }), url });
  } finally {
    await setup.close?.();
  }
}

function addressOf(text: string): string {
  const address = baseUrl(text);
  if (address === null)
    throw new AddressError(`“${text}” is not an http or https URL without a user, a query or a fragment.`);
  return address;
}
