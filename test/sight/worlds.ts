import { example } from '../fixtures.ts';
import type { Asking, Twins } from './twins.ts';

const caller = (fields: Record<string, string>): ReadonlyMap<string, string> => new Map(Object.entries(fields));

const inspected = (day: string, more: object): Pick<Asking, 'by' | 'ask' | 'body'> => ({
  by: 'Maya',
  ask: 'POST /apiaries/1/hives/1/inspections',
  body: { day, ...more },
});

/** Maya’s inspections are hidden from Willi, who keeps bees elsewhere. */
export const APIARY: Twins = {
  text: example('apiary'),
  header: 'X-Register-Key: {key}',
  resource: 'Keeper',
  callers: new Map([
    ['Maya', caller({ number: '1', name: 'Maya', inspector: 'false' })],
    ['Willi', caller({ number: '2', name: 'Willi', inspector: 'false' })],
    ['Inspector', caller({ number: '9', name: 'Flip', inspector: 'true' })],
  ]),
  scopes: [],
  identity: 'number',
  stream: '/alerts',
  stranger: 'Willi',
  askings: [
    {
      by: 'Maya',
      ask: 'POST /apiaries',
      body: { name: 'Hill', zone: 'Europe/Zurich', location: { latitude: '46.0000', longitude: '7.0000' } },
    },
    { by: 'Maya', ask: 'POST /apiaries/1/hives', body: { race: 'carnica' } },
    { by: 'Maya', ask: 'POST /apiaries/1/hives', body: { race: 'carnica' } },
    { ...inspected('2026-06-01', { weight: '31.50', notes: 'a hidden note' }), hidden: true },
    { ...inspected('2026-06-02', { weight: '32.50', mites: { 'frame-1': 3 } }), hidden: true },
    inspected('2026-06-03', { mites: { 'frame-1': 250 } }),
    { by: 'Willi', ask: 'GET /places' },
    { by: 'Willi', ask: 'GET /places?closed=true&forage=lime' },
    { by: 'Willi', ask: 'GET /apiaries/1' },
    { by: 'Willi', ask: 'GET /apiaries/1/hives' },
    { by: 'Willi', ask: 'GET /apiaries/1/hives/1/inspections' },
    { by: 'Willi', ask: 'GET /apiaries/1/hives/1/inspections?offset=1' },
    { by: 'Willi', ask: 'POST /apiaries/1/hives/1/inspections', body: { day: '2026-06-01' } },
    { by: 'Inspector', ask: 'POST /apiaries/1/hives/1/confirm' },
    { ...inspected('2026-06-04', { notes: 'another hidden note' }), hidden: true },
    { by: 'Inspector', ask: 'POST /apiaries/1/hives/1/destroy' },
    { by: 'Willi', ask: 'GET /apiaries/1/hives' },
    { by: 'Willi', ask: 'GET /places?closed=true' },
  ],
};

const keyed = (key: string): Record<string, string> => ({ 'Idempotency-Key': key });
const INTENT = { amount: 1250, currency: 'chf', method: 'card', description: 'a hidden intent' };

/** All that Books is paid is hidden from Shoes. */
export const PAYMENTS: Twins = {
  text: example('payments'),
  header: 'Authorization: Bearer {key}',
  resource: 'Merchant',
  callers: new Map([
    ['Books', caller({ id: '0195c2a0-0000-7000-8000-000000000001', name: 'Books' })],
    ['Shoes', caller({ id: '0195c2a0-0000-7000-8000-000000000002', name: 'Shoes' })],
  ]),
  scopes: ['payments:read', 'payments:write', 'refunds:write'],
  identity: 'id',
  stream: null,
  stranger: 'Shoes',
  askings: [
    { by: 'Books', ask: 'POST /intents', body: INTENT, headers: keyed('a'), as: 'theirs', hidden: true },
    { by: 'Books', ask: 'POST /intents/{theirs}/confirm', headers: keyed('b'), hidden: true },
    { by: 'Books', ask: 'POST /intents/{theirs}/capture', headers: keyed('c'), hidden: true },
    {
      ...{ by: 'Books', ask: 'POST /refunds', body: { intent: '{theirs}', amount: 50 } },
      ...{ headers: keyed('d'), as: 'refund', hidden: true },
    },
    { by: 'Shoes', ask: 'POST /intents', body: INTENT, headers: keyed('a'), as: 'own' },
    { by: 'Shoes', ask: 'POST /intents', body: INTENT, headers: keyed('a') },
    { by: 'Shoes', ask: 'GET /intents' },
    { by: 'Shoes', ask: 'GET /intents?status=captured' },
    { by: 'Shoes', ask: 'GET /intents?currency=chf&since=2026-01-01T00:00:00Z' },
    { by: 'Shoes', ask: 'GET /intents/{theirs}' },
    { by: 'Shoes', ask: 'GET /intents/{own}' },
    { by: 'Shoes', ask: 'PATCH /intents/{theirs}', body: { amount: 60 }, headers: { 'If-Match': '"3"' } },
    { by: 'Shoes', ask: 'POST /intents/{theirs}/capture', headers: keyed('c') },
    { by: 'Shoes', ask: 'POST /intents/{theirs}/cancel' },
    { by: 'Shoes', ask: 'POST /refunds', body: { intent: '{theirs}', amount: 50 }, headers: keyed('d') },
    { by: 'Shoes', ask: 'GET /refunds/{refund}' },
    { by: 'Shoes', ask: 'GET /intents/{theirs}/refunds' },
    { by: 'Shoes', ask: 'GET /balance' },
  ],
};
