// Tests the types of what needs other packages, which `npm run typecheck` leaves out.
import { expect, it } from 'vitest';
import { typeCheck } from '../helpers/type-check.ts';

it('has no type errors', () => {
  expect(typeCheck('test/conformance')).toBe('');
});
