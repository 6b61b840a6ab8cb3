// Simulates replicas that share through a server: each can lose it, hang, lose messages, or be killed.
import { setTimeout as pause } from 'node:timers/promises';
import { ALONE, type Claim, type Replicas } from '../../src/sharing/replicas.ts';

/** Milliseconds that a claim or a message takes in each direction. */
const LATENCY = 1;

/** A replica whose connection a test controls. */
export interface SimulatedReplica {
  readonly replicas: Replicas;
  /** Whether it does not reach the server, and knows that. */
  isAlone: boolean;
  /** Number of messages that it will not receive. */
  lost: number;
  /** Stops it as a machine stops a process: what it claims, sends and receives comes late. */
  stop(): void;
  goOn(): void;
}

/** The server that the replicas share. */
export class SimulatedDeployment {
  readonly #leases = new Map<string, { readonly holder: string; readonly endsAt: number }>();
  readonly #members = new Map<string, Set<(message: string, from: string) => void>>();
  #claims = 0;
  #replicas = 0;

  join(): SimulatedReplica {
    this.#replicas += 1;
    const id = `replica ${this.#replicas}`;
    let running = Promise.resolve();
    let goOn: (() => void) | null = null;
    const pass = async (): Promise<void> => {
      await pause(LATENCY);
      await running;
    };
    const replica: SimulatedReplica = {
      isAlone: false,
      lost: 0,
      stop() {
        if (goOn !== null) return;
        running = new Promise((resolve) => {
          goOn = resolve;
        });
      },
      goOn() {
        goOn?.();
        goOn = null;
      },
      replicas: {
        id,
        hasOthers: true,
        report: null,
        claim: async (name, duration) => {
          const sentAt = performance.now();
          await pass();
          if (replica.isAlone) return ALONE;
          const claim = this.#claim(name, id, duration);
          await pass();
          return { ...claim, endsAt: sentAt + duration };
        },
        release: async (name) => {
          await pass();
          if (!replica.isAlone && this.#leases.get(name)?.holder === id) this.#leases.delete(name);
        },
        open: (name, onMessage) => {
          const members = this.#members.get(name) ?? new Set();
          this.#members.set(name, members);
          const receive = async (text: string, from: string): Promise<void> => {
            await pass();
            if (from === id || replica.isAlone || !members.has(member)) return;
            replica.lost -= 1;
            if (replica.lost < 0) onMessage(JSON.parse(text));
            replica.lost = Math.max(0, replica.lost);
          };
          const member = (text: string, from: string): void => void receive(text, from);
          members.add(member);
          return {
            send: async (message) => {
              const text = JSON.stringify(message);
              await pass();
              if (!replica.isAlone) for (const other of members) other(text, id);
              await pass();
            },
            close: () => members.delete(member),
          };
        },
        store: unused,
        add: unused,
        load: unused,
        remove: unused,
        createLimiter: unused,
        digest: (text: string) => text,
        close: unused,
      },
    };
    return replica;
  }

  #claim(name: string, id: string, duration: number): Claim {
    const now = performance.now();
    const lease = this.#leases.get(name);
    const isHeld = lease === undefined || lease.holder === id || lease.endsAt <= now;
    if (isHeld) this.#leases.set(name, { holder: id, endsAt: now + duration });
    this.#claims += 1;
    return { isHeld, isAlone: false, token: this.#claims, endsAt: 0 };
  }
}

const unused = (): never => {
  throw new Error('not simulated');
};
