// Orders on LoopBack 4: REST, authentication, and a repository of Sequelize on SQLite.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { AuthenticationComponent, registerAuthenticationStrategy } from '@loopback/authentication';
import { RestApplication } from '@loopback/rest';
import { SequelizeCrudRepository, SequelizeDataSource } from '@loopback/sequelize';
import { OrderController } from './controller.js';
import { KeyStrategy } from './key.js';
import { Order } from './order.js';

export async function start(): Promise<void> {
  const { values } = parseArgs({ options: { data: { type: 'string' } } });
  const source = new SequelizeDataSource({
    name: 'orders',
    connector: 'sqlite3',
    file: join(values.data!, 'orders.sqlite'),
  });
  await source.init();
  const app = new RestApplication({
    rest: { host: '127.0.0.1', port: 0, keepAliveTimeout: 60_000, openApiSpec: { disabled: true } },
  });
  app.component(AuthenticationComponent);
  registerAuthenticationStrategy(app, KeyStrategy);
  app.bind('datasources.orders').to(source);
  app.bind('repositories.orders').to(new SequelizeCrudRepository(Order, source));
  app.controller(OrderController);
  await app.start();
  console.log(`Orders at ${app.restServer.url}`);
  process.once('SIGTERM', () => process.exit(0));
}
