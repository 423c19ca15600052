import { start } from '../directus/server.js';

await start(() => import('@directus/api/cli/run.js'));
