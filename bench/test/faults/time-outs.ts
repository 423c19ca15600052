import { type Fault, ofKind } from './fault.ts';

const IN_TIME = 'orders/in-time.ts';
const LASTS = 'const BODY_LASTS = 5000;';

export const TIME_OUTS: readonly Fault[] = ofKind('time-outs', [
  {
    id: 'body-takes-any-time',
    peer: 'express',
    what: 'A body may take any time',
    breaks: ['timeout'],
    file: 'express.ts',
    edits: [['orders.strict ? readInTime(parseJson) : parseJson', 'parseJson']],
  },
  {
    id: 'body-takes-a-minute',
    peer: 'fastify',
    what: 'A body may take a minute',
    breaks: ['timeout'],
    file: IN_TIME,
    edits: [[LASTS, 'const BODY_LASTS = 60_000;']],
  },
  {
    id: 'body-takes-three-seconds',
    peer: 'hono',
    what: 'A body may take no longer than three seconds',
    breaks: ['timeout'],
    file: IN_TIME,
    edits: [[LASTS, 'const BODY_LASTS = 3000;']],
  },
  {
    id: 'slow-body-is-malformed',
    peer: 'nest',
    what: 'A body that takes too long is answered as one that is no JSON',
    breaks: ['timeout', 'conditions'],
    file: 'nest-body.ts',
    edits: [
      ['      if (error instanceof Problem) request.bodyProblem = error;\n      else if (error)', '      if (error)'],
    ],
  },
]);
