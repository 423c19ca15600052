/** Endpoints of each resource: open, list, read, change, settle. */
const EACH = 5;
/** Resources of one area share its scopes; each refers to the one before it in the area. */
const AREA = 10;

const AREAS = 'billing catalog delivery finance identity inventory legal marketing orders payroll'.split(' ');
const THINGS = 'Account Batch Claim Draft Entry Folder Grant Item Journal Ledger'.split(' ');

/** A generated resource: what it is called, and where. */
export interface Large {
  readonly name: string;
  readonly path: string;
  readonly area: string;
  /** The resource that its rows may refer to. */
  readonly before: Large | null;
}

/** The resources of the document for that many endpoints, the callers' own left out. */
export function largeResources(endpoints: number): Large[] {
  const list: Large[] = [];
  for (let i = 0; i < Math.ceil(endpoints / EACH); i++) {
    const index = Math.floor(i / AREA);
    const round = Math.floor(index / AREAS.length);
    const area = `${AREAS[index % AREAS.length]}${round || ''}`;
    const thing = THINGS[i % AREA]!;
    const name = `${area[0]!.toUpperCase()}${area.slice(1)}${thing}`;
    const path = `/${area}/${thing.toLowerCase()}s`;
    list.push({ name, path, area, before: i % AREA ? list[i - 1]! : null });
  }
  return list;
}

/** A whole document in the language of `examples/orders.md`, with that many endpoints and a fifth as many resources. */
export function largeDocument(endpoints: number): string {
  const resources = largeResources(endpoints);
  const areas = [...new Set(resources.map((one) => one.area))];
  return [
    HEAD,
    ...resources.map(resource),
    '## States and transitions\n',
    ...resources.map(states),
    ENDPOINTS,
    ...resources.map(endpointsOf),
    AUTHENTICATION,
    ...areas.map((area) => `| ${area}:read | read what is theirs |\n| ${area}:write | change what is theirs |`),
    '\n- Browser origins: none\n\n## Events\n\n| Event | When | Payload | Notified by |\n| --- | --- | --- | --- |',
    // The order of events is stated per one resource, which all events then have to be about.
    events(resources[0]!),
    TAIL,
    ...resources.map(errors),
    LIMITS,
  ].join('\n');
}

const code = (one: Large): string => one.name.replace(/(?<!^)[A-Z]/g, '_$&').toLowerCase();
const variable = (one: Large): string => one.name[0]!.toLowerCase() + one.name.slice(1);

const HEAD = `# A large service

## What the service does

- Purpose: do much of many kinds
- Domain: enterprise resource planning
- Address: given by the operator

## Resources and their fields

- Timestamps: RFC 3339, UTC, milliseconds
- Text: trimmed
- Missing values in answers: left out
- Null in requests: clears
- Empty text in requests: kept
- Unknown fields: refused
- Blank cells: Format none, Allowed values any, Presence always, Unique no

### Member

| Field | Type | Format | Allowed values | Given by | Unique |
| --- | --- | --- | --- | --- | --- |
| id | string | uuid | | operator | identity |
| email | string | email | at most 254 characters | operator | yes |

- Shown: never
`;

function resource(one: Large): string {
  const reference = one.before ? `| parent | ${one.before.name} | | | request | optional | |\n` : '';
  const keeps = one.before ? `- Keeps: parent, else ${code(one)}_has_children\n` : '';
  return `### ${one.name}

What ${one.area} keeps of each ${code(one)}.

| Field | Type | Format | Allowed values | Given by | Presence | Unique |
| --- | --- | --- | --- | --- | --- | --- |
| id | string | uuid | | on create \`uuid()\` | | identity |
| owner | Member | | | on create \`caller\` | | |
${reference}| reference | string | | \`/^[A-Z]{3}-[0-9]{4}$/\` | request | | |
| title | string | | 1 to 120 characters | request | | |
| amount | integer | | 0 to 1000000 | request, else \`0\` | | |
| note | string | | at most 500 characters | request | optional | |
| urgent | boolean | | | request, else \`false\` | | |
| status | string | | one of open, settled, lapsed | transitions | | |
| created | timestamp | | | on create \`now()\` | | |
| changed | timestamp | | | on create \`now()\`; on change \`now()\` | | |

- Visible: \`owner == caller || "${one.area}:write" in scopes\`
- Unique: owner and reference while \`status == "open"\`, else ${code(one)}_exists
- Keeps: owner
${keeps}- Shown: id, owner as id, ${one.before ? 'parent as id, ' : ''}reference, title, amount, note, urgent, status, created, changed
`;
}

