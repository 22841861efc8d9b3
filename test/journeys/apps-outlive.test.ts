import { expect, it } from 'vitest'
import { outlive } from '#test/apps/outlive.ts'

/** A part of `test/long/outlive.ts`. */
it('OP-07 a kill, a restart and an upgrade cost no request, no WebSocket, no line of the log and no app', async () => {
  const { answered, frames, lines, ...faults } = await outlive({ ends: 3, requestsPerSecond: 20, sockets: 5 })
  expect(faults).toEqual({
    failed: [],
    closedSockets: 0,
    silentSockets: 0,
    missingLines: 0,
    miscountedLines: 0,
    doubledLines: 0,
    newInstances: 0,
    newKeepers: 0,
    missedUpgrades: 0,
  })
  expect(lines).toBe(answered)
  expect(frames).toBeGreaterThan(0)
})
