// Faults of a management API and of the network before it, for the faulty proxy.
import { setTimeout as pause } from 'node:timers/promises';
import { type Exchange, type Fault, formatAnswer } from './faulty-proxy.ts';

/** A fault, and what may be concluded from the facade's answer. */
export interface KnownFault {
  readonly answer: Fault;
  /** Whether the answer is well formed but has other values than the API's. */
  readonly isForged?: boolean;
}

/** What cuts an answer short. */
export type Cut = 'close' | 'reset' | 'silence';

const HTML = '<html><body>Bad gateway</body></html>';
const HEAD = 'HTTP/1.1 200 OK\r\n';

const end = ({ socket }: Exchange, cut: Cut): void => {
  if (cut === 'close') socket.end();
  if (cut === 'reset') socket.resetAndDestroy();
};

/** Loses a request: the API never gets it. */
const lost = (answer: Fault): KnownFault => ({ answer });

/** Passes a request on, then answers this text. */
const instead = (text: string, cut: Cut = 'silence'): KnownFault => ({
  answer: async (exchange) => {
    await exchange.forward();
    exchange.write(text);
    end(exchange, cut);
  },
});

/** Passes a request on, then answers its answer changed. */
const changed = (
  change: (text: string, body: string) => string | Buffer,
  cut: Cut = 'silence',
): KnownFault => ({
  answer: async (exchange) => {
    const answer = await exchange.forward();
    exchange.write(change(formatAnswer(answer), answer.body));
    end(exchange, cut);
  },
});

const body = (text: string, status = 200): KnownFault => instead(formatAnswer({ status, body: text }));

/** Passes a request on, and answers with another body made from the API's. */
export const forged = (change: (body: string) => string): KnownFault => ({
  ...changed((_text, sound) => formatAnswer({ status: 200, body: change(sound) })),
  isForged: true,
});

/** Answers until a byte, counted over head and body; a negative number counts from the end. */
export const cutAt = (byte: number, cut: Cut): KnownFault => changed((text) => text.slice(0, byte), cut);

/** Answers in small pieces. */
export const dribbled = (size: number, delay: number): KnownFault => ({
  answer: async (exchange) => {
    const text = formatAnswer(await exchange.forward());
    for (let at = 0; at < text.length && exchange.socket.writable; at += size) {
      exchange.write(text.slice(at, at + size));
      await pause(delay);
    }
  },
});

/** Answers with some bytes overwritten. */
export const overwritten = (byte: number, by: string): KnownFault => ({
  ...changed((text) => {
    const at = byte % text.length;
    return text.slice(0, at) + by + text.slice(at + by.length);
  }),
  // The damage may hit a value and leave a valid answer.
  isForged: true,
});

/** Answers with a status and a body of its own, and closes. */
export const status = (code: number, text: string): KnownFault => ({
  ...instead(formatAnswer({ status: code, body: text }, ['connection: close']), 'close'),
  isForged: true,
});

/** Sends header lines one by one, and never ends. */
const endlessHead: Fault = async (exchange) => {
  await exchange.forward();
  exchange.write(HEAD);
  for (let line = 0; line < 500 && exchange.socket.writable; line += 1) {
    exchange.write(`x-line-${line}: more\r\n`);
    await pause(10);
  }
};

/** Sends the answer a byte at a time, too slowly to end in time. */
const dribbledForever: Fault = async (exchange) => {
  const text = formatAnswer(await exchange.forward());
  for (let at = 0; at < text.length && exchange.socket.writable; at += 1) {
    exchange.write(text.charAt(at));
    await pause(20);
  }
};

