import { machineTime } from './machine-time.ts';
import { largePages, pages } from './pages.ts';
import type { Probe } from './probe.ts';
import { races } from './races.ts';
import { rates } from './rates.ts';
import { streams } from './streams.ts';
import { retries, webhooks } from './webhooks.ts';
import { wholeLists } from './whole-lists.ts';

/** What single requests do not try, each in a session of its own; those that go on as long as they may come last. */
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
