/**
 * Runs a step until it handles fewer items than a batch can hold, because a full batch has possibly left some. The step
 * returns how many it handled. Runs no further step after the signal is aborted.
 */
export async function repeatWhileFull(
  signal: AbortSignal,
  batchSize: number,
  step: () => Promise<number>,
): Promise<void> {
  while (!signal.aborted && (await step()) === batchSize);
}
