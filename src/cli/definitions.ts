// Defines how the settings of `serve` and `sandbox` are read.
import { TOOL_VARIABLES } from '@optiongraph/tools/settings';
import { variablesOf } from '../config/read-settings.ts';
import { conflictsOfServe, findOverruledOfServe, serveSettings } from '../config/serve-settings.ts';
import { settingsOf } from '../config/setting.ts';
import { sandboxSettings } from './sandbox/sandbox-settings.ts';
import { FILE_VARIABLE } from './settings-options.ts';

/** The variables of all commands. Others with their prefix are errors. */
export const VARIABLES: ReadonlySet<string> = new Set([
  FILE_VARIABLE,
  ...TOOL_VARIABLES,
  ...[serveSettings, sandboxSettings].flatMap((one) => variablesOf(settingsOf(one))),
]);

/** The settings of `serve`. */
export const SERVE = {
  settings: serveSettings,
  hasFile: true,
  conflictsOf: conflictsOfServe,
  findOverruled: findOverruledOfServe,
  variables: VARIABLES,
};
/** The settings of `sandbox`. */
export const SANDBOX = { settings: sandboxSettings, variables: VARIABLES };
