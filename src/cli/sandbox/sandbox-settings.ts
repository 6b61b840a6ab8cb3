// The settings of `optiongraph sandbox`.
import * as z from 'zod';
import { host, port } from '../../config/serve-settings.ts';
import { setting } from '../../config/setting.ts';
import { refuse, text } from '../../config/values.ts';

/** See `Habits` and `SandboxOptions` in packages/sandbox. */
const habits = z
  .strictObject({
    anonymousDescription: z.enum(['everything', 'usable']),
    behindProxy: z.boolean(),
    cancelBlocks: z.boolean(),
    clampedLimit: z.int().min(1).max(1_000),
    failingIncludes: z.record(z.string(), z.array(z.string())),
    liveLog: z.int().min(1),
    redirectUris: z.array(z.url()),
    snippetsNeedKey: z.boolean(),
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
