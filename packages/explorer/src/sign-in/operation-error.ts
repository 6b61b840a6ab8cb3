// The error of an operation, as those show it who sign in through GraphQL.

/** The first error of an operation, or what a sign-in was refused for. */
export class OperationError extends Error {
  /** HTTP status of the response. */
  readonly status: number;
  /** API names of the parameters at fault. */
  readonly parameters: readonly string[];

  constructor(message: string, status: number, parameters: readonly string[] = []) {
    super(message);
    this.status = status;
    this.parameters = parameters;
  }
}
