import type { Resolved } from '../model/resolve.ts';
import type { Plan } from './step.ts';
export function buildPlan(name: string, _r: Resolved, _settled: ReadonlySet<string>): Plan { return { document: name }; }
