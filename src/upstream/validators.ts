import type { Parameter } from './description.ts';
export interface ValidationFailure {
  readonly parameter: string;
  readonly code: string;
  readonly message: string;
}
export function compileValidation(
  _p: readonly Parameter[],
  _r: (parameter: string, reason: string) => void,
): (input: Readonly<Record<string, unknown>>) => readonly ValidationFailure[] {
  return () => [];
}
