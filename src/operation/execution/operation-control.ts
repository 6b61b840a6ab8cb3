// Lets executions pause for other clients, and end when nobody waits for them.
import type { OperationContext } from '../context.ts';
import type { AbandonedSignal, ExecutionControl } from './pauses.ts';

/** Controls the executions of one operation: one, or one for each event. */
export class OperationControl implements ExecutionControl {
  readonly #context: Pick<OperationContext, 'session' | 'operation'>;

  constructor(context: Pick<OperationContext, 'session' | 'operation'>) {
    this.#context = context;
  }

  get abandoned(): AbandonedSignal | undefined {
    return this.#context.session.requester.leaving;
  }

  readonly pause = (): Promise<void> | undefined =>
    this.#context.session.pause()?.then(() => this.#checkWaited());

  /** @throws when the client has left, or the time of a reading operation is over. What a write has done is said in any case. */
  #checkWaited(): void {
    const { operation } = this.#context;
    if (operation.hasWritten) this.abandoned?.throwIfAborted();
    else operation.signal.throwIfAborted();
  }

  hold(): void {
    this.#context.operation.holdBatches();
  }

  resume(): void {
    this.#context.operation.releaseBatches();
  }
}
