import { emptyFrame } from '../../expression/values/value.ts';
import type { RequestContext } from '../context/request-context.ts';
import type { Endpoint } from '../engine/endpoint-compiler.ts';
import type { Engine } from '../engine/engine.ts';
import type { Incoming } from '../http/message.ts';

const NOTHING_SENT = (): string => '';

const NOTHING_PLACED = (): readonly string[] => [];

/** The context of a request that begins. */
export function newExchange(
  engine: Engine,
  endpoint: Endpoint,
  segments: readonly string[],
  version: string | null,
  incoming: Incoming,
): RequestContext {
  const rerunState = engine.pauses ? engine.newRerunState() : undefined;
  return {
    incoming,
    endpoint: endpoint.plan.name,
    segments,
    version,
    deadline: endpoint.plan.timeout === null ? Number.POSITIVE_INFINITY : incoming.arrived + endpoint.plan.timeout,
    change: null,
    frame: emptyFrame(incoming.now, engine.versions.current.version, rerunState),
    rates: [],
    counted: [],
    assumes: endpoint.again && engine.store.travels === true,
    faults: [],
    apiVersion: engine.versions.current,
    versionKnown: false,
    holder: null,
    callerKey: '',
    known: null,
    rerunState,
    sent: null,
    received: null,
    body: undefined,
    isForm: false,
    awaitsBody: false,
    canonical: NOTHING_SENT,
    placed: NOTHING_PLACED,
    parameters: [],
    page: null,
    unexpectedBody: false,
    refused: null,
    bodyRefused: null,
    key: null,
  };
}
