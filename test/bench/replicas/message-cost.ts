// Measures what a message of another replica costs the one that receives it.
import { createSealing } from '../../../src/sharing/sealing.ts';
import { type FollowMessage, readMessage } from '../../../src/upstream/actions/polling-messages.ts';

const ROUNDS = 5_000;

/** Milliseconds of CPU time to open and read what a follower says of its actions. */
export async function measureMessage(actions: number): Promise<number> {
  const seal = createSealing(['secret-of-the-bench'])('name');
  const message: FollowMessage = {
    kind: 'follow',
    replica: 'a'.repeat(36),
    actions: Array.from({ length: actions }, (_, index) => [`${index}`, 1_763_000_000_000_000 + index]),
    unfinished: false,
    lacksList: false,
    position: { leader: 'b'.repeat(36), change: 1_000 },
  };
  const sealed = seal.seal(Buffer.from(JSON.stringify({ from: 'c', message })));
  const receive = (): void => {
    const content = JSON.parse(String(seal.open(sealed))) as { readonly message: unknown };
    if (readMessage(content.message) === null) throw new Error('expected a message');
  };
  for (let round = 0; round < ROUNDS; round += 1) receive();
  const before = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round += 1) receive();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / ROUNDS;
}
