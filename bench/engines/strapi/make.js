// Makes the tables of Strapi, its administrator, and an API token for each customer, which is the customer's key.
const { readFileSync } = require('node:fs');
const { parseArgs } = require('node:util');
const { create } = require('./app.js');

async function make() {
  const { values } = parseArgs({ options: { data: { type: 'string' }, customers: { type: 'string' } } });
  const { customers, administrator } = JSON.parse(readFileSync(values.customers, 'utf8'));
  const strapi = await create().load();
  const { id } = await strapi.service('admin::role').getSuperAdmin();
  const admin = { ...administrator, firstname: 'Admin', isActive: true, roles: [id] };
  await strapi.service('admin::user').create(admin);
  const { hash } = strapi.service('admin::api-token');
  for (const [i, { key }] of customers.entries()) {
    const data = { name: `Customer ${i}`, type: 'full-access', accessKey: hash(key), description: '' };
    await strapi.db.query('admin::api-token').create({ data });
  }
  await strapi.destroy();
}

make().then(
  () => process.exit(0),
  (error) => {
    console.log(error);
    process.exit(1);
  },
);
