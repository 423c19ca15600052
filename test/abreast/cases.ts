import { runTogether } from '../tiers.ts';

await runTogether(import.meta.filename);
