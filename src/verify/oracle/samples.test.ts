import assert from 'node:assert/strict';
import { test } from 'node:test';
import { patternOf, samplesOf } from './samples.ts';

/** Expressions of documents over a UUID and a secret, with one that has characters which are rare. */
const MADE: ReadonlyArray<readonly [string, (uuid: string, secret: string) => string]> = [
  ['a character of a secret', (_, secret) => secret.charAt(16)],
  ['a small one', (_, secret) => secret.toLowerCase().charAt(9)],
  ['two characters', (_, secret) => secret.substring(9, 11)],
  ['a character of each', (uuid, secret) => uuid.charAt(30) + secret.charAt(30)],
  ['both in order', (uuid, secret) => JSON.stringify([uuid.substring(4), secret.toLowerCase()].sort())],
  ['words', (_, secret) => secret.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '')],
  ['one of the two', (uuid, secret) => (uuid < '8' ? secret.substring(7, 9) : uuid.substring(0, 3))],
];

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Texts that services may draw: each text of one character, and each character at each place. */
const DRAWN = BASE64.split('').flatMap((one, i) =>
  [one.repeat(43), `${BASE64.slice(i)}${BASE64.slice(0, i)}`.slice(0, 43)].map((text, at) => {
    const digit = ((i + at) % 16).toString(16);
    return [`01${digit}3a7c${digit}-1111-4${digit}11-8111-11111111${digit}1e1`, `whsec_${text}=`] as const;
  }),
);

for (const [name, made] of MADE)
  test(`the pattern of samples matches whatever a service may draw: ${name}`, () => {
    for (let i = 0; i < 60; i++) {
      const secrets = samplesOf('secret', `secret ${i}`, 0);
      const texts = samplesOf('uuid', `uuid ${i}`, 0).map((uuid, at) => made(uuid, secrets[at] ?? ''));
      const pattern = new RegExp(`^(?:${patternOf(texts)})$`, 'su');
      const missed = DRAWN.map(([uuid, secret]) => made(uuid, secret)).filter((one) => !pattern.test(one));
      assert.deepEqual(missed, [], pattern.source);
    }
  });
