// The settings of `optiongraph sandbox`.
import * as z from 'zod';
import { host, port } from '../../config/serve-settings.ts';
import { setting } from '../../config/setting.ts';
import { refuse, text } from '../../config/values.ts';

const namesByKey = z.record(z.string(), z.array(z.string()));

/** See `Habits` and `SandboxOptions` in packages/sandbox. */
const habits = z
  .strictObject({
    anonymousDescription: z.enum(['everything', 'usable']),
    behindProxy: z.boolean(),
    brokenRows: z.record(z.string(), z.array(z.int())),
    cancelBlocks: z.boolean(),
    changingRows: z.boolean(),
    clampedLimit: z.int().min(1).max(1_000),
    failingIncludes: namesByKey,
    habitSeed: z.int().min(0),
    liveLog: z.int().min(1),
    logs: z.int().min(1).max(100_000),
    redirectUris: z.array(z.url()),
    shuffledTimes: z.boolean(),
    snippetsNeedKey: z.boolean(),
    unsentOutputs: namesByKey,
    unstableTies: z.boolean(),
    wideCount: z.boolean(),
  })
  .partial();

/** JSON has no undefined values. */
type Habits = {
  readonly [Name in keyof typeof habits.shape]?: z.output<
    (typeof habits.shape)[Name]['_zod']['def']['innerType']
  >;
};

const habitsText = text()
  .transform((given, context) => {
    try {
      return habits.parse(JSON.parse(given)) as Habits;
    } catch (error) {
      const reason = error instanceof z.ZodError ? z.prettifyError(error) : 'this is no JSON';
      return refuse(context, `must be a JSON object of ${Object.keys(habits.shape).join(', ')}: ${reason}`);
    }
  })
  .prefault('{}');

/** All settings of `sandbox`. */
export const sandboxSettings = z.strictObject({
  port: port(0),
  host,
  habits: setting(habitsText, '--habits JSON', {
    variable: null,
    help: `habits of real servers: an object of ${Object.keys(habits.shape).join(', ')}`,
    defaultText: 'none',
  }),
});

/** The settings of `sandbox`, valid and complete. */
export type SandboxConfig = z.output<typeof sandboxSettings>;
