const table = (...rows: string[]): string =>
  [
    '| Field | Type | Format | Allowed values | Given by | Presence | Unique |',
    '| --- | --- | --- | --- | --- | --- | --- |',
  ]
    .concat(rows)
    .join('\n');

const ID = '| id | integer | | 1 to 1000000 | request | | identity |';

/** Boards with very many cards, which go with them: so do notes of cards, and pins let go of them. */
export const BOARDS = `# Boards

## What the service does

- Purpose: plan work together
- Domain: planning
- Address: given by the operator

## Resources and their fields

- Text: as sent
- Missing values in answers: null
- Null in requests: clears
- Empty text in requests: kept
- Unknown fields: refused
- Blank cells: Format none, Allowed values any, Presence always, Unique no

### Board

${table(ID)}

- Visible: everyone
- Shown: id

### Card

${table(ID, '| board | Board | | | request | | |', '| title | string | | 1 to 200 characters | request | | |')}

- Removed with: board
- Visible: everyone
- Shown: id, board as id, title

### Note

${table(ID, '| card | Card | | | request | | |')}

- Removed with: card
- Visible: everyone
- Shown: id, card as id

### Pin

${table(ID, '| card | Card | | | request | optional | |', '| other | Card | | | request | optional | |')}

- Cleared with: card, other
- Visible: everyone
- Shown: id, card as id, other as id

### Reply

${table(ID, '| to | Reply | | | request | optional | |')}

- Removed with: to
- Visible: everyone
- Shown: id

### Task

${table(ID, '| after | Task | | | request | optional | |')}

- Keeps: after, else has_followers
- Visible: everyone
- Shown: id

## States and transitions

- States: none

## Endpoints

- Payloads: JSON (RFC 8259)
- Request: none
- Unread bodies: refused
- Unknown parameters: refused
- HEAD: not served
- Conditional requests: none
- Idempotency: none

| Parameter | In | Type | Allowed values | Presence | Otherwise |
| --- | --- | --- | --- | --- | --- |
| board | path | Board.id | any | always | no_row |
| reply | path | Reply.id | any | always | no_row |

${[
  ['Board', 'boards', 'id'],
  ['Card', 'cards', 'id, board, title'],
  ['Note', 'notes', 'id, card'],
  ['Pin', 'pins', 'id, card, other'],
  ['Reply', 'replies', 'id, to'],
  ['Task', 'tasks', 'id, after'],
]
  .map(
    ([resource, path, fields]) => `### \`POST /${path}\`

- Request: rows: list of ${resource} with ${fields}, 1 to 1000 items

1. For each \`item\` in \`request.rows\`:
   1. Create ${resource} from \`item\`.
2. Answer 204.`,
  )
  .join('\n\n')}

### \`GET /boards/{board}\`

1. Find \`b\`: Board where \`id == path.board\`, else no_row.
2. Answer 200 with \`b\`.

### \`GET /counts\`

1. Answer 200 with boards: \`Board.size()\`, cards: \`Card.size()\`, notes: \`Note.size()\`, pinned: \`Pin.filter(p, p.card != null || p.other != null).size()\`, replies: \`Reply.size()\`, tasks: \`Task.size()\`.

### \`DELETE /boards/{board}\`

1. Find \`b\`: Board where \`id == path.board\`, else no_row.
2. Remove \`b\`.
3. Answer 204.

### \`DELETE /boards\`

1. Remove every Board where \`id < 1000000\`.
2. Answer 204.

### \`DELETE /replies/{reply}\`

1. Find \`r\`: Reply where \`id == path.reply\`, else no_row.
2. Remove \`r\`.
3. Answer 204.

### \`DELETE /tasks\`

1. Remove every Task where \`id < 1000000\`.
2. Answer 204.

## Authentication

- Scheme: none
- Browser origins: none

## Events

| Event | When | Payload | Notified by |
| --- | --- | --- | --- |
| board.removed | a Board is removed | Board | webhook |
| card.removed | a Card is removed | Card | webhook |
| note.removed | a Note is removed | Note | webhook |
| pin.changed | a Pin is changed in card, other | Pin | webhook |

### Webhook

- Receivers: registered by the operator, each for chosen events
- Signature: Standard Webhooks
- Time-out: 10 seconds
- Attempts: 3, after 5 seconds, 1 minute
- Order: none
- Delivery: at least once
- Kept: 1 day after delivery

## Errors

- Payload: RFC 9457
- Conditions: Ninefold common 1

| Code | Status | When | Title |
| --- | --- | --- | --- |
| no_row | 404 | a step says so | No such row |
| has_followers | 409 | a rule says so | Others come after it |

## Limits

Rate limits, pagination bounds and defaults: none.

| Limit | Value | Applies to |
| --- | --- | --- |
| Request size | 1 MiB | every endpoint |
| Time-out | 10 minutes | every endpoint |

## Versioning

- Scheme: none
`;
