import { expect, it } from 'vitest'
import { outlive } from '#test/apps/outlive.ts'

/** A tenth of `test/long/outlive.ts`. */
it('AP-02 a kill and a restart of the server cost no request, no WebSocket and no line of the log', async () => {
  const { answered, frames, lines, ...faults } = await outlive({ ends: 2, requestsPerSecond: 20, sockets: 5 })
  expect(faults).toEqual({
    failed: [],
    closedSockets: 0,
    silentSockets: 0,
    missingLines: 0,
    doubledLines: 0,
    dropped: 0,
  })
  expect(lines).toBe(answered)
  expect(frames).toBeGreaterThan(0)
})
