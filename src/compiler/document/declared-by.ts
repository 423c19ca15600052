/** How a document declares names of each kind, for messages about a document that declares no name of the kind. */
const DECLARED_BY: Readonly<Record<string, string>> = {
  resource: 'A resource is a heading such as `### Order` under “Resources and their fields”.',
  'type or resource': 'A resource is a heading such as `### Order` under “Resources and their fields”.',
  field: 'A field is a row of the table under its resource.',
  view: 'A view is a bullet such as `- Shown as Short: id` under its resource.',
  'field or view': 'A view is a bullet such as `- Shown as Short: id` under its resource.',
  state: 'The states are the allowed values of the field.',
  transition:
    'A transition is a row of the table under a heading such as `### Order.status` in “States and transitions”.',
  endpoint: 'An endpoint is a heading such as ``### `GET /orders` `` under “Endpoints”.',
  handler: 'A handler is a heading such as `### Handler quote` under “Endpoints”.',
  parameter: 'A parameter is a segment such as `{id}` of the path, or a row of the table under its endpoint.',
  'value to sort by': 'The bullet `Sort` of the endpoint names them.',
  scheme: 'A scheme is a heading such as `### API key` under “Authentication”.',
  scope: 'A scope is a row of the table `| Scope | Lets the caller |` under its scheme.',
  event: 'An event is a row of the table under “Events”, and “Notified by” says how it is sent.',
  'webhook event': 'An event is a row of the table under “Events”, with “webhook” under “Notified by”.',
  'error code': 'An error code is a row of the table under “Errors”.',
  payload:
    'Write “RFC 9457” or “none”, or declare the payload: a table under “Errors” with the columns “Payload Failure”, “Type” and “Value”.',
};

/** How a document declares a name of a kind, such as `transition of Order`; empty where no statement declares it. */
export const declaredBy = (kind: string): string => DECLARED_BY[kind.replace(/ of .*/, '')] ?? '';
