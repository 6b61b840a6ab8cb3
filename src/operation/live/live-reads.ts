// Remembers what the last execution of a live query has read, so that the next one can find out whether that has changed.
import { createHash } from 'node:crypto';
import type { Operation } from '../../loaders/operation.ts';
import type { MadeRead } from '../../loaders/operation-calls.ts';
import type { ServedSchema } from '../../schema/registry.ts';
import type { ActionResult } from '../../upstream/http/action-client.ts';
import type { Pause } from '../../upstream/pause.ts';
import { mayChange, resourcesOf } from './written-resources.ts';

/** Characters that are hashed at once. */
const PIECE = 64 * 1024;

interface KnownRead extends Pick<MadeRead, 'call' | 'reason'> {
  /** Identifies the answer. */
  readonly digest: string;
}

/** The reads of a live query. */
export class LiveReads {
  /** Null where the next execution has to be complete. */
  #known: readonly KnownRead[] | null = null;
  /** The schema for which the calls were made. */
  #served: ServedSchema | null = null;
  /** Dotted paths. Null before the first execution. */
  #resources: ReadonlySet<string> | null = null;
  #executions = 0;

  /** Dotted paths of the resources from which the last execution has read. */
  get resources(): readonly string[] {
    return [...(this.#resources ?? [])];
  }

  /** Takes over what another replica has read. */
  adopt(resources: readonly string[], served: ServedSchema): void {
    this.#resources = new Set(resources);
    this.#served ??= served;
  }

  /** Makes the next execution complete. */
  forget(): void {
    this.#known = null;
  }

  /** Whether an action may change what was read. @param scope Null: the action is unknown. */
  areChangedBy(scope: string | null): boolean {
    const [served, resources] = [this.#served, this.#resources];
    return served === null || resources === null || mayChange(served, scope, resources);
  }

  /**
   * Reads again what the last execution has read. The reads are those of the operation, so that its fields share them.
   * @returns Whether all answers are as before; the operation then need not be executed.
   */
  async areAsBefore(operation: Operation, served: ServedSchema, pause: Pause): Promise<boolean> {
    const known = this.#known;
    if (known === null || served !== this.#served) return false;
    const areEqual = await Promise.all(
      known.map(async ({ call, reason, digest }) => {
        try {
          return (await digestOf(await operation.calls.read(call, reason), pause)) === digest;
        } catch {
          // The field that needs it throws the error.
          return false;
        }
      }),
    );
    return areEqual.every(Boolean);
  }

  /**
   * Records the reads of an execution.
   * @param isWhole Whether its result depends on nothing else, and is without errors.
   */
  async record(operation: Operation, served: ServedSchema, isWhole: boolean, pause: Pause): Promise<void> {
    const { reads } = operation;
    this.#served = served;
    this.#resources = resourcesOf(reads, served.description);
    this.#executions += 1;
    // The first execution makes other calls than later ones, which know the ids of objects and read several by one call.
    const isLasting = this.#executions > 1 && isWhole && reads.length > 0;
    try {
      this.#known = isLasting
        ? await Promise.all(
            reads.map(async ({ call, reason, result }) => ({
              call,
              reason,
              digest: await digestOf(await result, pause),
            })),
          )
        : null;
    } catch {
      // A call has failed that no field needed in the end.
      this.#known = null;
    }
  }
}

/** Identifies an answer. The rows of a long list are hashed in pieces. */
async function digestOf({ output, meta }: ActionResult, pause: Pause): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(meta));
  if (!Array.isArray(output)) return hash.update(JSON.stringify(output) ?? '').digest('base64');
  let size = 0;
  for (const row of output) {
    const text = JSON.stringify(row);
    hash.update(text).update(',');
    size += text.length;
    if (size < PIECE) continue;
    size = 0;
    const paused = pause();
    if (paused !== undefined) await paused;
  }
  return hash.digest('base64');
}
