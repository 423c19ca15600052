import { appendFileSync } from 'node:fs';
import { trace } from '@opentelemetry/api';
import {
  AlwaysOffSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';

/**
 * Registers an SDK as an operator does (`node --import`), which writes each span that ends as a line of JSON into the file
 * that `SPANS` names. With `SDK=samples nothing` it does so, with `SDK=holds` it keeps spans until it is told to send them,
 * and with `SDK=throws` it is broken.
 */
const exporter: SpanExporter = {
  export(spans, done) {
    for (const span of spans) appendFileSync(process.env.SPANS!, `${JSON.stringify(told(span))}\n`);
    done({ code: 0 });
  },
  shutdown: async () => {},
};

function told(span: ReadableSpan): object {
  const { name, kind, attributes } = span;
  const { traceId, spanId } = span.spanContext();
  const parent = span.parentSpanContext?.spanId ?? null;
  return { name, kind, attributes, error: span.status.code === 2, traceId, spanId, parent };
}

const BROKEN = {
  shouldSample: () => {
    throw new TypeError('A sampler of our own');
  },
};

trace.setGlobalTracerProvider(
  new BasicTracerProvider({
    spanProcessors: [
      process.env.SDK === 'holds'
        ? new BatchSpanProcessor(exporter, { scheduledDelayMillis: 3_600_000 })
        : new SimpleSpanProcessor(exporter),
    ],
    ...(process.env.SDK === 'samples nothing' && { sampler: new AlwaysOffSampler() }),
    ...(process.env.SDK === 'throws' && { sampler: BROKEN }),
  }),
);
