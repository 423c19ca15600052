const { mkdirSync, rmSync } = require('node:fs');
const { join } = require('node:path');
const { parseArgs } = require('node:util');
const { createStrapi } = require('@strapi/strapi');

/** Strapi with this project, its data where `--data` says; nobody outside is told that the bench runs. */
module.exports.create = () => {
  const { values } = parseArgs({ options: { data: { type: 'string' }, customers: { type: 'string' } } });
  process.env.NINEFOLD_BENCH_DATA = values.data;
  process.env.STRAPI_TELEMETRY_DISABLED = 'true';
  mkdirSync(join(values.data, 'uploads'), { recursive: true });
  const strapi = createStrapi({ appDir: __dirname, distDir: __dirname, autoReload: false, serveAdminPanel: false });
  // It keeps there when it last asked for a newer version, which it was told not to ask for.
  rmSync(join(__dirname, '.strapi-updater.json'), { force: true });
  return strapi;
};
