// Tests `optiongraph describe` over the sandbox.
import { describe, expect, test } from 'vitest';
import { runInProcess } from '../../../test/helpers/cli-in-process.ts';

describe('describe', () => {
  test('lists the actions that the API offers the caller', async () => {
    const [all, some] = await Promise.all([
      runInProcess(['describe', '--sandbox', '--format', 'json']),
      runInProcess(['describe', '--sandbox', 'dataset.snapshot']),
    ]);
    expect([all.code, JSON.parse(all.stdout)]).toEqual([
      0,
      expect.arrayContaining([
        expect.objectContaining({
          action: 'dataset#create',
          method: 'POST',
          blocking: true,
          input: expect.objectContaining({ name: 'String!' }),
        }),
      ]),
    ]);
    const [head, ...rows] = some.stdout.trim().split('\n');
    expect(head).toMatch(/^action +method +path/);
    expect(rows.length).toBeGreaterThan(1);
    for (const row of rows) expect(row).toMatch(/^dataset\.snapshot#/);
  });

  test('suggests the name of a resource', async () => {
    const { code, stdout, stderr } = await runInProcess(['describe', '--sandbox', 'datset']);
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('did you mean dataset?'),
    });
  });
});
