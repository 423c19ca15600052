import { Entity, model, property } from '@loopback/repository';

const STATUSES = ['draft', 'placed', 'shipped', 'delivered', 'cancelled'];

/** An order, as `lb4 model` writes one: closed, so that it has no other fields. */
@model({ name: 'orders', settings: { strict: true } })
export class Order extends Entity {
  @property({ type: 'string', id: true, defaultFn: 'uuidv4' })
  id?: string;

  @property({ type: 'string', required: true })
  customer!: string;

  @property({ type: 'string', required: true, jsonSchema: { pattern: '^[A-Z]{3}-[0-9]{4}$' } })
  sku!: string;

  @property({ type: 'number', required: true, jsonSchema: { type: 'integer', minimum: 1, maximum: 1000 } })
  quantity!: number;

  @property({ type: 'string', jsonSchema: { maxLength: 500, nullable: true } })
  note?: string;

  @property({ type: 'string', default: 'draft', jsonSchema: { enum: STATUSES } })
  status?: string;

  @property({ type: 'string' })
  created?: string;
}
