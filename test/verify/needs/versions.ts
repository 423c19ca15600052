import { documentText, withChange } from '../../subject.ts';
import { type Fault, instead } from './fault.ts';

const CURRENT = 'Without a version: current version';
const OLDER = 'Without a version: version 2025-06-01';
const DEPRECATED = '| 2025-06-01 | deprecated | 2026-11-01 | 2027-11-01 |';

const orders = documentText('examples/orders.md');
const unversioned = withChange(orders, CURRENT, OLDER);
const supported = withChange(orders, DEPRECATED, '| 2025-06-01 | supported | none | none |');

export const VERSIONED: readonly Fault[] = [
  instead('answers a request without a version in the current one', unversioned, OLDER, CURRENT, 'versioning: without'),
  instead(
    'refuses a request without a version',
    unversioned,
    OLDER,
    'Without a version: refused',
    'versioning: without',
  ),
  {
    name: 'calls a supported version deprecated',
    stated: supported,
    key: 'version 2025-06-01',
    served: orders,
  },
];
