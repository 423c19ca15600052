import { join } from 'node:path';
import { NINEFOLD, PEERS } from '../paths.ts';
import type { Startable } from '../process.ts';
import { ADDRESS_RATE } from './paths.ts';

/** The two services, as their published forms are run. */
export const NINEFOLD_HELPDESK: Startable = {
  name: 'ninefold',
  title: 'Ninefold',
  rows: 'ninefold',
  arguments: (data, document) => ninefoldArguments(join(NINEFOLD, 'bin', 'ninefold.js'), data, document),
};

export const FASTIFY_HELPDESK: Startable = {
  name: 'fastify',
  title: 'Fastify, by hand',
  rows: 'fastify',
  arguments: (data) => fastifyArguments(join(PEERS, 'helpdesk', 'main.js'), data),
};

export const ninefoldArguments = (program: string, data: string, document: string): string[] => [
  program,
  ...['serve', document, '--port', '0', '--data', data, '--allow-private'],
];

export const fastifyArguments = (program: string, data: string): string[] => [
  program,
  ...['--data', data, '--allow-private', '--address-rate', String(ADDRESS_RATE), '--nobody-rate', String(ADDRESS_RATE)],
];
