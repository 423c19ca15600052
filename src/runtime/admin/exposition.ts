import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';
import type { Metrics } from './metrics.ts';

/**
 * Puts a service's numbers, and those of its process from now on, into the text that Prometheus reads. Kept apart, since
 * loading it is a tenth of a start: only a service that has an operator's port needs it.
 */
export function expose({ told }: Metrics): Registry {
  const registry = new Registry();
  for (const { values, ...metric } of told) {
    const get = async () => ({ ...metric, aggregator: 'sum', values: values() });
    registry.registerMetric({ name: metric.name, get, reset: () => {} } as unknown as Metric);
  }
  collectDefaultMetrics({ register: registry });
  return registry;
}
