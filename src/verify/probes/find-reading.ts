import { lineKey } from '../../plan/lines.ts';
import type { EndpointPlan } from '../../plan/step.ts';
import type { Trace } from '../oracle/trace.ts';
import { candidatesFor } from '../requests/candidates.ts';
import type { Random } from '../requests/random.ts';
import { headingKey } from '../statements/tried.ts';
import { headerOf, type Request } from '../target/exchange.ts';
import type { Drive } from './drive.ts';
import { OpenStream } from './open-stream.ts';
import type { Reading } from './reader.ts';

/** Asks for a stream; the request counts like any other. */
export async function attempt(drive: Drive, request: Request): Promise<OpenStream> {
  const stream = await OpenStream.open(drive.session.subject.target, request);
  await drive.session.counted(request, drive.name());
  return stream;
}

/** A request that an endpoint answers with the stream, by a caller who sees the most; null where none was found. */
export async function findReading(drive: Drive, random: Random, endpoint: EndpointPlan): Promise<Reading | null> {
  return (
    (await asThingsAre(drive, random, endpoint)) ??
    ((await drive.issueCredentials()) ? asThingsAre(drive, random, endpoint) : null)
  );
}

/** The traces of a stream that was opened: the oracle judges no answer that has no end. */
const takenBy = ({ name, after }: EndpointPlan): Trace[] => [
  { statement: headingKey(name), what: 'taken' },
  { statement: lineKey.endpoint(name, 'access'), what: 'taken' },
  { statement: `step ${after.line ?? 0}`, what: 'done' },
];

async function asThingsAre(drive: Drive, random: Random, endpoint: EndpointPlan): Promise<Reading | null> {
  const { session } = drive;
  const { contract, plan } = session.subject;
  const [version] = contract.versions;
  const stated = version?.endpoints.find(({ name }) => name === endpoint.name);
  if (!version || !stated) return null;
  const known = session.known(await session.now());
  for (const { request, valid } of candidatesFor(contract, version, stated, known, random, plan)) {
    if (!valid || request.method !== endpoint.method || headerOf(request.headers, 'Last-Event-ID') !== null) continue;
    const stream = await attempt(drive, request);
    stream.close();
    if (stream.refusal) return null;
    for (const { statement, what } of takenBy(endpoint)) drive.findings.meet(statement, what);
    const caller = known.credentials.find(({ text }) => request.headers.some(([, value]) => value.endsWith(text)));
    return { endpoint, request, caller: caller ?? null, version: version.name ?? '' };
  }
  return null;
}
