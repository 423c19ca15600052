import type { Metric, Value } from './metric.ts';

/** The media type of what `expose` writes: the text format of Prometheus, version 0.0.4. */
export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Metrics in the text format of Prometheus. */
export function expose(metrics: readonly Metric[]): string {
  let text = '';
  for (const { name, type, help, values } of metrics) {
    text += `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`;
    for (const value of values()) text += lineOf(name, value);
  }
  return text;
}

function lineOf(name: string, { labels, value, suffix = '' }: Value): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${suffix}${pairs.length ? `{${pairs.join(',')}}` : ''} ${numberOf(value)}\n`;
}

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

const numberOf = (value: number): string =>
  Number.isFinite(value) ? String(value) : Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
