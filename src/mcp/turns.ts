import type { InTurn } from "./resources.ts";

/** What a client asks for, one after the other, so that calls and reads never mix. */
export interface Turns {
  readonly inTurn: InTurn;
  /** to be called by the action whose turn it is: the others go on while it waits, and it goes on in a later turn of its own */
  letOthersGoOn<T>(wait: () => Promise<T>): Promise<T>;
}

/** Opens a queue; `prepare` is called at the start of each turn. */
export function openTurns(prepare: () => Promise<void>): Turns {
  let last: Promise<void> = Promise.resolve();
  let endTurn = (): void => undefined;

  const take = async (): Promise<void> => {
    const before = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = promise;
    await before;
    endTurn = resolve;
  };

  return {
    async inTurn(action) {
      await take();
      try {
        await prepare();
        return await action();
      } finally {
        endTurn();
      }
    },
    async letOthersGoOn(wait) {
      endTurn();
      try {
        return await wait();
      } finally {
        await take();
        await prepare();
      }
    },
  };
}
