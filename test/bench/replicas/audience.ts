// Subscribers that follow one running action after another, and count what they get.
import { setTimeout as pause } from 'node:timers/promises';
import pLimit from 'p-limit';
import { ProgressClient } from '../../helpers/progress-client.ts';
import { TOKEN_HEADER } from '../stub/description.ts';

/** Who subscribes, and where. */
export interface AudienceOptions {
  readonly subscribers: number;
  /** The actions that run at a time. The one that takes the place of another has an id that is higher by this number. */
  readonly actions: number;
  readonly callers: number;
  /** Endpoints with the scheme `ws`. A client takes the next one whenever it connects. */
  readonly urls: readonly string[];
  /** When `current` of a state is 0. Milliseconds since 1970. */
  readonly epoch: number;
}

/** What all subscribers have got. */
export interface AudienceCounts {
  /** Actions that were followed to the end of their stream. */
  followed: number;
  /** Final states among them. */
  final: number;
  states: number;
  wentBack: number;
  /** Streams that ended with an error. */
  failed: number;
  connections: number;
}

/** Subscribers that connect at the same time. */
const CONNECTING = 100;
/** Pause of a subscriber after an error. Milliseconds. */
const PAUSE = 1_000;

/** Stock clients, each with a connection of its own. */
export class Audience {
  readonly #options: AudienceOptions;
  readonly #clients: ProgressClient[] = [];
  readonly #counts = { followed: 0, final: 0, states: 0, wentBack: 0, failed: 0 };
  readonly #ended: Promise<void>[] = [];
  /** One message of each kind of error. */
  readonly errors = new Set<string>();
  /** Time between the change of an action and the state that a subscriber gets, since the last reading. Milliseconds. */
  #delays: number[] = [];
  #connections = 0;
  #isOver = false;

  constructor(options: AudienceOptions) {
    this.#options = options;
  }

  get counts(): AudienceCounts {
    const connections = this.#clients.reduce((sum, client) => sum + client.connections, 0);
    return { ...this.#counts, connections };
  }

  /** The delays since the last call. */
  takeDelays(): readonly number[] {
    const delays = this.#delays;
    this.#delays = [];
    return delays;
  }

  /** Resolves when each subscriber has its first state. */
  async open(): Promise<void> {
    const limit = pLimit(CONNECTING);
    const { subscribers, actions, callers, epoch } = this.#options;
    const open = (index: number): Promise<void> =>
      new Promise((resolve) => {
        const action = (index % actions) + 1;
        const client = new ProgressClient({
          url: this.#nextUrl,
          connectionParams: { [TOKEN_HEADER]: `caller-${action % callers}` },
          onState: (current) => {
            this.#counts.states += 1;
            if (current > 0) this.#delays.push(Date.now() - epoch - current);
            resolve();
          },
        });
        this.#clients.push(client);
        this.#ended.push(this.#followOn(client, action).finally(resolve));
      });
    await Promise.all(Array.from({ length: subscribers }, (_, index) => limit(() => open(index))));
  }

  /** Has nobody begin with another action. */
  stop(): void {
    this.#isOver = true;
  }

  /** Waits until each subscriber has followed its last action to the end, for at most some milliseconds. @returns How many have not. */
  async finish(longest: number): Promise<number> {
    let open = this.#ended.length;
    const all = this.#ended.map((ended) => ended.then(() => (open -= 1)));
    await Promise.race([Promise.all(all), pause(longest)]);
    return open;
  }

  async close(): Promise<void> {
    this.stop();
    await Promise.all(this.#clients.map((client) => client.close()));
  }

  readonly #nextUrl = (): string => {
    const { urls } = this.#options;
    this.#connections += 1;
    return urls[this.#connections % urls.length] ?? '';
  };

  /** Follows an action to its end, then the one in its place. After an error, it follows the action again. */
  async #followOn(client: ProgressClient, first: number): Promise<void> {
    let action = first;
    do {
      try {
        const seen = await client.follow(action);
        this.#counts.followed += 1;
        if (seen.hasEnded) this.#counts.final += 1;
        this.#counts.wentBack += seen.wentBack;
        action += this.#options.actions;
      } catch (error) {
        this.#counts.failed += 1;
        this.errors.add(describe(error));
        await pause(PAUSE);
      }
    } while (!this.#isOver);
  }
}

/** Without the number of an action, so that there is one text for each kind of error. */
function describe(error: unknown): string {
  if (Array.isArray(error)) return error.map(({ message }) => String(message).replace(/\d+/, 'N')).join(', ');
  const { code, reason, message } = error as {
    readonly code?: number;
    readonly reason?: string;
    readonly message?: string;
  };
  return code === undefined ? String(message ?? error).replace(/\d+/, 'N') : `closed with ${code} ${reason}`;
}