const chunked = (lines: string): string => `${HEAD}transfer-encoding: chunked\r\n\r\n${lines}`;
const NESTED = `{"status":true,"response":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;

/** Faults by name. */
export const FAULTS: Readonly<Record<string, KnownFault>> = {
  'closes the connection before the request': lost((exchange) => end(exchange, 'close')),
  'resets the connection before the request': lost((exchange) => end(exchange, 'reset')),
  'never passes the request on': lost(() => undefined),
  'a page with 503': lost(({ write }) => write(formatAnswer({ status: 503, body: HTML }))),
  'a page with 429': lost(({ write }) => write(formatAnswer({ status: 429, body: HTML }))),
  'a page with 502': body(HTML, 502),
  'a page with 504': body(HTML, 504),
  'a page with 500': body(HTML, 500),
  'a page with 200': body(HTML),
  'closes the connection after the request': instead('', 'close'),
  'resets the connection after the request': instead('', 'reset'),
  'never answers': instead(''),
  'stops in the status line': instead('HTTP/1.1 2'),
  'closes in the status line': instead('HTTP/1.1 2', 'close'),
  'closes in the head': instead(`${HEAD}content-le`, 'close'),
  'never ends the head': { answer: endlessHead },
  'resets in the body': cutAt(-9, 'reset'),
  'closes in the body': cutAt(-9, 'close'),
  'stops in the body': cutAt(-9, 'silence'),
  'closes a body without a length': changed((_text, sound) => `${HEAD}\r\n${sound.slice(0, -9)}`, 'close'),
  'ends a body without a length': changed((_text, sound) => `${HEAD}\r\n${sound}`, 'close'),
  'a status line of no protocol': instead('HTP/1.1 200 OK\r\n\r\n'),
  'a status that is no number': instead('HTTP/1.1 abc OK\r\n\r\n'),
  'another protocol': instead('SSH-2.0-OpenSSH_9.6\r\n'),
  'bytes that are no text': changed(() => Buffer.from([0, 255, 22, 3, 1, 0])),
  'a header without a colon': changed((text) => text.replace('content-type: ', 'content type ')),
  'a header with a null': changed((text) => text.replace('json', 'js\0on')),
  'too large a head': instead(`${HEAD}x-large: ${'x'.repeat(100_000)}\r\n\r\n`),
  'a length that is too long': changed((text) => text.replace(/length: (\d+)/, 'length: 9$1')),
  'a length that is too long, then the end': changed(
    (text) => text.replace(/length: (\d+)/, 'length: 9$1'),
    'close',
  ),
  'a length that is too short': changed((text) => text.replace(/length: \d+/, 'length: 20')),
  'a negative length': changed((text) => text.replace(/length: \d+/, 'length: -1')),
  'two lengths': changed((text) => text.replace('content-length', 'content-length: 5\r\ncontent-length')),
  'a length beside chunks': changed((text) =>
    text.replace('content-type', 'transfer-encoding: chunked\r\ncontent-type'),
  ),
  'a chunk length that is no number': instead(chunked('zz\r\n{}\r\n0\r\n\r\n')),
  'a chunk that is cut short': instead(chunked('ff\r\n{"status":true'), 'close'),
  'chunks without an end': changed((_text, sound) => chunked(`${sound.length.toString(16)}\r\n${sound}\r\n`)),
  'the answer in chunks': changed((_text, sound) =>
    chunked(`${[...sound].map((char) => `1\r\n${char}\r\n`).join('')}0\r\n\r\n`),
  ),
  'the answer twice': changed((text) => text + text),
  'the answer and garbage': changed((text) => `${text}GARBAGE`),
  'the answer, then the end': changed((text) => text, 'close'),
  'the answer, then a reset': {
    answer: async (exchange) => {
      const text = formatAnswer(await exchange.forward());
      exchange.socket.write(text, () => end(exchange, 'reset'));
    },
  },
  'the answer in small pieces': dribbled(16, 1),
  'the answer too slowly': { answer: dribbledForever },
  'an unexpected 100': changed((text) => `HTTP/1.1 100 Continue\r\n\r\n${text}`),
  'ten times 103': changed((text) => 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(10) + text),
  'an unexpected 101': instead(
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n',
  ),
  'an empty body': body(''),
  'no content': instead('HTTP/1.1 204 No Content\r\n\r\n'),
  'not modified': instead('HTTP/1.1 304 Not Modified\r\n\r\n'),
  'a redirect': instead('HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:9/\r\ncontent-length: 0\r\n\r\n'),
  'JSON that is cut short': changed((_text, sound) =>
    formatAnswer({ status: 200, body: sound.slice(0, -2) }),
  ),
  'compressed JSON that is none': changed((text) =>
    text.replace('content-type', 'content-encoding: gzip\r\ncontent-type'),
  ),
  'more than can be read': body('x'.repeat(60_000)),
  null: body('null'),
  'a list for the envelope': body('[]'),
  'a text for the envelope': body('"fine"'),
  'an envelope without a status': body('{"response":{"tool":{"id":4}}}'),
  'an envelope with a text as status': body('{"status":"true","response":{"tool":{"id":4}}}'),
  'lists that are too deep': body(NESTED),
};
