import { trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';

// What an operator would load ahead, but for the exporter, which lets every batch go: `?ratio=0.1` samples a tenth.
const ratio = Number(new URL(import.meta.url).searchParams.get('ratio'));
const exporter = {
  export: (_: unknown, done: (result: { code: number }) => void) => done({ code: 0 }),
  shutdown: async () => {},
};
trace.setGlobalTracerProvider(
  new BasicTracerProvider({
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  }),
);
