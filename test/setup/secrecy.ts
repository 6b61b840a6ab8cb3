// Fails a test during which a secret reaches the output. Files share modules, so this runs once for each file of a worker.
import { afterEach, expect } from 'vitest';
import { forgetSecrets, takeLeaks, watchOutput, watchRequests } from '../helpers/secrecy.ts';

watchRequests();
watchOutput();
forgetSecrets();

afterEach(() => {
  expect(takeLeaks(), 'secrets in the output').toEqual([]);
});
