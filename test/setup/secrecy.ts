import { afterEach, expect } from 'vitest';
import { takeLeaks, tell, watchRequests } from '../helpers/secrecy.ts';

watchRequests();
for (const name of ['stdout', 'stderr'] as const) {
  const stream = process[name];
  const write = stream.write.bind(stream) as (...given: unknown[]) => boolean;
  stream.write = (...given: unknown[]) => {
    tell(name, String(given[0]));
    return write(...given);
  };
}
for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const) {
  const write = console[name].bind(console);
  console[name] = (...given: unknown[]) => {
    tell(`console.${name}`, given.map(String).join(' '));
    write(...given);
  };
}

afterEach(() => {
  expect(takeLeaks(), 'secrets that were told').toEqual([]);
});
