// One subscriber of a running action, over a WebSocket of its own.
import WebSocket from 'ws';
import { TOKEN_HEADER } from '../stub/description.ts';

/** Whose action a subscriber watches, and who is told. */
export interface Subscription {
  /** The GraphQL endpoint, with the scheme `ws`. */
  readonly url: string;
  readonly token: string;
  readonly action: number;
  /** Called with `current` of each event. */
  readonly onEvent: (current: number) => void;
}

const QUERY = 'subscription ($id: ID!) { actionProgress(id: $id, minInterval: 0.1) { current } }';

/** Subscribes. Resolves with the first event, which is not reported to `onEvent`. Rejects when the socket closes before. */
export function subscribe({ url, token, action, onEvent }: Subscription): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, 'graphql-transport-ws', { perMessageDeflate: false });
    const send = (message: object): void => socket.send(JSON.stringify(message));
    let hasStarted = false;
    socket.once('open', () => send({ type: 'connection_init', payload: { [TOKEN_HEADER]: token } }));
    socket.on('message', (data) => {
      const text = String(data);
      const { type, payload } = JSON.parse(text);
      if (type === 'connection_ack') {
        send({ id: '1', type: 'subscribe', payload: { query: QUERY, variables: { id: String(action) } } });
      } else if (type === 'next' && payload.errors === undefined) {
        if (hasStarted) onEvent(payload.data.actionProgress.current);
        hasStarted = true;
        resolve(socket);
      } else if (type !== 'ping' && type !== 'pong') {
        reject(new Error(`action ${action} was answered ${text.slice(0, 300)}`));
      }
    });
    socket.on('error', reject);
    socket.once('close', (code, reason) => reject(new Error(`closed with ${code} ${String(reason)}`)));
  });
}
