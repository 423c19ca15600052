import { corpus } from './frozen/corpus.ts';
let i=-1; for (const d of corpus()) { i++; if (i===Number(process.argv[2])) { console.log(d.text); break; } }
