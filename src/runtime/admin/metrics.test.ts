import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expose } from './metric.ts';
import { Metrics } from './metrics.ts';

test('requests are told by endpoint and status, and how long they took by endpoint', () => {
  const metrics = new Metrics();
  metrics.answered('GET /orders', 200, 0.0004);
  metrics.answered('GET /orders', 200, 0.003);
  metrics.answered('GET /orders', 404, 7);
  metrics.answered('none', 405, 0.001);
  metrics.moved(2);
  metrics.refused();
  for (const event of ['webhook.delivered', 'webhook.delivered', 'webhook.failed', 'webhook.abandoned'])
    metrics.heard(event);
  const lines = expose(metrics.told).split('\n');
  for (const line of [
    '# TYPE ninefold_requests_total counter',
    'ninefold_requests_total{endpoint="GET /orders",status="200"} 2',
    'ninefold_requests_total{endpoint="GET /orders",status="404"} 1',
    'ninefold_requests_total{endpoint="none",status="405"} 1',
    '# TYPE ninefold_request_seconds histogram',
    'ninefold_request_seconds_bucket{le="0.0005",endpoint="GET /orders"} 1',
    'ninefold_request_seconds_bucket{le="0.0025",endpoint="GET /orders"} 1',
    'ninefold_request_seconds_bucket{le="0.005",endpoint="GET /orders"} 2',
    'ninefold_request_seconds_bucket{le="5",endpoint="GET /orders"} 2',
    'ninefold_request_seconds_bucket{le="+Inf",endpoint="GET /orders"} 3',
    'ninefold_request_seconds_sum{endpoint="GET /orders"} 7.0034',
    'ninefold_request_seconds_count{endpoint="GET /orders"} 3',
    'ninefold_request_seconds_bucket{le="0.001",endpoint="none"} 1',
    'ninefold_timed_moves_total 2',
    'ninefold_timed_moves_refused_total 1',
    '# TYPE ninefold_deliveries_total counter',
    'ninefold_deliveries_total{outcome="delivered"} 2',
    'ninefold_deliveries_total{outcome="failed"} 1',
  ])
    assert.ok(lines.includes(line), line);
});

test('a label may be any text', () => {
  const values = () => [{ labels: { endpoint: 'GET /a"b\\c\nd' }, value: 0.5 }];
  const text = expose([{ name: 'one', type: 'gauge', help: 'a\nb', values }]);
  assert.equal(text, '# HELP one a\\nb\n# TYPE one gauge\none{endpoint="GET /a\\"b\\\\c\\nd"} 0.5\n');
});