function states(one: Large): string {
  return `### ${one.name}.status

- Initial: open
- Final: settled, lapsed

| Transition | From | To | When | Otherwise |
| --- | --- | --- | --- | --- |
| settle | open | settled | \`amount > 0 \\|\\| note != null\` | ${code(one)}_not_ready |
| lapse | open | lapsed | 30 days after \`changed\` | none |
`;
}

const ENDPOINTS = `## Endpoints

- Payloads: JSON (RFC 8259)
- Request: none
- Unread bodies: refused
- Unknown parameters: refused
- HEAD: not served
- Conditional requests: none
- Idempotency: none
`;

function endpointsOf(one: Large): string {
  const { name, path, area } = one;
  const x = variable(one);
  const id = `| Parameter | In | Type | Allowed values | Presence | Otherwise |
| --- | --- | --- | --- | --- | --- |
| id | path | ${name}.id | any | always | ${code(one)}_not_found |
`;
  return `### Under \`${path}/{id}\`

1. Find \`${x}\`: ${name} where \`id == path.id\`, else ${code(one)}_not_found.

### \`POST ${path}\`

- Access: ${area}:write
- Idempotency: header \`Idempotency-Key\`, required, for each caller, kept 24 hours, answers below 500
- Request: ${name} with ${one.before ? 'parent, ' : ''}reference, title, amount, note, urgent

1. Create \`${x}\`: ${name} from \`request\`.
2. Answer 201 with \`${x}\` and header Location \`"${path}/" + ${x}.id\`.

### \`GET ${path}\`

| Parameter | In | Type | Allowed values | Presence | Keeps rows where |
| --- | --- | --- | --- | --- | --- |
| status | query | ${name}.status | any | optional | \`status == query.status\` |
| least | query | integer | 0 to 1000000 | optional | \`amount >= query.least\` |

- Access: ${area}:read

1. List \`${x}s\`: ${name} where \`owner == caller\`, as the parameters say, latest \`created\` first, in pages.
2. Answer 200 with \`${x}s\`.

### \`GET ${path}/{id}\`

${id}
- Access: ${area}:read

1. Answer 200 with \`${x}\` and header ETag \`etag(${x})\`.

### \`PATCH ${path}/{id}\`

${id}
- Access: ${area}:write
- Request: ${name} with title, amount, note, each optional

1. Match If-Match to \`etag(${x})\`.
2. Require \`${x}.status == "open"\`, else ${code(one)}_not_open.
3. Change \`${x}\` from \`request\`.
4. Answer 200 with \`${x}\` and header ETag \`etag(${x})\`.

### \`POST ${path}/{id}/settle\`

${id}
- Access: ${area}:write

1. Move \`${x}\` by settle.
2. Answer 200 with \`${x}\`.
`;
}

const AUTHENTICATION = `## Authentication

### API key

- Scheme: API key
- Header: \`Authorization: Bearer {key}\`
- Credentials: issued and revoked by the operator, each for one Member, kept as a hash
- Caller: Member

| Scope | Lets the caller |
| --- | --- |`;

function events(one: Large): string {
  return `| ${one.area}.${code(one)}.opened | a ${one.name} is created | ${one.name} | webhook |
| ${one.area}.${code(one)}.ended | a ${one.name} moves by settle, lapse | ${one.name} | webhook |`;
}

const TAIL = `
### Webhook

- Receivers: registered by the operator, each for chosen events
- Signature: Standard Webhooks
- Time-out: 15 seconds
- Attempts: 3, after 5 seconds, 5 minutes
- Order: per BillingAccount
- Delivery: at least once
- Kept: forever

## Errors

- Payload: RFC 9457
- Conditions: Ninefold common 1

| Code | Status | When | Title |
| --- | --- | --- | --- |`;

function errors(one: Large): string {
  const row = (what: string, status: number, by: string, title: string): string =>
    `| ${code(one)}_${what} | ${status} | a ${by} says so | ${title} |`;
  return [
    row('not_found', 404, 'step', 'There is no such thing'),
    row('exists', 409, 'rule', 'There is one like it'),
    row('not_ready', 409, 'step', 'It is not ready'),
    row('not_open', 409, 'step', 'It is not open'),
    ...(one.before ? [row('has_children', 409, 'rule', 'Others refer to it')] : []),
  ].join('\n');
}

const LIMITS = `
## Limits

| Limit | Value | Applies to |
| --- | --- | --- |
| Rate | 600 requests per minute | each caller |
| Rate | 6000 requests per minute | each address, before authentication |
| Request size | 64 KiB | every endpoint |
| Time-out | 5 seconds | every endpoint |
| Page size | 20 by default, 100 at most, more is refused | every list in pages |

- Rate headers: Retry-After
- Pages: by cursor, parameters \`limit\` and \`cursor\`; payload items \`page.items\`, next \`page.next\`

## Versioning

- Scheme: none
`;
