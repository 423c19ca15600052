import type { Edit } from '../fixtures.ts';

/** An edit of one statement of a document, and what callers are told of it: a line for each thing that changed, where it is stated. */
export interface StatementCase {
  readonly what: string;
  readonly of: string;
  /** Edits that both documents have. */
  readonly before?: readonly Edit[];
  readonly edits: readonly Edit[];
  /** Whether each is breaking, its lines in either document and what is said, and the reason. */
  readonly told: ReadonlyArray<readonly [verdict: string, line: string, reason: string]>;
}

const SUMMARY = '### `GET /summary`\n\n- Access: orders:read';
const ORDER_NOT_FOUND =
  '| order_not_found     | 404    | a step says so           | No such order                            |';
const SUMMARY_GONE = `${ORDER_NOT_FOUND}\n| summary_gone | 410 | a step says so | The summary is gone |`;
const UNTIL = `${SUMMARY}\n- Deprecated: from 2026-12-01, until 2027-12-01, else summary_gone`;

const KEPT = '- Kept: 30 days after delivery';

export const STATEMENTS: readonly StatementCase[] = [
  {
    what: 'an event that steps emit, which everyone sees now',
    of: 'alarms',
    edits: [['Visible of alarm.raised: `about.site == caller.site`', 'Visible of alarm.raised: everyone']],
    told: [
      [
        'breaking',
        '140→140 alarm.raised: the readers that see it is everyone, and was those where about.site == caller.site',
        'callers may receive a value that they do not know',
      ],
    ],
  },
  {
    what: 'an audit that records less, for another time',
    of: 'tickets',
    edits: [
      ['status, priority, assignee; creation recorded', 'status, priority; creation not recorded'],
      ['in TicketChange; removed by prune', 'in TicketChange; kept for ever'],
      ['1. Remove every TicketChange where `at < scheduled - duration("17520h")`.', '1. Remove every Project.'],
    ],
    told: [
      ['breaking', '57→57 Ticket: the audited field assignee is gone', 'callers may not find what they read'],
      ['breaking', '57→57 Ticket: a new row is not recorded any more', 'callers may not find what they read'],
      [
        'breaking',
        '57→57 Ticket: the removal of the entries of its audit is none, and was by the schedule prune',
        'the same request may have another result',
      ],
      [
        'breaking',
        '198→– schedule prune: in its run, a step is gone: remove every visible TicketChange where this.at < scheduled - duration("17520h")',
        'the same request may have another result',
      ],
      [
        'breaking',
        '–→198 schedule prune: in its run, a step is new: remove every visible Project',
        'the same request may have another result',
      ],
    ],
  },
  {
    what: 'an answer of receivers that ends them, and one that delays attempts',
    of: 'orders',
    edits: [[KEPT, `${KEPT}\n- Gone: 410 removes the receiver\n- Retry-After: heeded, at most 24 hours`]],
    told: [
      [
        'breaking',
        '184→193 webhooks: the status 410 of a receiver is the end of the receiver, and was a failure like any other',
        'a receiver may not be notified',
      ],
      [
        'not',
        '184→194 webhooks: the longest delay by Retry-After is 1 day, and was none',
        'callers that do not use it are answered as before',
      ],
    ],
  },
  {
    what: 'an endpoint that is deprecated without an end',
    of: 'orders',
    edits: [[SUMMARY, `${SUMMARY}\n- Deprecated: from 2026-12-01, with header Deprecation (RFC 9745)`]],
    told: [
      [
        'not',
        '–→156 GET /summary: it is deprecated from 2026-12-01',
        'every request that was accepted still is accepted',
      ],
    ],
  },
  {
    what: 'an endpoint that no description shows any more, with a tag of its own',
    of: 'orders',
    edits: [[SUMMARY, `### Tag Figures\n\n${SUMMARY}\n- Audience: none\n- Tag: Figures`]],
    told: [
      [
        'breaking',
        '153→158 GET /summary: the audience of its descriptions is none, and was everybody',
        'callers may not find what they read',
      ],
      [
        'not',
        '153→159 GET /summary: its tag in descriptions is Figures, and was that of its resource',
        'only people read it',
      ],
    ],
  },
  {
    what: 'an endpoint that will end',
    of: 'orders',
    edits: [
      [SUMMARY, UNTIL],
      [ORDER_NOT_FOUND, SUMMARY_GONE],
    ],
    told: [
      [
        'breaking',
        '–→207 summary_gone: the code summary_gone is new',
        'callers may receive a value that they do not know',
      ],
      [
        'breaking',
        '–→156 GET /summary: it is deprecated from 2026-12-01, and requests are refused from 2027-12-01 as summary_gone',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'an endpoint that ends sooner and says so',
    of: 'orders',
    before: [
      [SUMMARY, UNTIL],
      [ORDER_NOT_FOUND, SUMMARY_GONE],
    ],
    edits: [
      ['until 2027-12-01, else summary_gone', 'until 2027-11-01, else summary_gone, with header Sunset (RFC 8594)'],
    ],
    told: [
      [
        'breaking',
        '156→156 GET /summary: the date from which requests are refused is 2027-11-01, as summary_gone, and was 2027-12-01, as summary_gone',
        'a request that was accepted may be refused',
      ],
      ['not', '156→156 GET /summary: answers have Sunset', 'callers that do not use it are answered as before'],
    ],
  },
  {
    what: 'a list of all rows that refuses too many',
    of: 'payments',
    before: [['100 at most, more is left out               |', '100 at most, more is refused               |']],
    edits: [
      [
        '1. Answer 200 with intents: `Intent.filter',
        '1. List `recent`: Refund, latest `created` first, all.\n2. Answer 200 with recent: `recent`, intents: `Intent.filter',
      ],
    ],
    told: [
      [
        'breaking',
        '–→211 GET /balance: a step is new: list recent: the visible rows of Refund; latest created first; all, 100 at most, more are refused',
        'a request that was accepted may be refused',
      ],
      [
        'not',
        '211→212 GET /balance: the answer’s member recent is new',
        'callers that do not use it are answered as before',
      ],
    ],
  },
  {
    what: 'groups with another key, another value and another order',
    of: 'payments',
    before: [
      [
        '1. Answer 200 with intents: `Intent.filter',
        '1. Group `states`: Intent by status `status` with count `rows.size()`, sum `rows.map(i, i.amount).sum()`, latest `count` first, all.\n2. Answer 200 with states: `states`, intents: `Intent.filter',
      ],
    ],
    edits: [
      [
        'by status `status` with count `rows.size()`, sum `rows.map(i, i.amount).sum()`, latest `count` first',
        'by status `status`, currency `currency` with count `string(rows.size())`, earliest `status` first',
      ],
    ],
    told: [
      [
        'breaking',
        '211→211 GET /balance: a step is: group states: the visible rows of Intent, by status this.status, currency this.currency; with count string(rows.size()); earliest status first; all, 100 at most, more are left out, and was: group states: the visible rows of Intent, by status this.status; with count rows.size(), sum rows.map(i, i.amount).sum(); latest count first; all, 100 at most, more are left out',
        'the same request may have another result',
      ],
      [
        'breaking',
        '212→212 GET /balance: the answer’s member states: the answer’s member sum is gone',
        'callers may not find what they read',
      ],
      [
        'not',
        '212→212 GET /balance: the answer’s member states: the answer’s member currency is new',
        'callers that do not use it are answered as before',
      ],
      [
        'breaking',
        '212→212 GET /balance: the answer’s member states: the answer’s member count: the type is text, and was integer',
        'callers may receive a value that they do not know',
      ],
    ],
  },
  {
    what: 'a condition that counts rows that the caller may not see',
    of: 'tasks',
    edits: [['Require `Task.filter(t, t.opener', 'Require `every(Task).filter(t, t.opener']],
    told: [
      [
        'breaking',
        '83→83 POST /tasks: the list of resources of which every row counts, also rows that the caller may not see, is Task, and was none',
        'the same request may have another result',
      ],
      [
        'breaking',
        '87→87 POST /tasks: a step is: require every(Task).filter(t, t.opener == caller).size() < 100, else too_many, and was: require Task.filter(t, t.opener == caller).size() < 100, else too_many',
        'the same request may have another result',
      ],
    ],
  },
  {
    what: 'a first body where bodies were ignored',
    of: 'tasks',
    edits: [
      [
        '### `POST /tasks/{id}/reopen`\n\n| Parameter | In   | Type    | Allowed values | Presence | Otherwise |\n| --------- | ---- | ------- | -------------- | -------- | --------- |\n',
        '### `POST /tasks/{id}/reopen`\n\n| Parameter | In   | Type    | Allowed values | Presence | Otherwise |\n| --------- | ---- | ------- | -------------- | -------- | --------- |\n| loud      | body | boolean | any            | else `false` |           |\n',
      ],
      [
        '1. Move `task` by reopen.\n2. Answer 204 with header Location `"/tasks/" + task.id`.',
        '1. Move `task` by reopen.\n2. Answer 204 with header Location `request.loud ? "/TASKS/" + task.id : "/tasks/" + task.id`.',
      ],
    ],
    told: [
      [
        'breaking',
        '–→121 POST /tasks/{id}/reopen: the body of a request is new',
        'the same request may have another result',
      ],
      [
        'breaking',
        '124→125 POST /tasks/{id}/reopen: the value of the header Location is `request.loud ? "/TASKS/" + task.id : "/tasks/" + task.id`, and was `"/tasks/" + task.id`',
        'the same request may have another result',
      ],
    ],
  },
  {
    what: 'a retired version that is described no more',
    of: 'orders',
    edits: [
      ['| 2024-12-01 | retired    | 2025-06-01 | 2026-06-01 | none                                      |\n', ''],
    ],
    told: [
      ['breaking', '241→– versions: version 2024-12-01 is gone', 'the same request may have another result'],
      [
        'breaking',
        '241→233 receivers: those that were registered for version 2024-12-01 wait, since it is not described any more, until `receivers FILE change --waiting --version 2026-11-01`',
        'a receiver may not be notified',
      ],
    ],
  },
  {
    what: 'a retired version that is described now',
    of: 'tasks',
    edits: [
      [
        '| 2026-01-01 | deprecated | 2026-10-01 | 2027-04-01 | Task.weight absent; Task.title is `name`           |',
        '| 2026-01-01 | deprecated | 2026-10-01 | 2027-04-01 | Task.weight absent; Task.title is `name`           |\n| 2025-01-01 | retired | 2026-01-01 | 2026-07-01 | none |',
      ],
    ],
    told: [['not', '–→221 versions: version 2025-01-01 is new', 'callers that do not use it are answered as before']],
  },
  {
    what: 'the header of versions in Vary',
    of: 'orders',
    edits: [
      ['`Orders-Version`', '`Orders-Version`, with header Vary'],
      ['20 by default', '30 by default'],
    ],
    told: [
      [
        'not',
        '233→233 versions: every answer names the version’s header in Vary',
        'callers that do not use it are answered as before',
      ],
      [
        'breaking',
        '226→226 GET /orders: the default page size is 30, and was 20',
        'the same request may have another result',
      ],
    ],
  },
  {
    what: 'an optional header of a request',
    of: 'orders',
    edits: [
      [
        '| sku       | query | Order.sku    | any            | optional | `sku == query.sku`       |',
        '| sku       | query | Order.sku    | any            | optional | `sku == query.sku`       |\n| X-Least   | header | integer    | 1 to 1000            | optional | `quantity >= header["X-Least"]` |',
      ],
    ],
    told: [
      [
        'not',
        '–→108 GET /orders: the header parameter X-Least is new',
        'every request that was accepted still is accepted',
      ],
    ],
  },
  {
    what: 'resumption gone',
    of: 'tasks',
    edits: [
      ['- Resumption: Last-Event-ID, for 24 hours, else events_gone', '- Resumption: none'],
      [
        '| events_gone | 410   | a step says so                           | These events are gone            |       |\n',
        '',
      ],
    ],
    told: [
      ['not', '195→– events_gone: the code events_gone is gone', 'callers receive nothing new'],
      ['breaking', '153→– the stream: resumption is gone', 'a receiver may not be notified'],
    ],
  },
  {
    what: 'any number of streams',
    of: 'tasks',
    edits: [
      ['- At once: 5 for each caller, else too_many_streams', '- At once: any number'],
      [
        '| too_many_streams | 429 | a step says so                        | You follow the events already    |       |\n',
        '',
      ],
    ],
    told: [
      ['not', '196→– too_many_streams: the code too_many_streams is gone', 'callers receive nothing new'],
      [
        'not',
        '157→– the stream: the limit of open streams is gone',
        'every request that was accepted still is accepted',
      ],
    ],
  },
  {
    what: 'a Vary that a step states',
    of: 'orders',
    edits: [['2. Answer 200 with `orders`.', '2. Answer 200 with `orders` and header Vary `"Accept-Language"`.']],
    told: [
      [
        'not',
        '112→112 GET /orders: the header Vary is Accept-Language, Accept, Authorization, Orders-Version, and was Accept, Authorization, Orders-Version',
        'callers that do not use it are answered as before',
      ],
    ],
  },
  {
    what: 'two steps in another order',
    of: 'bookings',
    edits: [
      [
        '1. Require `request.starts > now()`, else booking_in_past.\n2. Create `made`: Booking from `request`.',
        '1. Create `made`: Booking from `request`.\n2. Require `request.starts > now()`, else booking_in_past.',
      ],
    ],
    told: [
      [
        'breaking',
        '205→206 POST /bookings: a step stands at another place: require request.starts > now(), else booking_in_past',
        'the same request may have another result',
      ],
    ],
  },
  {
    what: 'a blank cell of errors',
    of: 'blogging',
    edits: [['- Blank cells: Field request', '- Blank cells: Field general']],
    told: [
      [
        'breaking',
        '334→334 no_such_endpoint, method_not_allowed, unavailable, credentials_missing, credentials_not_accepted, credentials_expired, rate_exceeded, not_acceptable, length_missing, request_too_large, unsupported_media_type, unsupported_encoding, malformed_request, invalid_request, page_refused, conflict, time_out, storage_full, failure, not_yours: its field is general, and was request',
        'callers may receive a value that they do not know',
      ],
    ],
  },
  {
    what: 'a parameter with a type of its own',
    of: 'payments',
    edits: [
      [
        '| currency  | query | Intent.currency | any            |',
        '| currency  | query | string | 1 to 20 characters            |',
      ],
    ],
    told: [
      [
        'breaking',
        '125→125 GET /intents: the query parameter currency: other values are allowed: text 1 to 20 characters, and was one of chf, eur, gbp, usd',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'a parameter and a field that are narrowed alike',
    of: 'tasks',
    edits: [
      [
        '| weight   | integer   |        | -5 to 5             |',
        '| weight   | integer   |        | -3 to 3             |',
      ],
      ['| least     | query | integer | -5 to 5        |', '| least     | query | integer | -3 to 3        |'],
    ],
    told: [
      [
        'breaking',
        '37→37 Task.weight: fewer values are allowed: integer -3 to 3, and was integer -5 to 5',
        'a request that was accepted may be refused',
      ],
      [
        'breaking',
        '78→78 GET /tasks: the query parameter least: fewer values are allowed: integer -3 to 3, and was integer -5 to 5',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'another name for a member of a body',
    of: 'bookings',
    edits: [
      ['- Request: bookings: list', '- Request: reservations: list'],
      ['`request.bookings`', '`request.reservations`'],
    ],
    told: [
      [
        'breaking',
        '217→217 POST /bookings/bulk: the body’s member bookings is gone',
        'a request that was accepted may be refused',
      ],
      [
        'breaking',
        '217→217 POST /bookings/bulk: the body’s member reservations is new, and has to be sent',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'another heading of a scheme',
    of: 'orders',
    edits: [['### API key', '### Shop key']],
    told: [
      ['not', '161→161 Shop key: the scheme is called Shop key, and was called API key', 'no caller can notice it'],
    ],
  },
  {
    what: 'another name for a transition',
    of: 'orders',
    edits: [
      ['| place      |', '| submit     |'],
      ['by place.', 'by submit.'],
      ['moves by place ', 'moves by submit'],
    ],
    told: [
      ['not', '61→61 Order.submit: the transition is called submit, and was called place', 'no caller can notice it'],
    ],
  },
  {
    what: 'a code with another name and status',
    of: 'orders',
    edits: [
      ['| order_still_open    | 409', '| order_open_still    | 422'],
      ['else order_still_open.', 'else order_open_still.'],
    ],
    told: [
      [
        'breaking',
        '212→212 order_open_still: the code is order_open_still, and was order_still_open',
        'callers may receive a value that they do not know',
      ],
      [
        'breaking',
        '212→212 order_open_still: the status is 422, and was 409',
        'callers may receive a value that they do not know',
      ],
    ],
  },
  {
    what: 'another rate',
    of: 'orders',
    edits: [
      [
        '| Rate         | 600 requests per minute                     | each caller                         |',
        '| Rate         | 10 requests per second                     | each caller                         |',
      ],
    ],
    told: [
      [
        'breaking',
        '222→222 rate caller: it is 10 requests in 1 second, and was 600 requests in 1 minute',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'a sequence that counts for all rows',
    of: 'apiary',
    edits: [['| sequence per apiary |', '| sequence |']],
    told: [
      [
        'breaking',
        '68→68 Colony.hive: its source is sequence, and was sequence per apiary',
        'the same request may have another result',
      ],
    ],
  },
  {
    what: 'an answer without a body',
    of: 'orders',
    edits: [['1. Move `order` by cancel.\n2. Answer 200 with `order`.', '1. Move `order` by cancel.\n2. Answer 204.']],
    told: [
      [
        'breaking',
        '131→131 POST /orders/{id}/cancel: the status is 204, and was 200',
        'callers may receive a value that they do not know',
      ],
      ['breaking', '131→– POST /orders/{id}/cancel: the answer’s body is gone', 'callers may not find what they read'],
    ],
  },
  {
    what: 'a list that comes whole',
    of: 'bookings',
    edits: [
      ['latest `starts` first, in pages', 'latest `starts` first, all'],
      [
        '2. Answer 200 with `bookings`.\n\n### `GET /bookings/{booking}`',
        '2. Answer 200 with `bookings`.\n\n### `GET /bookings/{booking}`',
      ],
    ],
    told: [
      [
        'breaking',
        '340→– GET /bookings: the form of pages is gone',
        'callers may not be able to read what they are sent',
      ],
      [
        'breaking',
        '233→233 GET /bookings: a step is: list bookings: the visible rows of Booking where this.person == caller; latest starts first; all, 500 at most, more are left out, and was: list bookings: the visible rows of Booking where this.person == caller; latest starts first',
        'the same request may have another result',
      ],
    ],
  },
  {
    what: 'another derivation',
    of: 'payments',
    edits: [['status == "captured" ? amount - refunded : 0', 'status == "captured" ? amount : 0']],
    told: [
      [
        'breaking',
        '51→51 Intent.refundable: its derivation is `this.status == "captured" ? this.amount : 0`, and was `this.status == "captured" ? this.amount - this.refunded : 0`',
        'the same request may have another result',
      ],
    ],
  },
  {
    what: 'rows that go with the one that they refer to',
    of: 'bookings',
    edits: [
      ['- Keeps: room, else room_in_use', '- Removed with: room'],
      [
        '| room_in_use          | 409    | a rule says so                 | This room has bookings               |\n',
        '',
      ],
    ],
    told: [
      ['not', '320→– room_in_use: the code room_in_use is gone', 'callers receive nothing new'],
      [
        'breaking',
        '75→75 Room: a rule is Booking: removed with its room, and was Room: kept by Booking.room',
        'the same request may have another result',
      ],
    ],
  },
  {
    what: 'decimals that are rounded',
    of: 'apiary',
    edits: [['- Decimals: strings, more digits refused', '- Decimals: strings, rounded half even']],
    told: [
      [
        'not',
        '15→15 the service: a decimal with more digits is rounded half even, and was refused',
        'every request that was accepted still is accepted',
      ],
    ],
  },
  {
    what: 'decimals that are rounded no more',
    of: 'apiary',
    before: [['- Decimals: strings, more digits refused', '- Decimals: strings, rounded half even']],
    edits: [['- Decimals: strings, rounded half even', '- Decimals: strings, more digits refused']],
    told: [
      [
        'breaking',
        '15→15 the service: a decimal with more digits is refused, and was rounded half even',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'a parameter gone where unknown ones are ignored',
    of: 'tasks',
    edits: [
      [
        '| Parameter | In    | Type    | Allowed values | Presence | Keeps rows where         |\n| --------- | ----- | ------- | -------------- | -------- | ------------------------ |\n| least     | query | integer | -5 to 5        | optional | `weight >= query.least`  |\n\n',
        '',
      ],
      [', as the parameters say, earliest `changed`', ', earliest `changed`'],
    ],
    told: [
      ['breaking', '78→– GET /tasks: the query parameter least is gone', 'the same request may have another result'],
    ],
  },
  {
    what: 'a time that begins at another instant',
    of: 'bookings',
    edits: [
      [
        '| lapse      | waiting            | lapsed    | at `starts` | none             |',
        '| lapse      | waiting            | lapsed    | at `ends` | none             |',
      ],
    ],
    told: [
      [
        'breaking',
        '109→109 Booking.lapse: its time is at `this.ends`, and was at `this.starts`',
        'the same request may have another result',
      ],
    ],
  },
  {
    what: 'where visibility is stated',
    of: 'orders',
    edits: [['- Visible: `customer == caller || "orders:fulfil" in scopes`', '- Visible: `customer == caller`']],
    told: [
      [
        'breaking',
        '47→47 Order: its visibility is `this.customer == caller`, and was `this.customer == caller || "orders:fulfil" in scopes`',
        'the same request may have another result',
      ],
    ],
  },
  {
    what: 'where a stream’s heartbeat is stated',
    of: 'tasks',
    edits: [['- Heartbeat: every 15 seconds', '- Heartbeat: every 30 seconds']],
    told: [
      [
        'not',
        '155→155 the stream: the heartbeat is 30 seconds, and was 15 seconds',
        'callers that do not use it are answered as before',
      ],
    ],
  },
  {
    what: 'where the lifetime of tokens is stated',
    of: 'blogging',
    edits: [['- Lifetime: 7 days', '- Lifetime: 1 hour']],
    told: [
      [
        'breaking',
        '320→320 Token: the lifetime of tokens is 1 hour, and was 7 days',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'where unread bodies are stated',
    of: 'orders',
    edits: [['- Unread bodies: refused', '- Unread bodies: ignored']],
    told: [
      [
        'not',
        '72→72 GET /orders/{id}, GET /orders, POST /orders/{id}/place, POST /orders/{id}/cancel, POST /orders/{id}/ship, POST /orders/{id}/deliver, DELETE /orders/{id}, GET /summary: a body that is not read is ignored, and was refused',
        'every request that was accepted still is accepted',
      ],
    ],
  },
  {
    what: 'where HEAD is stated',
    of: 'apiary',
    edits: [['- HEAD: as GET', '- HEAD: not served']],
    told: [
      [
        'breaking',
        '128→128 GET /places, GET /apiaries/{apiary}, GET /apiaries/{apiary}/hives, GET /apiaries/{apiary}/hives/{hive}/inspections, GET /alerts: HEAD is no longer answered',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'where timestamps are stated',
    of: 'orders',
    edits: [['- Timestamps: RFC 3339, UTC, milliseconds', '- Timestamps: RFC 3339, UTC, seconds']],
    told: [
      [
        'breaking',
        '13→13 the service: the precision of timestamps is seconds, and was milliseconds',
        'callers may not be able to read what they are sent',
      ],
    ],
  },
  {
    what: 'where a request without a version is stated',
    of: 'orders',
    edits: [['- Without a version: current version', '- Without a version: refused']],
    told: [
      [
        'breaking',
        '235→235 versions: a request without a version is refused, and was answered in the current version',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'where the form of pages is stated',
    of: 'orders',
    edits: [['parameters `limit` and `cursor`', 'parameters `limit` and `after`']],
    told: [
      [
        'breaking',
        '229→229 GET /orders: the parameter of a page’s place is after, and was cursor',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'a scope of two schemes that becomes any caller of one',
    of: 'accounts',
    before: [
      ['- Access: report\n\n1. Revoke', '- Access: any Machine\n\n1. Revoke'],
      [
        '- Scopes: none\n\n### Machine key',
        '- Scopes: in claim `scope`, separated by spaces\n\n| Scope  | Lets the caller   |\n| ------ | ----------------- |\n| report | read its report   |\n\n### Machine key',
      ],
      [
        '2. Issue `token`: Session for `user`.\n3. Answer 201 with user',
        '2. Issue `token`: Session for `user` with scopes report.\n3. Answer 201 with user',
      ],
      [
        '2. Issue `token`: Session for `user`.\n3. Answer 201 with token',
        '2. Issue `token`: Session for `user` with scopes report.\n3. Answer 201 with token',
      ],
      [
        '- Access: report\n\n1. Answer 200 with machine: `caller.label`, owner: `caller.owner.email`.',
        '- Access: report\n\n1. Answer 200 with at: `now()`.\n\n### `GET /other`\n\n- Access: report\n\n1. Answer 200 with at: `now()`.',
      ],
    ],
    edits: [
      ['### `GET /report`\n\n- Access: report\n\n1. Answer', '### `GET /report`\n\n- Access: any Machine\n\n1. Answer'],
    ],
    told: [
      [
        'not',
        '118→118 GET /report: access is any caller, and was report',
        'every request that was accepted still is accepted',
      ],
      [
        'breaking',
        '118→118 GET /report: the credentials that are taken: Session is gone',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'a code gone and another new, with the same status',
    of: 'orders',
    edits: [
      [
        '1. Require `order.status == "cancelled"`, else order_still_open.\n2. Remove `order`.\n3. Answer',
        '1. Remove `order`.\n2. Answer',
      ],
      [
        '1. Create `order`: Order from `request`.\n2. Answer',
        '1. Require `request.quantity != 13`, else unlucky.\n2. Create `order`: Order from `request`.\n3. Answer',
      ],
      [
        '| order_still_open    | 409    | a step says so           | Cancel this order before removing it     |',
        '| unlucky    | 409    | a step says so           | Thirteen is too many     |',
      ],
    ],
    told: [
      ['not', '212→– order_still_open: the code order_still_open is gone', 'callers receive nothing new'],
      ['breaking', '–→212 unlucky: the code unlucky is new', 'callers may receive a value that they do not know'],
      [
        'breaking',
        '–→93 POST /orders: a step is new: require request.quantity != 13, else unlucky',
        'a request that was accepted may be refused',
      ],
      [
        'not',
        '149→– DELETE /orders/{id}: a step is gone: require order.status == "cancelled", else order_still_open',
        'every request that was accepted still is accepted',
      ],
    ],
  },
];
