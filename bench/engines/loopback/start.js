import { start } from './dist/main.js';

await start();
