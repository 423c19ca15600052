import { hash } from 'node:crypto';
import type { AuthenticationStrategy } from '@loopback/authentication';
import { inject } from '@loopback/core';
import { HttpErrors, type Request } from '@loopback/rest';
import { securityId, type UserProfile } from '@loopback/security';
import type { SequelizeDataSource } from '@loopback/sequelize';

/** Knows callers by the hash of their key. */
export class KeyStrategy implements AuthenticationStrategy {
  name = 'key';

  constructor(@inject('datasources.orders') private readonly source: SequelizeDataSource) {}

  async authenticate(request: Request): Promise<UserProfile> {
    const key = request.headers.authorization?.slice('Bearer '.length) ?? '';
    const found = await this.source.sequelize!.query('SELECT customer FROM api_key WHERE hash = ?', {
      replacements: [hash('sha256', key, 'buffer')],
    });
    const [row] = found[0] as Array<{ customer: string }>;
    if (!row) throw new HttpErrors.Unauthorized();
    return { [securityId]: row.customer };
  }
}
