import { authenticate } from '@loopback/authentication';
import { inject } from '@loopback/core';
import type { Filter } from '@loopback/repository';
import { get, getModelSchemaRef, HttpErrors, param, patch, post, requestBody } from '@loopback/rest';
import { SecurityBindings, securityId, type UserProfile } from '@loopback/security';
import type { SequelizeCrudRepository } from '@loopback/sequelize';
import { Order } from './order.js';

type Orders = SequelizeCrudRepository<Order, string>;

const written = (title: string, exclude: Array<keyof Order>, partial = false) => ({
  content: { 'application/json': { schema: getModelSchemaRef(Order, { title, exclude, partial }) } },
});

/** Orders, as `lb4 controller` writes one, with the caller in each `where`. */
@authenticate('key')
export class OrderController {
  constructor(
    @inject('repositories.orders') private readonly orders: Orders,
    @inject(SecurityBindings.USER) private readonly user: UserProfile,
  ) {}

  @post('/orders')
  create(
    @requestBody(written('NewOrder', ['id', 'customer', 'status', 'created'])) order: Partial<Order>,
  ): Promise<Order> {
    return this.orders.create({ ...order, customer: this.user[securityId], created: new Date().toISOString() });
  }

  @get('/orders')
  find(@param.filter(Order) filter?: Filter<Order>): Promise<Order[]> {
    const own = { customer: this.user[securityId] };
    return this.orders.find({ ...filter, where: filter?.where ? { and: [filter.where, own] } : own });
  }

  @get('/orders/{id}')
  async findById(@param.path.string('id') id: string): Promise<Order> {
    const order = await this.orders.findOne({ where: { id, customer: this.user[securityId] } });
    if (!order) throw new HttpErrors.NotFound();
    return order;
  }

  @patch('/orders/{id}')
  async updateById(
    @param.path.string('id') id: string,
    @requestBody(written('OrderPartial', ['id', 'customer', 'sku', 'created'], true)) order: Partial<Order>,
  ): Promise<void> {
    const { count } = await this.orders.updateAll(order, { id, customer: this.user[securityId] });
    if (count === 0) throw new HttpErrors.NotFound();
  }
}
