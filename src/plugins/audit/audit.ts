// Records who writes what: a line before each write is sent, one for its answer, and one for the end of its running action.
import { randomBytes, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { pid } from 'node:process';
import { LRUCache } from 'lru-cache';
import * as z from 'zod';
import type { Session } from '../../callers/session.ts';
import { maskControls } from '../../control-characters.ts';
import { idsOf, NO_PATH_IDS, toGlobalId } from '../../loaders/identity.ts';
import type { Operation } from '../../loaders/operation.ts';
import { notSent, type WriteEnd, type WriteGuard } from '../../loaders/write-guard.ts';
import type { ObservedOperation } from '../../observer.ts';
import { RefusedError } from '../../server/errors.ts';
import { publicCodeOf } from '../../server/mask-error.ts';
import type { Services, StartedPlugin } from '../../server/plugin.ts';
import { createSealing, type Seal } from '../../sharing/sealing.ts';
import { atMost } from '../../upstream/cache-bounds.ts';
import { isObject } from '../../upstream/json.ts';

const common = {
  time: z.iso.datetime().describe('when the line was made'),
  hostname: z.string().describe('the machine'),
  pid: z.int().describe('the process'),
  write: z.string().describe('identifies the write; the same in all its lines'),
  requestId: z.string().describe('the request, as in the log and in the response'),
  action: z.string().describe('scope of the action, e.g. `book#create`'),
};

const sent = z.strictObject({
  event: z.literal('sent'),
  ...common,
  traceId: z.string().nullable().describe('the trace of the request; null for none'),
  via: z
    .string()
    .nullable()
    .describe('`mcp` for an agent, which the door for agents has let in; null for GraphQL itself'),
  caller: z
    .strictObject({
      kind: z
        .enum(['anonymous', 'basic', 'bearer', 'token', 'oauth2'])
        .describe('how the credential was sent'),
      user: z.string().nullable().describe('global id of the user; null where it is not known'),
      credential: z.string().nullable().describe('keyed hash of the credential; null for none'),
    })
    .describe('who writes'),
  field: z.string().nullable().describe('coordinate of the field; null for a resolver of the operator'),
  target: z
    .string()
    .nullable()
    .describe(
      'global id of the object that is written, else of its nearest parent in the path; null for none',
    ),
  inputs: z.array(z.string()).describe('names of the input parameters that are sent'),
});

const answered = z.strictObject({
  event: z.literal('answered'),
  ...common,
  outcome: z
    .enum(['done', 'refused', 'not_sent', 'unknown'])
    .describe(
      '`done`: accepted; `refused`: by the API; `not_sent`: nothing has happened; `unknown`: nobody knows',
    ),
  status: z.int().nullable().describe('HTTP status; null when no response arrived'),
  code: z.string().nullable().describe('code of the error or user error that the client gets; null for none'),
  result: z.string().nullable().describe('global id of the object in the response; null for none'),
  actionId: z.string().nullable().describe('id of the running action; null for none'),
});

const ended = z.strictObject({
  event: z.literal('ended'),
  ...common,
  actionId: z.string().describe('id of the action that has ended'),
  outcome: z.enum(['succeeded', 'failed']).describe('how it has ended'),
});

/** A line. */
export const auditLine = z.discriminatedUnion('event', [sent, answered, ended]);
export type AuditLine = z.infer<typeof auditLine>;

/** Where the audit is written. */
export interface AuditOptions {
  /**
   * Writes a line, which ends with a line break. Resolves with whether it is written for good. Never rejects. A line that cannot be
   * written now may be written later.
   */
  readonly write: (line: string) => Promise<boolean>;
  /** The key of the hashes of credentials; null (default): a random one for the process. */
  readonly secret?: string | null;
}

/** What is known of a write. */
type Write = Pick<AuditLine, 'write' | 'requestId' | 'action'>;

/** How many running actions are remembered with their writes, and how many credentials with their users. The oldest are forgotten. */
const MAX_ACTIONS = 10_000;
const MAX_USERS = 10_000;
/** Ends of actions that are remembered, because they may be seen before the answer that names the action. */
const MAX_ENDS = 1_000;
/** Characters of the hash of a credential. */
const HASH_LENGTH = 22;

const TRACE_PARENT = /^[\da-f]{2}-([\da-f]{32})-/;

/** Starts the plugin, which guards the writes of each operation. */
export function useAudit(options: AuditOptions, services: Services): StartedPlugin {
  const audit = new Audit(options, services);
  // What something at any replica has seen of the end of an action.
  const stopListening = services.reads.onWrite((_caller, { kind, action }) => {
    if (action !== null && (kind === 'succeeded' || kind === 'failed')) audit.recordEnd(action, kind);
  });
  return {
    onOperation({ request: { report }, contextValue: { operation, session } }) {
      operation.calls.addGuard(audit.guardFor(session, report?.observed ?? null, operation));
      return null;
    },
    close: stopListening,
  };
}

type EndOutcome = z.infer<typeof ended>['outcome'];

/** The audit of one API. */
class Audit {
  readonly #options: AuditOptions;
  readonly #services: Services;
  readonly #sealOf: (name: string) => Seal;
  /** The writes whose actions go on, by the ids of these. */
  readonly #running = new LRUCache<string, Write>(atMost(MAX_ACTIONS));
  /** How actions have ended that no write here is known to have started. */
  readonly #ends = new LRUCache<string, EndOutcome>(atMost(MAX_ENDS));
  /** The global ids of users, by the keys of their credentials. */
  readonly #users = new LRUCache<string, string>(atMost(MAX_USERS));

  constructor(options: AuditOptions, services: Services) {
    this.#options = options;
    this.#services = services;
    this.#sealOf = createSealing([options.secret ?? randomBytes(32).toString('base64')]);
  }

  guardFor(session: Session, observed: ObservedOperation | null, operation: Operation): WriteGuard {
    return {
      begin: async ({ action, field, target, inputs }) => {
        const write = { write: randomUUID(), requestId: session.requester.requestId, action };
        const isRecorded = await this.#write({
          event: 'sent',
          ...originOf(write),
          traceId: this.#traceIdOf(session, observed),
          via: session.requester.via ?? null,
          caller: await this.#describeCaller(session, operation),
          ...{ field, target, inputs: [...inputs] },
        });
        if (isRecorded) return (end) => this.#answer(write, end);
        const error = new RefusedError(
          'WRITE_UNRECORDED',
          'The audit of writes cannot be written, so the write was not sent; try again in a moment.',
        );
        this.#answer(write, notSent(error));
        throw error;
      },
    };
  }

  /** Records the end of an action, if a write here has started it. */
  recordEnd(actionId: string, outcome: EndOutcome): void {
    const write = this.#running.get(actionId);
    if (write === undefined) {
      this.#ends.set(actionId, outcome);
      return;
    }
    this.#running.delete(actionId);
    void this.#write({ event: 'ended', ...originOf(write), actionId, outcome });
  }

  #answer(write: Write, { outcome, status, failure, resultId, actionId }: WriteEnd): void {
    const code = failure === null || typeof failure === 'string' ? failure : publicCodeOf(failure);
    const answer = { outcome, status, code, result: resultId, actionId };
    void this.#write({ event: 'answered', ...originOf(write), ...answer });
    if (actionId === null) return;
    this.#running.set(actionId, write);
    const end = this.#ends.get(actionId);
    if (end !== undefined) this.recordEnd(actionId, end);
  }

  #write(line: AuditLine): Promise<boolean> {
    return this.#options.write(`${maskControls(JSON.stringify(line))}\n`);
  }

  async #describeCaller(session: Session, operation: Operation) {
    const { credential } = session.currentCaller;
    if (credential === null) return { kind: 'anonymous', user: null, credential: null } as const;
    const { key, kind, header, value } = credential;
    const user = this.#users.get(key) ?? (await this.#findUser(key, session, operation));
    const { id } = this.#sealOf(`audit ${JSON.stringify([header, value])}`);
    return { kind, user, credential: id.slice(0, HASH_LENGTH) } as const;
  }

  /** Asks the API once for the user of a credential. Null where it does not say. Never rejects. */
  async #findUser(key: string, { served }: Session, operation: Operation): Promise<string | null> {
    if (served.callerAction === null) return null;
    const { action, resource } = served.callerAction;
    const reason = { reason: 'READ', fields: [] } as const;
    const result = await operation.calls
      .read({ action, path: [], input: {}, meta: {} }, reason)
      .catch(() => null);
    if (result === null || !isObject(result.output)) return null;
    const ids = idsOf(resource.identity, result.output, result.meta, NO_PATH_IDS);
    if (ids === null) return null;
    const user = toGlobalId(resource.identity, ids);
    this.#users.set(key, user);
    return user;
  }

  /** The trace that this server continues or begins, else the one that the client names. */
  #traceIdOf({ requester }: Session, observed: ObservedOperation | null): string | null {
    const own = observed === null ? null : this.#services.observer.traceId?.(observed);
    return own ?? TRACE_PARENT.exec(requester.header('traceparent') ?? '')?.[1] ?? null;
  }
}

const originOf = (write: Write) => ({
  time: new Date().toISOString(),
  hostname: hostname(),
  pid,
  ...write,
});
