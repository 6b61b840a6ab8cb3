// Opens the file or pipe to which the audit of writes goes.
import { closeSync, constants, fdatasync, fstatSync, openSync, write } from 'node:fs';
import { promisify } from 'node:util';
import { ConfigError } from '../../config/config-error.ts';
import type { ServeConfig } from '../../config/serve-settings.ts';
import type { Log } from '../../log.ts';

/** Appends, also while other processes append to the file. A pipe without a reader fails to open instead of blocking. */
const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

/** Characters of lines that may wait. More are lost, because they must not fill the memory. */
const MAX_WAITING = 1024 * 1024;

const writeTo = promisify(write);
const syncFile = promisify(fdatasync);

/** Appends lines to a file, one after another. What is written to a regular file survives the loss of the machine. */
class LineFile {
  readonly #name: string;
  #file: number;
  #isRegular: boolean;
  /** Lines that could not be written, and are tried again with the next one. */
  #waiting = '';
  /** Whether the last write has ended within a line. */
  #isCut = false;
  #last: Promise<unknown> = Promise.resolve();

  /** @throws What `node:fs` throws when the file cannot be opened. */
  constructor(name: string) {
    this.#name = name;
    this.#file = openSync(name, FLAGS, 0o600);
    this.#isRegular = fstatSync(this.#file).isFile();
  }

  /** Resolves when the line is written. */
  write(line: string): Promise<void> {
    return this.#next(() => this.#append(line));
  }

  /** Opens the file again, because the one that is open may have been renamed. @throws As the constructor does; the open file stays. */
  reopen(): void {
    const file = openSync(this.#name, FLAGS, 0o600);
    void this.#next(async () => {
      closeSync(this.#file);
      this.#file = file;
      this.#isRegular = fstatSync(file).isFile();
      this.#isCut = false;
    });
  }

  #next<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task);
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #append(line: string): Promise<void> {
    const lines = this.#waiting + line;
    this.#waiting = lines.length > MAX_WAITING ? '' : lines;
    const bytes = Buffer.from(this.#isCut ? `\n${lines}` : lines);
    const { bytesWritten } = await writeTo(this.#file, bytes);
    if (bytesWritten < bytes.length) {
      this.#isCut ||= bytesWritten > 0;
      throw new Error('the lines were not written as a whole');
    }
    this.#waiting = '';
    this.#isCut = false;
    if (this.#isRegular) await syncFile(this.#file);
  }
}

/** Opens the audit; null where none is wanted. @throws ConfigError when it cannot be opened. */
export function openAudit({ audit: { file } }: Pick<ServeConfig, 'audit'>, log: Log) {
  if (file === null) return null;
  const name = JSON.stringify(file);
  let opened: LineFile;
  try {
    opened = new LineFile(file);
  } catch (error) {
    throw new ConfigError(`The file of audit.file, ${name}, cannot be opened: ${codeOf(error)}.`);
  }
  let isFailing = false;
  return {
    /** See `AuditOptions.write`. */
    async write(line: string): Promise<boolean> {
      const isWritten = await opened.write(line).then(
        () => true,
        () => false,
      );
      if (isWritten === isFailing) {
        isFailing = !isWritten;
        if (isFailing) log.error(`the audit ${name} cannot be written, so writes are refused until it can`);
        else log.info('the audit is written again', { event: 'audit' });
      }
      return isWritten;
    },
    reopen() {
      try {
        opened.reopen();
      } catch (error) {
        const problem = `the audit ${name} cannot be opened again (${codeOf(error)}), so the open file stays in use`;
        log.warn(problem, { event: 'audit' });
      }
    },
  };
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);
