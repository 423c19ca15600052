import { bootstrap } from '../directus/server.js';

await bootstrap(() => import('@directus/api/cli/run.js'));
