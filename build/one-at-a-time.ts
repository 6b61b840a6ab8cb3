// Lets one process at a time work on a folder, such as two terminals in which the program is built and started.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds between two tries. */
const INTERVAL = 100;

/** Runs a task when no other process runs one with the same lock. @param lock A file that holds the id of the process. */
export async function oneAtATime(lock: string, task: () => Promise<void>): Promise<void> {
  mkdirSync(dirname(lock), { recursive: true });
  while (!tryToLock(lock)) await pause(INTERVAL);
  try {
    await task();
  } finally {
    rmSync(lock, { force: true });
  }
}

function tryToLock(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (!isRunning(lock)) rmSync(lock, { force: true });
    return false;
  }
}

/** Whether the process that holds a lock still runs. One that has not written its id yet does. */
function isRunning(lock: string): boolean {
  try {
    const id = readFileSync(lock, 'utf8');
    if (id !== '') process.kill(Number(id), 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
