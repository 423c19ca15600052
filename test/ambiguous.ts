/** What requests are put together from. */
export interface Requests {
  /** The head of a request, with what each one needs; the lines come after it. */
  readonly head: (start: string, ...lines: string[]) => string;
  /** The head of one that opens a draft. */
  readonly creates: (...lines: string[]) => string;
  /** A whole one that does. */
  readonly create: () => string;
  /** Another whole request, which nobody means to send. */
  readonly smuggled: string;
}

/** What a front end and this service could understand differently: where one request ends and the next begins. */
export const AMBIGUOUS: ReadonlyArray<readonly [what: string, bytes: (requests: Requests) => string]> = [
  [
    'a length and chunks',
    ({ creates, smuggled }) => `${creates('Content-Length: 6', 'Transfer-Encoding: chunked')}0\r\n\r\n${smuggled}`,
  ],
  [
    'chunks and a length',
    ({ creates, smuggled }) => `${creates('Transfer-Encoding: chunked', 'Content-Length: 6')}0\r\n\r\n${smuggled}`,
  ],
  ['two lengths', ({ creates, smuggled }) => `${creates('Content-Length: 2', 'Content-Length: 40')}{}${smuggled}`],
  ['a list of lengths', ({ creates, smuggled }) => `${creates('Content-Length: 2, 40')}{}${smuggled}`],
  ['a length with a sign', ({ creates, smuggled }) => `${creates('Content-Length: +2')}{}${smuggled}`],
  ['a length in hexadecimal', ({ creates, smuggled }) => `${creates('Content-Length: 0x2')}{}${smuggled}`],
  ['a length with a space in it', ({ creates, smuggled }) => `${creates('Content-Length: 2 0')}{}${smuggled}`],
  ['an empty length', ({ creates, smuggled }) => `${creates('Content-Length:')}{}${smuggled}`],
  ['chunks spelt oddly', ({ creates, smuggled }) => `${creates('Transfer-Encoding: xchunked')}0\r\n\r\n${smuggled}`],
  [
    'chunks with a tail',
    ({ creates, smuggled }) => `${creates('Transfer-Encoding: chunked, identity')}0\r\n\r\n${smuggled}`,
  ],
  ['chunks in quotes', ({ creates, smuggled }) => `${creates('Transfer-Encoding: "chunked"')}0\r\n\r\n${smuggled}`],
  [
    'chunks after a vertical tab',
    ({ creates, smuggled }) => `${creates('Transfer-Encoding: \vchunked')}0\r\n\r\n${smuggled}`,
  ],
  [
    'chunks twice',
    ({ creates, smuggled }) => `${creates('Transfer-Encoding: chunked', 'Transfer-Encoding: x')}0\r\n\r\n${smuggled}`,
  ],
  ['chunks behind a space', ({ creates, smuggled }) => `${creates('Transfer-Encoding : chunked')}0\r\n\r\n${smuggled}`],
  ['a length behind a space', ({ creates, smuggled }) => `${creates('Content-Length : 2')}{}${smuggled}`],
  [
    'chunks on a folded line',
    ({ creates, smuggled }) => `${creates('Transfer-Encoding:', ' chunked')}0\r\n\r\n${smuggled}`,
  ],
  ['a folded line', ({ creates }) => creates('X-A: 1', ' Content-Length: 2')],
  ['bare line feeds', ({ creates }) => creates('Content-Length: 2').replaceAll('\r\n', '\n')],
  ['one bare line feed', ({ creates }) => creates('X-A: 1\nContent-Length: 2')],
  ['a bare carriage return', ({ creates }) => creates('X-A: 1\rContent-Length: 2')],
  ['a NUL in a header', ({ creates }) => creates('X-A: a\0b')],
  ['a NUL in a name', ({ creates }) => creates('X\0A: b')],
  ['no host', ({ create }) => create().replace('Host: orders.example\r\n', '')],
  ['two hosts', ({ create }) => create().replace('Host', 'Host: a.example\r\nHost')],
  ['a host that is none', ({ create }) => create().replace('orders.example', 'orders.example/a')],
  ['HTTP/1.0 with chunks', ({ creates }) => `${creates('Transfer-Encoding: chunked').replace('1.1', '1.0')}0\r\n\r\n`],
  ['HTTP/2 in the clear', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ...[
    'HTTP/0.9',
    'HTTP/1.2',
    'HTTP/2.0',
    'HTTP/3.0',
    'RTSP/1.0',
    'RTSP/1.1',
    'RTSP/2.0',
    'ICE/1.0',
    'http/1.1',
    '',
  ].map((protocol): (typeof AMBIGUOUS)[number] => [
    `a protocol called “${protocol}”`,
    ({ create }) => create().replace('HTTP/1.1', protocol),
  ]),
  ['a user in the target', ({ create }) => create().replace('/orders', 'http://u:p@orders.example/orders')],
  ['a target whose host is none', ({ create }) => create().replace('/orders', 'http://[orders.example/orders')],
  ['Icecast', ({ create }) => create().replace('POST', 'SOURCE').replace('HTTP/1.1', 'ICE/1.0')],
  ['Icecast that says 1.1', ({ create }) => create().replace('POST', 'SOURCE').replace('HTTP/1.1', 'ICE/1.1')],
  ['options of RTSP', ({ create }) => create().replace('POST', 'OPTIONS').replace('HTTP/1.1', 'RTSP/1.0')],
  ['options of RTSP that say 1.1', ({ create }) => create().replace('POST', 'OPTIONS').replace('HTTP/1.1', 'RTSP/1.1')],
  ['a method of RTSP', ({ create }) => create().replace('POST', 'SETUP').replace('HTTP/1.1', 'RTSP/1.0')],
  ['a method of RTSP that says 1.1', ({ create }) => create().replace('POST', 'FLUSH').replace('HTTP/1.1', 'RTSP/1.1')],
  ['RTSP behind an empty line', ({ create }) => `\r\n${create().replace('HTTP/1.1', 'RTSP/1.1')}`],
  ['RTSP behind more spaces', ({ create }) => create().replace(' HTTP/1.1', '   RTSP/1.1')],
  ['RTSP and an absolute target', ({ create }) => create().replace('/orders HTTP/1.1', 'http://a/orders RTSP/1.0')],
  ['the start of TLS', () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['no version', () => 'GET /orders\r\n\r\n'],
];
