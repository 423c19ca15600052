const { mkdirSync } = require('node:fs');
const { join } = require('node:path');
const { parseArgs } = require('node:util');
const { createStrapi } = require('@strapi/strapi');

/** Strapi with this project, its data where `--data` says; nobody outside is told that the bench runs. */
module.exports.create = () => {
  const { values } = parseArgs({ options: { data: { type: 'string' }, customers: { type: 'string' } } });
  process.env.NINEFOLD_BENCH_DATA = values.data;
  process.env.STRAPI_TELEMETRY_DISABLED = 'true';
  process.env.STRAPI_DISABLE_UPDATE_NOTIFICATION = 'true';
  mkdirSync(join(values.data, 'uploads'), { recursive: true });
  return createStrapi({ appDir: __dirname, distDir: __dirname, autoReload: false, serveAdminPanel: false });
};
