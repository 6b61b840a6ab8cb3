// Defines how the settings of `serve` and `sandbox` are read.
import { FILE_VARIABLE } from '@optiongraph/tools/command-line/settings-options';
import { TOOL_SETTINGS } from '@optiongraph/tools/declare-tools';
import { variablesOf } from '../config/read-settings.ts';
import { conflictsOfServe, findOverruledOfServe, serveSettings } from '../config/serve-settings.ts';
import { settingsOf } from '../config/setting.ts';
import { sandboxSettings } from './sandbox/sandbox-settings.ts';

/** The variables of all commands. Others with their prefix are errors. */
export const VARIABLES: ReadonlySet<string> = new Set([
  FILE_VARIABLE,
  ...[serveSettings, sandboxSettings, ...TOOL_SETTINGS].flatMap((one) => variablesOf(settingsOf(one))),
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
