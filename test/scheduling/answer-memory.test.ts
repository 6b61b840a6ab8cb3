// Tests how the memory for answers is shared: who gets it, who waits, and who ends.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AnswerMemory, type OperationRoom } from '../../src/scheduling/answer-memory.ts';
import type { AnswerReader } from '../../src/upstream/http/answer-room.ts';

const MIB = 1024 * 1024;
/** Memory of 240 MiB: room for 120 MiB of answers. */
const LIMIT = 240 * MIB;

/** A reader that records what happens to it. */
class Reader implements AnswerReader {
  state: 'reads' | 'waits' | 'ended' = 'reads';

  /** Asks for room, in MiB of answers. */
  take(room: OperationRoom, size: number): this {
    this.state = 'waits';
    if (room.take(size * MIB, this) && this.isWaiting) this.state = 'reads';
    return this;
  }

  get isWaiting(): boolean {
    return this.state === 'waits';
  }

  goOn(): void {
    this.state = 'reads';
  }

  end(): void {
    this.state = 'ended';
  }
}

const open = (memory: AnswerMemory, key: string, network = key) => memory.openRoom({ network, key });
const take = (room: OperationRoom, size: number) => new Reader().take(room, size);

describe('the memory for answers', () => {
  it('is given until it is full, and again when it is free', () => {
    const memory = new AnswerMemory(LIMIT);
    const first = open(memory, 'a');
    expect(take(first, 60).state).toBe('reads');
    expect(memory.held).toBe(120 * MIB);
    const waiting = take(open(memory, 'b'), 60);
    expect(waiting.state).toBe('waits');
    first.close();
    expect(waiting.state).toBe('reads');
    expect(memory.held).toBe(120 * MIB);
  });

  it('leaves each client room that others have not used', () => {
    const memory = new AnswerMemory(LIMIT);
    const rooms = Array.from({ length: 200 }, () => open(memory, 'many', 'office'));
    for (const room of rooms) take(room, 10);
    expect(memory.held).toBe(160 * MIB);
    expect(memory.waiting).toBe(192);
    expect(take(open(memory, 'neighbour', 'office'), 10).state).toBe('reads');
    expect(take(open(memory, 'other'), 15).state).toBe('reads');
  });

  it('lets a short answer of the same client pass the long ones that wait', () => {
    const memory = new AnswerMemory(LIMIT);
    for (let index = 0; index < 40; index += 1) take(open(memory, 'a'), 50);
    expect(memory.waiting).toBe(39);
    expect(take(open(memory, 'a'), 0.4).state).toBe('reads');
  });

  it('is taken in turns by clients', () => {
    const memory = new AnswerMemory(LIMIT);
    const rooms = Array.from({ length: 10 }, () => open(memory, 'a'));
    const ofFirst = rooms.map((room) => take(room, 60));
    const second = open(memory, 'b');
    const ofSecond = take(second, 60);
    rooms[0]?.close();
    expect(ofSecond.state).toBe('reads');
    second.close();
    expect(ofFirst.map(({ state }) => state).slice(0, 3)).toEqual(['reads', 'reads', 'waits']);
  });

  it('is kept for a large answer that is next, also if smaller ones would fit', () => {
    const memory = new AnswerMemory(LIMIT);
    const [b, c] = [open(memory, 'b'), open(memory, 'c')];
    take(b, 35);
    take(c, 30);
    const large = take(open(memory, 'a'), 75);
    const late = take(open(memory, 'd'), 10);
    expect([large.state, late.state]).toEqual(['waits', 'waits']);
    b.close();
    c.close();
    expect(large.state).toBe('reads');
  });

  it('ends the operation that holds most where each needs what the others hold', () => {
    const memory = new AnswerMemory(LIMIT);
    const [a, b] = [open(memory, 'a'), open(memory, 'b')];
    for (const room of [a, b]) take(room, 40);
    const ofA = take(a, 30);
    expect(ofA.state).toBe('waits');
    const ofB = take(b, 25);
    expect([ofA.state, ofB.state]).toEqual(['ended', 'waits']);
    expect(() => a.take(1, ofA)).toThrow('The server has no memory left');
    a.close();
    expect(ofB.state).toBe('reads');
  });

  it('refuses what is larger than all of it', () => {
    const memory = new AnswerMemory(LIMIT);
    expect(take(open(memory, 'a'), 120).state).toBe('ended');
    expect(memory.held).toBe(0);
  });

  it('holds an answer as long as one of the operations that share it', () => {
    const memory = new AnswerMemory(LIMIT);
    const [sender, joined] = [open(memory, 'a'), open(memory, 'a')];
    take(sender, 30);
    joined.join(sender);
    joined.join(sender);
    sender.close();
    sender.close();
    expect(memory.held).toBe(60 * MIB);
    joined.close();
    expect(memory.held).toBe(0);
  });

  it('forgets readers that leave, and lets those of a closed room go on', () => {
    const memory = new AnswerMemory(LIMIT);
    const first = open(memory, 'a');
    take(first, 60);
    const [leaving, closing] = [open(memory, 'b'), open(memory, 'c')];
    const left = take(leaving, 60);
    const closed = take(closing, 60);
    leaving.leave(left);
    closing.close();
    expect([left.state, closed.state]).toEqual(['waits', 'reads']);
    expect(memory.waiting).toBe(0);
    expect(take(closing, 1_000).state).toBe('reads');
    expect(memory.held).toBe(120 * MIB);
  });

  it('serves those who wait when its limit grows', () => {
    const memory = new AnswerMemory(LIMIT);
    take(open(memory, 'a'), 60);
    const waiting = take(open(memory, 'b'), 60);
    memory.resize(4 * LIMIT);
    expect(waiting.state).toBe('reads');
  });

  it('never holds more than its limit, and never lets all wait for each other', () => {
    const step = fc.record({
      client: fc.nat(5),
      operation: fc.nat(3),
      action: fc.constantFrom('take', 'take', 'take', 'free', 'leave', 'join', 'close'),
      size: fc.oneof(
        fc.double({ min: 0.001, max: 1, noNaN: true }),
        fc.double({ min: 1, max: 70, noNaN: true }),
      ),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const memory = new AnswerMemory(LIMIT);
        const operations = new Map<string, { room: OperationRoom; taken: number; readers: Set<Reader> }>();
        const find = (client: number, operation: number) => {
          const key = `${client} ${operation}`;
          const known = operations.get(key) ?? {
            room: open(memory, `${client}`, `${client % 3}`),
            taken: 0,
            readers: new Set<Reader>(),
          };
          operations.set(key, known);
          return known;
        };
        for (const { client, operation, action, size } of steps) {
          const found = find(client, operation);
          const { room, readers } = found;
          if (action === 'take' && !room.isRefused) readers.add(take(room, size));
          if (action === 'leave')
            for (const reader of readers) {
              room.leave(reader);
              if (reader.isWaiting) readers.delete(reader);
            }
          if (action === 'join') room.join(find(client, (operation + 1) % 4).room);
          if (action === 'free' && room.held > MIB) room.free(MIB / 2);
          if (action === 'close') {
            room.close();
            operations.delete(`${client} ${operation}`);
          }
          const open = [...operations.values()];
          const waiting = open.filter(({ readers: all }) => [...all].some(({ isWaiting }) => isWaiting));
          const others = open.filter((one) => !waiting.includes(one));
          expect(memory.held).toBeLessThanOrEqual(LIMIT);
          expect(memory.waiting).toBe(
            waiting.flatMap(({ readers: all }) => [...all].filter(({ isWaiting }) => isWaiting)).length,
          );
          // Someone who does not wait holds what the others need. A closed room is held by those who have joined it.
          if (waiting.length > 0)
            expect(others.some(({ room: { held, joined } }) => held > 0 || joined.length > 0)).toBe(true);
        }
        for (const { room } of operations.values()) room.close();
        expect(memory.held).toBeCloseTo(0, 3);
        expect(memory.waiting).toBe(0);
      }),
      {
        numRuns: Number(process.env['RUNS'] ?? 300),
        ...(process.env['SEED'] ? { seed: Number(process.env['SEED']) } : {}),
      },
    );
  });
});
