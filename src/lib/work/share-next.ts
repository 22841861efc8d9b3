type Turn<Argument, Result> = { readonly argument: Argument; readonly done: PromiseWithResolvers<Result> }
type Running<Argument, Result> = { next: Turn<Argument, Result> | undefined }

/**
 * Shares results among concurrent calls with the same key. While one of them runs, the others wait for the next run, which
 * has the argument of the first of them. A result is therefore always of a run that began after the call: it is never
 * older than the call, however many share it.
 */
export function shareNext<Argument, Result>(run: (argument: Argument) => Promise<Result>) {
  const running = new Map<string, Running<Argument, Result>>()
  const runAll = async (key: string, first: Turn<Argument, Result>) => {
    const state: Running<Argument, Result> = { next: undefined }
    running.set(key, state)
    for (let turn: Turn<Argument, Result> | undefined = first; turn; turn = takeNext(state)) await settle(run, turn)
    running.delete(key)
  }
  return (key: string, argument: Argument): Promise<Result> => {
    const current = running.get(key)
    const turn = current?.next ?? { argument, done: Promise.withResolvers<Result>() }
    if (current) current.next = turn
    else void runAll(key, turn)
    return turn.done.promise
  }
}

function takeNext<Argument, Result>(state: Running<Argument, Result>): Turn<Argument, Result> | undefined {
  const { next } = state
  state.next = undefined
  return next
}

/** Settles the promise of the turn. Never rejects. */
async function settle<Argument, Result>(
  run: (argument: Argument) => Promise<Result>,
  { argument, done }: Turn<Argument, Result>,
): Promise<void> {
  try {
    done.resolve(await run(argument))
  } catch (error) {
    done.reject(error)
  }
}
