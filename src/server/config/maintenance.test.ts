import { expect, it } from 'vitest'
import { readMaintenance } from './maintenance.ts'
import { type Environment, EnvironmentReader } from './reader.ts'

const NOT_ALLOWED =
  'SVC_MAINTENANCE_BUILD=test runs builds of apps on the machine of the worker, which needs SVC_ALLOW_PROCESS_DEPLOYS=true'

it.each<[Environment, string | undefined, string, string[]]>([
  [{}, undefined, 'off', []],
  [{}, 'off here', 'off', []],
  [{ SVC_MAINTENANCE_BUILD: 'build' }, undefined, 'build', []],
  [{ SVC_MAINTENANCE_BUILD: 'test' }, undefined, 'test', []],
  [{ SVC_MAINTENANCE_BUILD: 'test' }, 'off here', 'test', [NOT_ALLOWED]],
  [{ SVC_MAINTENANCE_BUILD: 'yes' }, undefined, 'off', ['SVC_MAINTENANCE_BUILD must be one of off, build, test']],
])('MA-10 changes are built only where the operator says so and apps run: %j', (env, deploysOff, build, faults) => {
  const read = new EnvironmentReader(env)
  expect([readMaintenance(read, { deploysOff }), read.faults]).toEqual([{ build }, faults])
})
