/** A bell that one waiter listens to. Rings that come while nobody waits are kept as one. */
export type Wake = {
  readonly ring: () => void
  /** Resolves at the next ring, at once if it rang since the last call, and after `timeoutMs` at the latest. */
  readonly next: (timeoutMs?: number) => Promise<void>
}

export function createWake(): Wake {
  let isRung = false
  let resolve: (() => void) | undefined
  return {
    ring: () => {
      isRung = true
      resolve?.()
    },
    next: async (timeoutMs) => {
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>((done) => {
        resolve = done
        if (isRung) done()
        else if (timeoutMs !== undefined) timer = setTimeout(done, timeoutMs)
      })
      clearTimeout(timer)
      isRung = false
      resolve = undefined
    },
  }
}
