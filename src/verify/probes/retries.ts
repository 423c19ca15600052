import type { Drive } from './drive.ts';
import type { PostOffice } from './post-office.ts';
export async function tryRetries(_drive: Drive, _office: PostOffice): Promise<void> {}
