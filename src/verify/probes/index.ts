import { machineTime } from './machine-time.ts';
import { largePages, pages } from './pages.ts';
import type { Probe } from './probe.ts';
import { races } from './races.ts';
import { rates } from './rates.ts';
import { streams } from './streams.ts';
import { retries, webhooks } from './webhooks.ts';
import { wholeLists } from './whole-lists.ts';

/**
 * The probes: each tries, in a session of its own, what single requests cannot try. Probes that take all their time
 * come last.
 */
export const probes: readonly Probe[] = [
  pages,
  webhooks,
  streams,
  races,
  rates,
  retries,
  machineTime,
  largePages,
  wholeLists,
];
