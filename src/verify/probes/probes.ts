import type { Probe } from './probe.ts';
import { webhooks } from './webhooks.ts';

/** All probes, in the order in which they are run. */
export const probes: readonly Probe[] = [webhooks];
