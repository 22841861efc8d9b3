import { afterAll, vi } from 'vitest'

// The next file in the same process begins with the timers and the date of the machine.
afterAll(() => {
  vi.useRealTimers()
})
