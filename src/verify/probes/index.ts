import { pages } from './pages.ts';
import type { Probe } from './probe.ts';
import { races } from './races.ts';
import { rates } from './rates.ts';
import { streams } from './streams.ts';
import { timeouts } from './timeouts.ts';
import { retries, webhooks } from './webhooks.ts';
import { wholeLists } from './whole-lists.ts';

/** What single requests do not try, each in a session of its own. */
export const probes: readonly Probe[] = [webhooks, streams, pages, races, rates, retries, timeouts, wholeLists];
