import { outlive } from '#test/apps/outlive.ts'

/** `node test/long/outlive.ts`: 20 kills and restarts of the server while two apps answer. CI runs a tenth of it. */
const report = await outlive({ ends: 20, requestsPerSecond: 100, sockets: 50 })
const { answered, failed, frames, lines, ...faults } = report
console.log(`20 ends of the server: ${answered} requests answered, ${lines} of them in the logs, ${frames} frames`)
console.log(`faults: ${JSON.stringify({ failed: failed.slice(0, 20), ...faults })}`)
if (failed.length > 0 || Object.values(faults).some((count) => count > 0)) process.exitCode = 1
