import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/** Writes the address of each module that the process loads, imported or required, into the file that `LOADED` names. */
registerHooks({
  load(url, context, next) {
    appendFileSync(process.env.LOADED!, `${url}\n`);
    return next(url, context);
  },
});
