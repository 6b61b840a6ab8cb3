// Opens the file or stream to which the audit of writes goes.
import { constants, openSync } from 'node:fs';
import { ConfigError } from '../../config/config-error.ts';
import type { ServeConfig } from '../../config/serve-settings.ts';
import type { Log } from '../../telemetry/log.ts';
import { LineWriter } from './line-writer.ts';
import { WRITE_SIZE } from './open-log.ts';

/** Appends, also while other processes append to the file. A pipe without a reader fails to open instead of blocking. */
const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

/** Opens the audit; null where none is wanted. @throws ConfigError when it cannot be opened. */
export function openAudit({ audit: { file } }: Pick<ServeConfig, 'audit'>, log: Log) {
  if (file === null) return null;
  const name = JSON.stringify(file);
  const open = (): number => openSync(file, FLAGS, 0o600);
  let opened: number;
  try {
    opened = open();
  } catch (error) {
    throw new ConfigError(`The file of --audit-file, ${name}, cannot be opened: ${codeOf(error)}.`);
  }
  const writer = new LineWriter(opened, {
    size: WRITE_SIZE,
    isSynced: true,
    onLoss: () => undefined,
    onRecovery: (lines) => log.warn('lines of the audit were lost', { event: 'audit', lines }),
  });
  let isFailing = false;
  return {
    /** See `AuditOptions.write`. */
    async write(line: string): Promise<boolean> {
      const isWritten = writer.write(line) && (await writer.flush());
      if (isWritten === isFailing) {
        isFailing = !isWritten;
        if (isFailing) log.error(`the audit ${name} cannot be written, so writes are refused until it can`);
        else log.info('the audit is written again', { event: 'audit' });
      }
      return isWritten;
    },
    /** Opens the file again, because the one that is open may have been renamed. */
    reopen() {
      try {
        writer.use(open());
      } catch (error) {
        log.warn(
          `the audit ${name} cannot be opened again (${codeOf(error)}), so the open file stays in use`,
          {
            event: 'audit',
          },
        );
      }
    },
  };
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);
