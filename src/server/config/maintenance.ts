import type { EnvironmentReader } from './reader.ts'

/** Builds run on the machine of the server, as apps do, so they need what apps need. */
export function readMaintenance(read: EnvironmentReader, { deploysOff }: { deploysOff: string | undefined }) {
  /** How a change that the agent proposes is validated: by nothing, by the app's build, or by its build and tests. */
  const build = read.oneOf('SVC_MAINTENANCE_BUILD', ['off', 'build', 'test'], 'off')
  if (build !== 'off' && deploysOff !== undefined) {
    read.fault(
      `SVC_MAINTENANCE_BUILD=${build} runs builds of apps on the machine of the worker, which needs ` +
        'SVC_ALLOW_PROCESS_DEPLOYS=true',
    )
  }
  return Object.freeze({ build })
}
